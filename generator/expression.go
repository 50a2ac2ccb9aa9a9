package generator

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// This file describes an expression that type-checks: what its identifiers mean, which pointers it goes through, and how its
// value becomes a key.

// checkedExpr is an expression and what the type checker found.
type checkedExpr struct {
	*environment
	part part
	x    ast.Expr
	info *types.Info
	file *token.File
}

func (c *checkedExpr) span(n ast.Node) span {
	return span{c.file.Offset(n.Pos()), c.file.Offset(n.End())}
}

// describe is the model of the expression; nil when it has no value, which is reported.
func (c *checkedExpr) describe() *expr {
	at := c.note.at(c.part.at)
	tv := c.info.Types[c.x]
	switch _, several := tv.Type.(*types.Tuple); {
	case tv.IsVoid():
		c.fail(at, codeExpression, "`%s` has no value; use an expression that has one", c.part.text)
	case tv.IsType():
		c.fail(at, codeExpression, "`%s` is a type; use a value", c.part.text)
	case tv.IsNil():
		c.fail(at, codeExpression, "nil has no type; use a value that has one")
	case several:
		c.fail(at, codeExpression, "`%s` has several values; use an expression with one", c.part.text)
	case tv.IsBuiltin():
		c.fail(at, codeExpression, "`%s` is not a value; use one", c.part.text)
	case tv.Type == nil || incomplete(tv.Type, false):
		c.fail(at, codeBrokenType, "the type of `%s` does not compile; mend it first", c.part.text)
	case !tv.IsValue():
		c.fail(at, codeExpression, "`%s` is not a value; use one", c.part.text)
	case overflows(tv):
		c.fail(at, codeExpression, "the constant `%s` does not fit into an int; use a smaller one", c.part.text)
	default:
		return &expr{
			Text: c.part.text, Pos: at, Type: types.Default(tv.Type), Constant: tv.Value != nil,
			Refs: c.refs(), NilChecks: c.nilChecks(), Secret: c.secretRead(),
		}
	}
	return nil
}

// overflows tells whether a constant has no type and is too large for the one it would get.
func overflows(tv types.TypeAndValue) bool {
	b, ok := tv.Type.(*types.Basic)
	if !ok || tv.Value == nil || b.Kind() != types.UntypedInt {
		return false
	}
	_, exact := constant.Int64Val(tv.Value)
	return !exact
}

// refs are the identifiers that may have another name where the expression is written again.
func (c *checkedExpr) refs() (refs []ref) {
	c.idents(func(id *ast.Ident, o types.Object) {
		r := ref{span: c.span(id), Param: -1}
		index, isParam := c.params[o]
		t, isBound := c.bound[o]
		name, isImport := o.(*types.PkgName)
		switch {
		case isParam:
			r.Param = index
		case isBound:
			r.Type = t
			if p, ok := types.Unalias(t).(*types.TypeParam); ok {
				r.Object, r.Type = p.Obj(), nil
			}
		case isImport:
			r.Import = name.Imported()
		case o.Pkg() != nil && o.Parent() == o.Pkg().Scope():
			r.Object = o
		default:
			return // predeclared, a field, or the expression's own
		}
		refs = append(refs, r)
	})
	return refs
}

// idents calls f for each identifier that is not selected from something, in order.
func (c *checkedExpr) idents(f func(*ast.Ident, types.Object)) {
	selected := map[*ast.Ident]bool{}
	ast.Inspect(c.x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			selected[n.Sel] = true
		case *ast.Ident:
			if o := c.info.Uses[n]; o != nil && !selected[n] {
				f(n, o)
			}
		}
		return true
	})
}

// reachable reports what the output's package can't refer to.
func (c *checkedExpr) reachable(at func(ast.Node) token.Position) bool {
	ok := true
	refuse := func(n ast.Node, format string, args ...any) {
		c.fail(at(n), codeOutOfReach, format, args...)
		ok = false
	}
	ast.Inspect(c.x, func(n ast.Node) bool {
		id, isIdent := n.(*ast.Ident)
		if !isIdent {
			return true
		}
		o := c.info.Uses[id]
		if name, isImport := o.(*types.PkgName); isImport && !importable(name.Imported().Path(), c.home) {
			refuse(id, "`%s` is internal, and the wrapper is in package %s", name.Imported().Path(), c.home)
		}
		if o == nil || o.Pkg() == nil || o.Pkg().Path() == c.home || o.Exported() {
			return true
		}
		_, isParam := c.params[o]
		_, isBound := c.bound[o]
		if member := o.Parent() == nil; member || o.Parent() == o.Pkg().Scope() && !isParam && !isBound {
			refuse(id, "`%s` is not exported, and the wrapper is in another package; export it", id.Name)
		}
		return true
	})
	return ok
}

// spelledOut is the text with the embedded pointers and interfaces in it that promoted fields and methods are reached through, so that
// they can be compared with nil.
func (c *checkedExpr) spelledOut() string {
	var inserts []span // Start: where; End: index of the names
	var names []string
	ast.Inspect(c.x, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		s := c.info.Selections[sel]
		if s == nil || s.Kind() == types.MethodExpr {
			return true
		}
		if path := c.hiddenPath(s); path != "" {
			inserts = append(inserts, span{c.file.Offset(sel.Sel.Pos()), len(names)})
			names = append(names, path)
		}
		return true
	})
	slices.SortFunc(inserts, func(a, b span) int { return b.Start - a.Start })
	text := c.part.text
	for _, in := range inserts {
		text = text[:in.Start] + names[in.End] + text[in.Start:]
	}
	return text
}

// hiddenPath is the path of embedded fields of a selection, when one of them may be nil.
func (c *checkedExpr) hiddenPath(s *types.Selection) string {
	var path strings.Builder
	mayBeNil := false
	t := s.Recv()
	for _, i := range s.Index()[:len(s.Index())-1] {
		if p, ok := t.Underlying().(*types.Pointer); ok {
			t = p.Elem()
		}
		structure, ok := t.Underlying().(*types.Struct)
		if !ok {
			return ""
		}
		f := structure.Field(i)
		if !f.Exported() && f.Pkg().Path() != c.home {
			return ""
		}
		path.WriteString(f.Name() + ".")
		t = f.Type()
		mayBeNil = mayBeNil || nilable(t)
	}
	if !mayBeNil {
		return ""
	}
	return path.String()
}

// nilable tells whether selecting from a t panics when it is nil.
func nilable(t types.Type) bool {
	if _, generic := types.Unalias(t).(*types.TypeParam); generic {
		return false
	}
	switch t.Underlying().(type) {
	case *types.Pointer, *types.Interface:
		return true
	default:
		return false
	}
}
