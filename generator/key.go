package generator

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"strings"
)

// This file reads the expressions of key, scope and fingerprint: it splits them at commas, parses and type-checks them where
// the method's parameters are in scope first, then the file's imports, then the package, and moves every error to its place in the comment.

// environment is where the expressions of one annotation are evaluated.
type environment struct {
	r        *reader
	s        *source    // the wrapper's, which errors are counted for
	home     string     // import path of the output's package
	method   string     // Store.Put, for messages
	note     annotation // what the expressions stand in
	in       *source    // where it stands
	file     *sourceFile
	sig      *types.Signature      // of the method
	typeArgs map[string]types.Type // what the type parameters in scope stand for
	static   bool                  // it is evaluated outside of the method: its parameters are not in scope
	nameless map[int]bool          // the parameters that got their names in sig only for expressions
	params   map[types.Object]int  // the parameters as the expression sees them
	bound    map[types.Object]types.Type
}

// outside is e for what is evaluated outside of the method.
func (e *environment) outside() *environment {
	e.static = true
	return e
}

func (e *environment) fail(at token.Position, code, format string, args ...any) {
	e.r.report.errorf(e.s.Dir, at, code, format, args...)
}

// part is one of several expressions in an annotation's argument.
type part struct {
	text string // comments are blanked out
	at   int    // of its first byte in the argument
}

// split separates arg at its top-level commas, from byte from on. gap is the place where an expression is missing, or -1.
func split(arg string, from int) (parts []part, gap int) {
	text := []byte(arg[from:])
	var s scanner.Scanner
	file := token.NewFileSet().AddFile("", -1, len(text))
	s.Init(file, text, func(token.Position, string) {}, scanner.ScanComments) // the parser says what is wrong
	clean := bytes.Clone(text)
	depth, start := 0, 0
	gap = -1
	cut := func(end, comma int) {
		blank := len(clean[start:end]) - len(bytes.TrimLeft(clean[start:end], " \t"))
		expression := strings.TrimRight(string(clean[start+blank:end]), " \t")
		if expression == "" && gap < 0 {
			gap = from + comma
		}
		parts = append(parts, part{expression, from + start + blank})
		start = end + 1
	}
	last := 0
	for {
		pos, tok, lit := s.Scan()
		at := file.Offset(pos)
		switch tok {
		case token.EOF:
			cut(len(clean), last)
			return parts, gap
		case token.COMMENT:
			end := min(at+len(lit), len(clean))
			copy(clean[at:end], bytes.Repeat([]byte{' '}, end-at))
		case token.LPAREN, token.LBRACK, token.LBRACE:
			depth++
		case token.RPAREN, token.RBRACK, token.RBRACE:
			depth--
		case token.COMMA:
			if depth <= 0 {
				last = at
				cut(at, at)
			}
		}
	}
}

// read reads the expressions from byte from of the argument on. It returns nil when one of them is wrong, which is reported.
func (e *environment) read(from int) []*expr {
	parts, gap := split(e.note.Arg, from)
	if gap >= 0 {
		e.fail(e.note.at(gap), codeSyntax, "an expression is missing beside the comma; write it, or delete the comma")
		return nil
	}
	list := make([]*expr, 0, len(parts))
	for _, p := range parts {
		if x := e.expression(p); x != nil {
			x.Written = p.text
			list = append(list, x)
		}
	}
	if len(list) < len(parts) {
		return nil
	}
	return list
}

// expression reads one.
func (e *environment) expression(p part) *expr {
	x := e.parse(p)
	if x == nil {
		return nil
	}
	checked := e.check(p, x)
	if checked == nil {
		return nil
	}
	if longer := checked.spelledOut(); longer != p.text {
		return e.expression(part{longer, p.at})
	}
	return checked.describe()
}

// parse is the syntax of p; nil: it has none, which is reported.
func (e *environment) parse(p part) ast.Expr {
	x, err := parser.ParseExprFrom(e.r.fset, "", p.text, 0)
	if err == nil {
		return x
	}
	if list, ok := err.(scanner.ErrorList); ok && len(list) > 0 {
		at := e.note.at(p.at + min(list[0].Pos.Offset, len(p.text)))
		e.fail(at, codeSyntax, "%s", syntaxText(list[0].Msg))
	}
	return nil
}

// check finds out what x, which is p, means; nil: nothing, or what the output can't refer to, which is reported.
func (e *environment) check(p part, x ast.Expr) *checkedExpr {
	file := e.r.fset.File(x.Pos())
	at := func(n ast.Node) token.Position { return e.note.at(p.at + file.Offset(n.Pos())) }
	in, scope := e.open(file)
	if !e.resolve(x, scope, at) {
		return nil
	}
	info := &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{},
	}
	if err := types.CheckExpr(e.r.fset, in, token.Pos(file.Base()), x, info); err != nil {
		place, text := e.note.at(p.at), err.Error()
		if terr, ok := err.(types.Error); ok {
			text = terr.Msg
			if e.r.fset.File(terr.Pos) == file {
				place = e.note.at(p.at + file.Offset(terr.Pos))
			}
		}
		e.fail(place, codeExpression, "%s; mend the expression", firstLine(text))
		return nil
	}
	checked := &checkedExpr{environment: e, part: p, x: x, info: info, file: file}
	if !checked.reachable(at) {
		return nil
	}
	return checked
}

// syntaxText rewords what the parser says of the end of a file.
func syntaxText(msg string) string {
	if found, ok := strings.CutPrefix(msg, "expected 'EOF', found "); ok {
		return "unexpected " + found + " after the expression; separate several by commas"
	}
	return strings.Replace(msg, "found 'EOF'", "found the end of the line", 1) + "; mend the expression"
}
