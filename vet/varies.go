package vet

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// This file tells loops whose rounds are attempts at one thing from those whose rounds are about different things.

// varies reports whether something about the request, other than that part of its key and its context, differs between the rounds of a loop.
func (s *site) varies(u *use, a attempt, key madeOf) bool {
	v := &variance{site: s, loop: a.loop, seen: map[types.Object]bool{}}
	for i := range u.args {
		arg := u.arg(s, i)
		if arg == nil {
			return true
		}
		if i == u.method.Context {
			continue
		}
		var but []string
		if i == key.param {
			but = append([]string{}, key.path...)
		}
		if v.differs(arg, but) {
			return true
		}
	}
	return false
}

// variance looks for what changes from round to round.
type variance struct {
	*site
	loop ast.Stmt
	seen map[types.Object]bool
}

// differs reports whether e is different in another round, without what lies at the end of the path but; nil: all of it counts.
func (v *variance) differs(e ast.Expr, but []string) bool {
	if but != nil && len(but) == 0 {
		return false
	}
	switch e := ast.Unparen(e).(type) {
	case *ast.BasicLit, *ast.FuncLit:
		return false
	case *ast.Ident:
		return v.variable(e, but)
	case *ast.SelectorExpr:
		if s := v.info.Selections[e]; s == nil {
			return false // of another package
		}
		if but != nil {
			but = append([]string{e.Sel.Name}, but...)
		}
		return v.differs(e.X, but)
	case *ast.StarExpr:
		return v.differs(e.X, but)
	case *ast.UnaryExpr:
		return e.Op == token.ARROW || v.differs(e.X, but)
	case *ast.BinaryExpr:
		return v.differs(e.X, nil) || v.differs(e.Y, nil)
	case *ast.IndexExpr:
		return v.differs(e.X, nil) || v.differs(e.Index, nil)
	case *ast.CompositeLit:
		return v.literal(e, but)
	case *ast.CallExpr:
		return v.call(e)
	}
	return true
}

func (v *variance) literal(e *ast.CompositeLit, but []string) bool {
	t := structure(v.info.TypeOf(e))
	for i, x := range e.Elts {
		field := ""
		if kv, ok := x.(*ast.KeyValueExpr); ok {
			if name, isName := kv.Key.(*ast.Ident); isName && t != nil {
				field = name.Name
			} else if v.differs(kv.Key, nil) {
				return true
			}
			x = kv.Value
		} else if t != nil && i < t.NumFields() {
			field = t.Field(i).Name()
		}
		if v.differs(x, after(but, []string{field})) {
			return true
		}
	}
	return false
}

// after is what is left of the path but behind path, nil where it does not begin with that.
func after(but, path []string) []string {
	if len(but) < len(path) || !slices.Equal(but[:len(path)], path) {
		return nil
	}
	return but[len(path):]
}

// call: conversions and rewriting change nothing about that; what another function returns may be anything.
func (v *variance) call(e *ast.CallExpr) bool {
	if !keeps(v.info, e) {
		return true
	}
	for _, a := range e.Args {
		if v.differs(a, nil) {
			return true
		}
	}
	if sel, ok := ast.Unparen(e.Fun).(*ast.SelectorExpr); ok && v.info.Selections[sel] != nil {
		return v.differs(sel.X, nil)
	}
	return false
}

func (v *variance) variable(id *ast.Ident, but []string) bool {
	o := declared(v.info.ObjectOf(id))
	if _, isVar := o.(*types.Var); !isVar || v.seen[o] {
		return false
	}
	v.seen[o] = true
	if within(o.Pos(), v.loop) && v.open[o] && !v.onlyAddressed(o) {
		return true // a range variable, a counter
	}
	if loop, ok := v.loop.(*ast.ForStmt); ok && loop.Init != nil && within(o.Pos(), loop.Init) {
		return true
	}
	declaredInside := within(o.Pos(), v.loop)
	for _, s := range v.vars[o] {
		if (declaredInside || within(s.at.Pos(), v.loop)) && (s.index > 0 || v.differs(s.expr, but)) {
			return true
		}
	}
	for _, p := range v.parts[o] {
		if within(p.at.Pos(), v.loop) && v.differs(p.expr, after(but, p.path)) {
			return true
		}
	}
	return v.filled(o)
}

// onlyAddressed reports whether a variable has assignments, so that it is open because its address is taken.
func (v *variance) onlyAddressed(o types.Object) bool { return len(v.vars[o]) > 0 }

// filled reports whether the loop hands the variable's address to somebody, who may change it.
func (v *variance) filled(o types.Object) bool {
	if !v.open[o] {
		return false
	}
	for _, id := range v.uses[o] {
		if !within(id.Pos(), v.loop) {
			continue
		}
		c, ok := v.root.FindNode(id)
		if !ok {
			continue
		}
		if unary, ok := c.Parent().Node().(*ast.UnaryExpr); ok && unary.Op == token.AND {
			if call, ok := c.Parent().Parent().Node().(*ast.CallExpr); ok && !v.keyed[calledName(call)] {
				return true
			}
		}
	}
	return false
}
