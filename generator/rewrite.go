package generator

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strings"

	"github.com/dave/jennifer/jen"
)

// This file writes the expressions of annotations again: the same text, with each identifier that means something else in
// the wrapper's method under the name it has there.

// expr is e as code; params are the names of the method's parameters in the output.
func (w *writer) expr(e *expr, params []string) jen.Code {
	return w.piece(e, span{0, len(e.Text)}, params)
}

// guards are the pointers of e that must not be nil, without those of earlier expressions.
func (w *writer) guards(exprs []*expr, params []string) []jen.Code {
	var code []jen.Code
	seen := map[string]bool{}
	for _, e := range exprs {
		for _, s := range e.NilChecks {
			text := e.Text[s.Start:s.End]
			if seen[text] {
				continue
			}
			seen[text] = true
			w.object(types.Universe.Lookup("nil"))
			piece := w.piece(e, s, params)
			if strings.Contains(text, "{") {
				piece = jen.Parens(piece) // in the head of an if, a brace would open the block
			}
			code = append(code, piece)
		}
	}
	return code
}

// piece is a part of e: the text between the references as it is, and the references by their names here.
func (w *writer) piece(e *expr, part span, params []string) jen.Code {
	selectors := selectorsOf(e)
	code := new(jen.Statement)
	at := part.Start
	text := func(to int) {
		if to > at {
			code.Op(e.Text[at:to])
		}
	}
	for _, r := range e.Refs {
		if r.Start < part.Start || r.End > part.End {
			continue
		}
		text(r.Start)
		at = r.End
		switch {
		case r.Param >= 0:
			code.Id(params[r.Param])
		case r.Import != nil:
			sel := selectors[r.Start]
			code.Add(w.imported(r, e.Text[sel.Start:sel.End]))
			at = sel.End
		default:
			code.Add(w.referred(r))
		}
	}
	text(part.End)
	for name := range freeNames(e) {
		w.named.plain[name] = true
	}
	return code
}

func (w *writer) imported(r ref, name string) jen.Code {
	if o := r.Import.Scope().Lookup(name); o != nil {
		return w.object(o)
	}
	return w.fail("package %s has no %s", r.Import.Path(), name)
}

func (w *writer) referred(r ref) jen.Code {
	switch r.Type.(type) {
	case nil:
	case *types.Named, *types.Alias, *types.Basic, *types.TypeParam:
		return w.typ(r.Type)
	default:
		return jen.Parens(w.typ(r.Type)) // (*T)(x) is a conversion, *T(x) is not
	}
	if t, ok := r.Object.Type().(*types.TypeParam); ok && t.Obj() == r.Object {
		return w.typeParam(t)
	}
	return w.object(r.Object)
}

// selectorsOf finds, by the offset of an import's name, the span of the name that is selected from it.
func selectorsOf(e *expr) map[int]span {
	found := map[int]span{}
	inspect(e, func(n ast.Node) {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			found[int(sel.X.Pos())-1] = span{int(sel.Sel.Pos()) - 1, int(sel.Sel.End()) - 1}
		}
	})
	return found
}

// freeNames are the identifiers that are copied and could be hidden by a name of ours: predeclared ones, and what function
// literals declare. Fields and methods can't.
func freeNames(e *expr) map[string]bool {
	skip := map[int]bool{}
	for _, r := range e.Refs {
		skip[r.Start] = true
	}
	names := map[string]bool{}
	inspect(e, func(n ast.Node) {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			skip[int(n.Sel.Pos())-1] = true
		case *ast.Ident:
			if !skip[int(n.Pos())-1] {
				names[n.Name] = true
			}
		}
	})
	return names
}

// inspect walks e's syntax from the outside in; positions are offsets into its text, plus one.
func inspect(e *expr, f func(ast.Node)) {
	root, err := parser.ParseExprFrom(token.NewFileSet(), "", e.Text, 0)
	if err != nil {
		return // read has refused it
	}
	ast.Inspect(root, func(n ast.Node) bool {
		f(n)
		return true
	})
}
