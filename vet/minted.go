package vet

import (
	"go/ast"
	"go/types"
	"slices"
)

// This file is about keys that are made anew for every attempt (IDEM091): to the wrapper each attempt is a request of its own, and runs.

// minted reports a key that is made inside of what repeats the call: a function that is retried; a loop in which nothing else about the
// request changes, so that its rounds are attempts; or, when it is made in the call's own arguments, so that nobody can ever ask again
// with it, any loop.
func (s *site) minted(r *reporter, u *use) {
	for _, a := range s.attempts(u) {
		for _, k := range s.keysOf(u) {
			m := &minter{site: s, attempt: a, seen: map[types.Object]bool{}}
			call, direct := m.find(k.expr, k.path, true)
			if call == nil {
				continue
			}
			if a.loop != nil && !direct && s.varies(u, a, k) {
				continue
			}
			iface, _ := s.names(u.wrapper)
			what, where := "the key of "+iface+"."+u.method.ID+" is made by "+s.text(call.Fun), " inside the loop"
			if a.loop == nil {
				where = " inside the function that is retried"
			}
			r.report(u.cur, call.Pos(), call.End(), codeMinted, what+where+", so every attempt has a new key and runs again; make the key once, before it")
			return
		}
	}
}

// madeOf is an expression that holds a part of the key at the end of path: argument param, or -1 where it is in the context.
type madeOf struct {
	expr  ast.Expr
	path  []string
	param int
}

// keysOf are the expressions a call's key comes from.
func (s *site) keysOf(u *use) []madeOf {
	var found []madeOf
	for _, k := range u.method.Keys {
		if a := u.arg(s, k.Param); a != nil {
			found = append(found, madeOf{a, k.Path, k.Param})
		}
	}
	if ctx := u.arg(s, u.method.Context); u.method.FromCtx && ctx != nil {
		for _, o := range s.origins(ctx, s.setsKey) {
			if o.known {
				found = append(found, madeOf{expr: o.expr.(*ast.CallExpr).Args[1], param: -1})
			}
		}
	}
	return found
}

func (s *site) setsKey(e ast.Expr) bool {
	call, ok := e.(*ast.CallExpr)
	return ok && isFunc(callee(s.info, call), runtimePath, "WithKey") && len(call.Args) == 2
}

// minter looks for what makes a value new in every attempt.
type minter struct {
	*site
	attempt attempt
	seen    map[types.Object]bool
}

// find is the call that makes the value at the end of path in e new. direct: e itself holds it, with no variable between them.
func (m *minter) find(e ast.Expr, path []string, direct bool) (*ast.CallExpr, bool) {
	switch e := ast.Unparen(e).(type) {
	case *ast.UnaryExpr:
		return m.find(e.X, path, direct)
	case *ast.StarExpr:
		return m.find(e.X, path, direct)
	case *ast.SliceExpr:
		return m.find(e.X, path, direct)
	case *ast.IndexExpr:
		if len(path) == 0 {
			return m.find(e.X, nil, direct)
		}
	case *ast.BinaryExpr:
		if call, d := m.find(e.X, path, direct); call != nil {
			return call, d
		}
		return m.find(e.Y, path, direct)
	case *ast.CompositeLit:
		return m.literal(e, path, direct)
	case *ast.SelectorExpr:
		if v, ok := m.info.ObjectOf(e.Sel).(*types.Var); ok && v.IsField() {
			return m.find(e.X, append([]string{e.Sel.Name}, path...), direct)
		}
	case *ast.Ident:
		return m.variable(declared(m.info.ObjectOf(e)), path), false
	case *ast.CallExpr:
		return m.call(e, path, direct)
	}
	return nil, false
}

func (m *minter) literal(e *ast.CompositeLit, path []string, direct bool) (*ast.CallExpr, bool) {
	t := structure(m.info.TypeOf(e))
	for i, x := range e.Elts {
		kv, ok := x.(*ast.KeyValueExpr)
		switch {
		case t == nil && len(path) == 0: // an array, or a slice
			if ok {
				x = kv.Value
			}
			if call, d := m.find(x, nil, direct); call != nil {
				return call, d
			}
		case t == nil || len(path) == 0:
		case ok:
			if name, isName := kv.Key.(*ast.Ident); isName && name.Name == path[0] {
				return m.find(kv.Value, path[1:], direct)
			}
		case i < t.NumFields() && t.Field(i).Name() == path[0]:
			return m.find(x, path[1:], direct)
		}
	}
	return nil, false
}

func (m *minter) call(e *ast.CallExpr, path []string, direct bool) (*ast.CallExpr, bool) {
	f := callee(m.info, e)
	if len(path) == 0 && isMint(f) {
		if within(e.Pos(), m.attempt.body) {
			return e, direct
		}
		return nil, false
	}
	if f != nil && m.bodies[f.Origin()] != nil {
		return m.function(e, f.Origin(), path), direct
	}
	if !keeps(m.info, e) {
		return nil, false
	}
	for _, a := range e.Args {
		if call, d := m.find(a, path, direct); call != nil {
			return call, d
		}
	}
	if sel, ok := ast.Unparen(e.Fun).(*ast.SelectorExpr); ok && m.info.Selections[sel] != nil {
		return m.find(sel.X, path, direct)
	}
	return nil, false
}

// function looks at what a function of the package returns. The call of it is what is reported: there the value is made for the attempt.
func (m *minter) function(e *ast.CallExpr, f *types.Func, path []string) *ast.CallExpr {
	if m.seen[f] || !within(e.Pos(), m.attempt.body) {
		return nil
	}
	m.seen[f] = true
	inner := &minter{site: m.site, attempt: attempt{body: m.bodies[f].Body}, seen: m.seen}
	made := false
	for _, r := range returns(m.bodies[f].Body) {
		if len(r.Results) == 0 {
			return nil
		}
		if zero(m.info, r.Results[0]) {
			continue
		}
		if call, _ := inner.find(r.Results[0], path, false); call == nil {
			return nil // it returns something else as well, such as what it has kept
		}
		made = true
	}
	if !made {
		return nil
	}
	return e
}

// variable looks at what a variable is given in every attempt.
func (m *minter) variable(v types.Object, path []string) *ast.CallExpr {
	if v == nil || m.seen[v] {
		return nil
	}
	m.seen[v] = true
	for _, s := range m.vars[v] {
		if s.index == 0 && m.everyTime(s.at) {
			if call, _ := m.find(s.expr, path, false); call != nil {
				return call
			}
		}
	}
	for _, p := range m.parts[v] {
		if len(path) < len(p.path) || !slices.Equal(p.path, path[:len(p.path)]) || !m.everyTime(p.at) {
			continue
		}
		if call, _ := m.find(p.expr, path[len(p.path):], false); call != nil {
			return call
		}
	}
	for _, call := range m.fills[v] {
		if fills(callee(m.info, call)) && within(call.Pos(), m.attempt.body) {
			return call
		}
	}
	return nil
}

// everyTime reports whether a statement runs in every attempt.
func (m *minter) everyTime(at ast.Node) bool {
	return within(at.Pos(), m.attempt.body) && m.always(at, m.attempt.body)
}

// zero reports whether e is nil, "" or another constant.
func zero(info *types.Info, e ast.Expr) bool {
	t := info.Types[e]
	lit, ok := ast.Unparen(e).(*ast.CompositeLit)
	return t.IsNil() || t.Value != nil || ok && len(lit.Elts) == 0
}
