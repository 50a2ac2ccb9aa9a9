package vet

import (
	"go/ast"
	"go/types"
)

// This file follows values back to where they come from.

// origin is an expression that a value may come from. One that is not known may be anything.
type origin struct {
	expr  ast.Expr
	known bool
}

// origins follows a value back: through parentheses, conversions, assertions, variables and fields of this package, and what its functions
// return. The walk ends where stop says so.
func (f *flow) origins(e ast.Expr, stop func(ast.Expr) bool) []origin {
	t := tracer{flow: f, stop: stop, seen: map[types.Object]bool{}}
	t.follow(e, 0)
	return t.found
}

type tracer struct {
	*flow
	stop  func(ast.Expr) bool
	seen  map[types.Object]bool
	found []origin
}

func (t *tracer) unknown(e ast.Expr) { t.found = append(t.found, origin{expr: e}) }

func (t *tracer) follow(e ast.Expr, index int) {
	e = ast.Unparen(e)
	if isNil(t.info, e) {
		return
	}
	if t.stop(e) {
		t.found = append(t.found, origin{expr: e, known: true})
		return
	}
	switch e := e.(type) {
	case *ast.Ident:
		t.object(t.info.ObjectOf(e), e)
	case *ast.SelectorExpr:
		t.object(t.info.ObjectOf(e.Sel), e)
	case *ast.TypeAssertExpr:
		if index > 0 || e.Type == nil {
			t.unknown(e)
			return
		}
		t.follow(e.X, 0)
	case *ast.CallExpr:
		t.call(e, index)
	default:
		t.unknown(e)
	}
}

// object follows a variable or a field whose every assignment is in sight.
func (t *tracer) object(o types.Object, e ast.Expr) {
	v, ok := declared(o).(*types.Var)
	if !ok || t.open[v] || v.Pkg() != t.pkg || v.Exported() && (v.IsField() || v.Parent() == t.pkg.Scope()) {
		t.unknown(e)
		return
	}
	if t.seen[v] {
		return
	}
	t.seen[v] = true
	if len(t.vars[v]) == 0 {
		t.unknown(e)
		return
	}
	for _, s := range t.vars[v] {
		t.follow(s.expr, s.index)
	}
}

func (t *tracer) call(e *ast.CallExpr, index int) {
	if tv := t.info.Types[e.Fun]; tv.IsType() && len(e.Args) == 1 {
		t.follow(e.Args[0], 0)
		return
	}
	fn := callee(t.info, e)
	if fn != nil {
		fn = fn.Origin()
	}
	d := t.bodies[fn]
	if fn == nil || d == nil || t.seen[fn] {
		if fn == nil || d == nil {
			t.unknown(e)
		}
		return
	}
	t.seen[fn] = true
	for _, r := range returns(d.Body) {
		switch {
		case index < len(r.Results):
			t.follow(r.Results[index], 0)
		case len(r.Results) == 1:
			t.follow(r.Results[0], index)
		default:
			t.unknown(e) // named results
		}
	}
}

// returns are the return statements of a function's own body.
func returns(body *ast.BlockStmt) []*ast.ReturnStmt {
	var found []*ast.ReturnStmt
	ast.Inspect(body, func(n ast.Node) bool {
		if r, ok := n.(*ast.ReturnStmt); ok {
			found = append(found, r)
		}
		_, isLit := n.(*ast.FuncLit)
		return !isLit
	})
	return found
}
