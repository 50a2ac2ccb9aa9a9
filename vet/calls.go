package vet

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"
)

// This file finds the calls of keyed methods, and tells what they go through: a wrapper, an interface that may hold one, or an
// implementation that is known to have none in front of it.

// through is what a keyed method is called on.
type through uint8

const (
	throughWrapper   through = iota + 1
	throughInterface         // the wrapped interface; what it holds is not known
	throughRaw               // an implementation
)

// use is one mention of a keyed method.
type use struct {
	sel     *ast.SelectorExpr
	cur     inspector.Cursor
	wrapper *wrapper
	method  *method
	through through
	raw     types.Type    // the implementation
	call    *ast.CallExpr // nil: the method is only taken as a value
	args    []ast.Expr
}

// site is a package with all that is known of it.
type site struct {
	*known
	*flow
	keyed map[string]bool // names of keyed methods
	impls map[types.Type]*wrapper
}

func newSite(k *known, f *flow) *site {
	s := &site{known: k, flow: f, keyed: map[string]bool{}, impls: map[types.Type]*wrapper{}}
	for _, w := range k.Wrappers {
		for _, m := range w.Methods {
			if m.Keyed {
				s.keyed[m.ID] = true
			}
		}
	}
	return s
}

// mentions are all uses of keyed methods, in files that people wrote and that are no tests.
func (s *site) mentions(skip func(*ast.File) bool) []*use {
	var found []*use
	for file := range s.root.Children() {
		if skip(file.Node().(*ast.File)) {
			continue
		}
		for c := range file.Preorder((*ast.SelectorExpr)(nil)) {
			if u := s.use(c.Node().(*ast.SelectorExpr)); u != nil {
				u.cur = c
				u.called()
				found = append(found, u)
			}
		}
		for c := range file.Preorder((*ast.CallExpr)(nil)) {
			if u := s.viaValue(c); u != nil {
				found = append(found, u)
			}
		}
	}
	return found
}

// use looks at one selector.
func (s *site) use(sel *ast.SelectorExpr) *use {
	fn, ok := s.info.Uses[sel.Sel].(*types.Func)
	if !ok || fn.Signature().Recv() == nil || !s.keyed[methodID(fn)] {
		return nil
	}
	selection := s.info.Selections[sel]
	if selection == nil {
		return nil
	}
	u := &use{sel: sel}
	holder := holderOf(selection)
	switch {
	case s.byType(holder) != nil:
		u.wrapper, u.through = s.byType(holder), throughWrapper
	case isInterface(holder):
		s.behind(u, selection, holder, methodID(fn))
	default:
		u.raw, u.through = holder, throughRaw
		if u.wrapper = s.implemented(holder); u.wrapper == nil && holder != selection.Recv() {
			u.raw, u.wrapper = selection.Recv(), s.implemented(selection.Recv())
		}
	}
	if u.wrapper == nil {
		return nil
	}
	if u.method = u.wrapper.keyed(methodID(fn)); u.method == nil {
		return nil
	}
	return u
}

// behind decides about a call on an interface: by what it is known to hold, else by which interface it is.
func (s *site) behind(u *use, selection *types.Selection, holder types.Type, id string) {
	u.wrapper, u.through = s.byInterface(holder), throughInterface
	if p, ok := types.Unalias(holder).(*types.TypeParam); ok {
		u.wrapper = s.byInterface(p.Constraint())
	}
	if len(selection.Index()) > 1 || selection.Kind() != types.MethodVal {
		return
	}
	held := through(0)
	for _, o := range s.origins(u.sel.X, s.concrete) {
		if !o.known {
			return
		}
		t := s.info.TypeOf(o.expr)
		is, w := throughRaw, s.implemented(t)
		if x := s.byType(t); x != nil {
			is, w = throughWrapper, x
		}
		if w == nil || w.keyed(id) == nil || held != 0 && held != is {
			return
		}
		held, u.raw = is, t
		u.wrapper = w
	}
	if held != 0 {
		u.through = held
	}
}

// concrete reports whether e's own type says what it holds.
func (s *site) concrete(e ast.Expr) bool {
	t := s.info.TypeOf(e)
	_, several := t.(*types.Tuple)
	return !several && !isInterface(t)
}

// holderOf is the type whose method a selector selects, which for a promoted one is the embedded field's.
func holderOf(selection *types.Selection) types.Type {
	t := selection.Recv()
	for _, i := range selection.Index()[:len(selection.Index())-1] {
		s := structure(t)
		if s == nil {
			return t
		}
		t = s.Field(i).Type()
	}
	return t
}

func isInterface(t types.Type) bool {
	return t != nil && types.IsInterface(t)
}

// called fills in the call that the selector is the function of.
func (u *use) called() {
	c := u.cur
	for c.ParentEdgeKind() == edge.ParenExpr_X {
		c = c.Parent()
	}
	if c.ParentEdgeKind() != edge.CallExpr_Fun {
		return
	}
	u.call = c.Parent().Node().(*ast.CallExpr)
	u.args = u.call.Args
}

// viaValue recognises charge(ctx, req) where charge is a variable that holds a keyed method of a wrapper, and Payments.Charge(p, ctx, req).
func (s *site) viaValue(c inspector.Cursor) *use {
	call := c.Node().(*ast.CallExpr)
	fun := ast.Unparen(call.Fun)
	var u *use
	switch x := fun.(type) {
	case *ast.Ident:
		if _, isVar := s.info.Uses[x].(*types.Var); !isVar {
			return nil
		}
		for _, o := range s.origins(fun, func(e ast.Expr) bool {
			sel, ok := e.(*ast.SelectorExpr)
			return ok && s.info.Selections[sel] != nil && s.info.Selections[sel].Kind() == types.MethodVal
		}) {
			if !o.known {
				return nil
			}
			found := s.use(o.expr.(*ast.SelectorExpr))
			if found == nil || found.through == throughRaw { // a raw one is reported where it is taken
				return nil
			}
			u = found
		}
	}
	if u == nil {
		return nil
	}
	u.cur, u.call, u.args = c, call, call.Args
	return u
}

// arg is argument i of the method, nil where it can't be told.
func (u *use) arg(s *site, i int) ast.Expr {
	args := u.args
	if sel := s.info.Selections[u.sel]; sel != nil && sel.Kind() == types.MethodExpr && len(args) > 0 && u.cur.Node() == ast.Node(u.sel) {
		args = args[1:]
	}
	if u.call == nil || i >= len(args) {
		return nil
	}
	if _, several := s.info.TypeOf(args[i]).(*types.Tuple); several {
		return nil
	}
	return args[i]
}

// pos is where the use is.
func (u *use) pos() token.Pos {
	if u.cur.Node() != ast.Node(u.sel) {
		return u.cur.Node().Pos()
	}
	return u.sel.Sel.Pos()
}
