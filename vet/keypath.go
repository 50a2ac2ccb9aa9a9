package vet

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// This file finds out which argument of a keyed method is its key: the generated call says so, as in Key: idem.StringKey(req.IdempotencyKey).

// keyPath leads to a part of the key: a parameter, and the fields on the way from it.
type keyPath struct {
	Param int
	Path  []string
}

// keyReader reads the key out of the generated call.
type keyReader struct {
	info        *types.Info
	params      []types.Object
	body        *ast.BlockStmt
	seen        []types.Object
	found       []keyPath
	fromContext bool
}

// read looks for the field Key of the literal idem.Call[T]{…}.
func (r *keyReader) read(call ast.Expr) {
	lit, ok := ast.Unparen(call).(*ast.CompositeLit)
	if !ok {
		return
	}
	for _, e := range lit.Elts {
		kv, ok := e.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		if name, ok := kv.Key.(*ast.Ident); ok && name.Name == "Key" {
			r.key(kv.Value)
		}
	}
}

// key follows an expression of type idem.Key to the expressions it is made of.
func (r *keyReader) key(e ast.Expr) {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		r.variable(e, r.key)
	case *ast.CallExpr:
		f := callee(r.info, e)
		switch {
		case isFunc(f, runtimePath, "KeyFromContext"):
			r.fromContext = true
		case isFunc(f, runtimePath, "JoinKeys"):
			for _, part := range e.Args {
				r.key(part)
			}
		case f != nil && path(f.Pkg()) == runtimePath:
			for _, value := range e.Args {
				r.value(value)
			}
		}
	}
}

// variable follows a local variable of the generated method to what it is assigned.
func (r *keyReader) variable(id *ast.Ident, follow func(ast.Expr)) {
	v := r.info.ObjectOf(id)
	if v == nil || slices.Contains(r.seen, v) {
		return
	}
	r.seen = append(r.seen, v)
	ast.Inspect(r.body, func(n ast.Node) bool {
		if a, ok := n.(*ast.AssignStmt); ok && len(a.Lhs) == 1 && len(a.Rhs) == 1 {
			if l, ok := a.Lhs[0].(*ast.Ident); ok && r.info.ObjectOf(l) == v {
				follow(a.Rhs[0])
			}
		}
		return true
	})
}

// value takes the expression of a key annotation apart: those that lead from a parameter along fields are paths; of others, the
// expressions in them are.
func (r *keyReader) value(e ast.Expr) {
	if p, ok := r.path(e); ok {
		if !slices.ContainsFunc(r.found, func(q keyPath) bool { return q.Param == p.Param && slices.Equal(q.Path, p.Path) }) {
			r.found = append(r.found, p)
		}
		return
	}
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		r.variable(e, r.value)
	case *ast.UnaryExpr:
		if e.Op == token.AND {
			r.value(e.X)
		}
	case *ast.BinaryExpr:
		r.value(e.X)
		r.value(e.Y)
	case *ast.CallExpr:
		for _, a := range e.Args {
			r.value(a)
		}
		if sel, ok := ast.Unparen(e.Fun).(*ast.SelectorExpr); ok && !isStruct(r.info.TypeOf(sel.X)) {
			r.value(sel.X) // id.String()
		}
	}
}

// path is the way from a parameter to e. A getter counts as the field it is named for, as in generated messages.
func (r *keyReader) path(e ast.Expr) (keyPath, bool) {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		i := slices.Index(r.params, r.info.ObjectOf(e))
		return keyPath{Param: i}, i >= 0 && r.info.ObjectOf(e) != nil
	case *ast.StarExpr:
		return r.path(e.X)
	case *ast.SelectorExpr:
		p, ok := r.path(e.X)
		if v, isVar := r.info.ObjectOf(e.Sel).(*types.Var); !isVar || !v.IsField() {
			return p, false
		}
		p.Path = append(p.Path, e.Sel.Name)
		return p, ok
	case *ast.CallExpr:
		sel, ok := ast.Unparen(e.Fun).(*ast.SelectorExpr)
		if !ok || len(e.Args) > 0 {
			return keyPath{}, false
		}
		field, ok := strings.CutPrefix(sel.Sel.Name, "Get")
		if !ok || !hasField(r.info.TypeOf(sel.X), field) {
			return keyPath{}, false
		}
		p, ok := r.path(sel.X)
		p.Path = append(p.Path, field)
		return p, ok
	}
	return keyPath{}, false
}

func isStruct(t types.Type) bool { return structure(t) != nil }

// structure is the struct that t is, or points to.
func structure(t types.Type) *types.Struct {
	if t == nil {
		return nil
	}
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	s, _ := t.Underlying().(*types.Struct)
	return s
}

func hasField(t types.Type, name string) bool {
	s := structure(t)
	if s == nil {
		return false
	}
	for f := range s.Fields() {
		if f.Name() == name {
			return true
		}
	}
	return false
}
