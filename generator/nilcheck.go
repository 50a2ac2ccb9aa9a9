package generator

import (
	"go/ast"
	"go/token"
	"go/types"
)

// This file finds the pointers that an expression goes through. A nil one means that there is no key; it must not be a panic.

// nilChecks are the parts of the expression that must not be nil, each before what is reached through it.
func (c *checkedExpr) nilChecks() []span {
	w := nilWalk{c: c, seen: map[string]bool{}}
	w.walk(c.x)
	return w.checks
}

type nilWalk struct {
	c      *checkedExpr
	checks []span
	seen   map[string]bool
}

// through notes that x is dereferenced.
func (w *nilWalk) through(x ast.Expr) {
	t := w.c.info.TypeOf(x)
	if t == nil || !nilable(t) {
		return
	}
	switch u := ast.Unparen(x).(type) {
	case *ast.UnaryExpr, *ast.CompositeLit:
		return // the address of something
	case *ast.CallExpr:
		if w.c.info.Types[u.Fun].IsBuiltin() {
			return // new gives one, too
		}
	case *ast.Ident:
		if w.c.info.Uses[u] == nil {
			return
		}
	}
	s := w.c.span(x)
	if text := w.c.part.text[s.Start:s.End]; !w.seen[text] {
		w.seen[text] = true
		w.checks = append(w.checks, s)
	}
}

// walk goes through x in the order of evaluation, and leaves out what is not always evaluated.
func (w *nilWalk) walk(x ast.Expr) {
	switch x := x.(type) {
	case *ast.ParenExpr:
		w.walk(x.X)
	case *ast.StarExpr:
		w.walk(x.X)
		w.through(x.X)
	case *ast.SelectorExpr:
		if s := w.c.info.Selections[x]; s != nil && s.Kind() != types.MethodExpr {
			w.walk(x.X)
			w.through(x.X)
		}
	case *ast.IndexExpr:
		w.walk(x.X)
		w.walk(x.Index)
		w.array(x.X)
	case *ast.SliceExpr:
		w.walk(x.X)
		for _, i := range []ast.Expr{x.Low, x.High, x.Max} {
			w.walk(i)
		}
		w.array(x.X)
	case *ast.CallExpr:
		if !w.c.info.Types[x.Fun].IsType() {
			w.walk(x.Fun)
		}
		for _, a := range x.Args {
			w.walk(a)
		}
	case *ast.TypeAssertExpr:
		w.walk(x.X)
	case *ast.UnaryExpr:
		w.walk(x.X)
	case *ast.BinaryExpr:
		w.walk(x.X)
		if x.Op != token.LAND && x.Op != token.LOR {
			w.walk(x.Y)
		}
	case *ast.CompositeLit:
		_, isStruct := types.Unalias(w.c.info.TypeOf(x)).Underlying().(*types.Struct)
		for _, e := range x.Elts {
			pair, ok := e.(*ast.KeyValueExpr)
			if ok && !isStruct {
				w.walk(pair.Key)
			}
			if ok {
				e = pair.Value
			}
			w.walk(e)
		}
	}
}

// array notes an index of a pointer to an array.
func (w *nilWalk) array(x ast.Expr) {
	if t := w.c.info.TypeOf(x); t != nil {
		if _, ok := t.Underlying().(*types.Pointer); ok {
			w.through(x)
		}
	}
}
