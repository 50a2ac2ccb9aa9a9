package vet

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// This file tells which types are implementations of a wrapped interface with no wrapper in them.

// implemented is the wrapper that exists for what t implements, nil where t is no implementation, or may itself lead to a wrapper.
func (s *site) implemented(t types.Type) *wrapper {
	t = types.Unalias(t)
	if w, ok := s.impls[t]; ok {
		return w
	}
	w := s.implementation(t)
	s.impls[t] = w
	return w
}

func (s *site) implementation(t types.Type) *wrapper {
	n := named(t)
	if n == nil || isInterface(t) || s.byType(t) != nil {
		return nil
	}
	for _, w := range s.Wrappers {
		if !has(n, w) {
			continue
		}
		if s.meant(n, w) && !s.forwards(n, w) {
			return w
		}
	}
	return nil
}

// meant reports whether n has w's methods for their interface, and not by chance: nothing has them by chance, it stands beside the interface, or
// somebody uses it as one.
func (s *site) meant(n *types.Named, w *wrapper) bool {
	name := qualified(n.Obj())
	beside := w.Interface != "" && name[:strings.LastIndexByte(name, '.')] == w.Interface[:strings.LastIndexByte(w.Interface, '.')]
	return w.Deliberate || beside || slices.Contains(s.Implementers, name)
}

// has reports whether a value or a pointer of n has all methods of w.
func has(n *types.Named, w *wrapper) bool {
	args := typeArgs{}
	for _, m := range w.Methods {
		name := m.ID[strings.LastIndexByte(m.ID, '.')+1:]
		var pkg *types.Package
		if name != m.ID {
			pkg = n.Obj().Pkg()
		}
		o, _, _ := types.LookupFieldOrMethod(types.NewPointer(n), false, pkg, name)
		fn, ok := o.(*types.Func)
		if !ok || methodID(fn) != m.ID || !args.matches(m.Text, signatureText(fn.Signature(), nil)) {
			return false
		}
	}
	return len(w.Methods) > 0
}

// deepest is how many types are looked into for something that a call may go on to.
const deepest = 6

// forwards reports whether n holds something that a keyed method of w may be passed on to: a decorator can stand in front of the wrapper as
// well as behind it.
func (s *site) forwards(n types.Type, w *wrapper) bool {
	seen := map[types.Type]bool{}
	var look func(t types.Type, depth int) bool
	look = func(t types.Type, depth int) bool {
		t = types.Unalias(t)
		if seen[t] || depth > deepest {
			return false
		}
		seen[t] = true
		if s.byType(t) != nil || isInterface(t) && leads(t, w) {
			return true
		}
		for _, part := range partsOf(t) {
			if look(part, depth+1) {
				return true
			}
		}
		sig, ok := t.Underlying().(*types.Signature)
		return ok && leadsFunc(sig, w)
	}
	return look(n, 0)
}

// partsOf are the types of what a value of type t holds, and the type arguments it was made with: nobody knows what is made of those.
func partsOf(t types.Type) (parts []types.Type) {
	if n, ok := t.(*types.Named); ok {
		for a := range n.TypeArgs().Types() {
			parts = append(parts, a)
		}
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for f := range u.Fields() {
			parts = append(parts, f.Type())
		}
	case *types.Map:
		parts = append(parts, u.Key(), u.Elem())
	case interface{ Elem() types.Type }:
		parts = append(parts, u.Elem())
	}
	return parts
}

// leads reports whether the interface has one of w's keyed methods.
func leads(t types.Type, w *wrapper) bool {
	set := types.NewMethodSet(t)
	for i := range set.Len() {
		fn := set.At(i).Obj().(*types.Func)
		if m := w.keyed(methodID(fn)); m != nil && (typeArgs{}).matches(m.Text, signatureText(fn.Signature(), nil)) {
			return true
		}
	}
	return false
}

// leadsFunc reports whether the function could be one of w's keyed methods, or give something that has it.
func leadsFunc(sig *types.Signature, w *wrapper) bool {
	text := signatureText(sig, nil)
	for _, m := range w.Methods {
		if m.Keyed && (typeArgs{}).matches(m.Text, text) {
			return true
		}
	}
	for r := range sig.Results().Variables() {
		if isInterface(r.Type()) && leads(r.Type(), w) {
			return true
		}
	}
	return false
}

// use notes which types this package uses as a wrapped interface.
func (k *known) use(pass *analysis.Pass) {
	note := func(to types.Type, value ast.Expr) {
		if to == nil || k.byInterface(to) == nil {
			return
		}
		if n := named(pass.TypesInfo.TypeOf(value)); n != nil && !isInterface(n) && k.byType(n) == nil {
			if name := qualified(n.Obj()); !slices.Contains(k.Implementers, name) {
				k.Implementers = append(k.Implementers, name)
			}
		}
	}
	for _, f := range pass.Files {
		ast.Inspect(f, func(n ast.Node) bool {
			conversions(pass.TypesInfo, n, note)
			return true
		})
	}
	slices.Sort(k.Implementers)
}

// conversions calls note for the values that n gives to something with a type of its own.
func conversions(info *types.Info, n ast.Node, note func(to types.Type, value ast.Expr)) {
	switch n := n.(type) {
	case *ast.AssignStmt:
		if len(n.Lhs) == len(n.Rhs) {
			for i, l := range n.Lhs {
				note(info.TypeOf(l), n.Rhs[i])
			}
		}
	case *ast.ValueSpec:
		if n.Type != nil {
			for _, v := range n.Values {
				note(info.TypeOf(n.Type), v)
			}
		}
	case *ast.CallExpr:
		given(info, n, note)
	case *ast.CompositeLit:
		elements(info, n, note)
	case *ast.FuncDecl:
		if n.Body != nil {
			returned(info, n.Type, n.Body, note)
		}
	case *ast.FuncLit:
		returned(info, n.Type, n.Body, note)
	}
}

// given is about arguments.
func given(info *types.Info, call *ast.CallExpr, note func(types.Type, ast.Expr)) {
	t := info.Types[call.Fun]
	if t.IsType() {
		note(t.Type, call.Args[0])
		return
	}
	sig, ok := types.Unalias(info.TypeOf(call.Fun)).(*types.Signature)
	if !ok {
		return
	}
	for i, a := range call.Args {
		switch last := sig.Params().Len() - 1; {
		case sig.Variadic() && i >= last && !call.Ellipsis.IsValid():
			if s, ok := sig.Params().At(last).Type().(*types.Slice); ok {
				note(s.Elem(), a)
			}
		case i <= last:
			note(sig.Params().At(i).Type(), a)
		}
	}
}

// elements is about literals.
func elements(info *types.Info, lit *ast.CompositeLit, note func(types.Type, ast.Expr)) {
	t := info.TypeOf(lit)
	if t == nil {
		return
	}
	if s := structure(t); s != nil {
		for i, e := range lit.Elts {
			if kv, ok := e.(*ast.KeyValueExpr); ok {
				if key, ok := kv.Key.(*ast.Ident); ok {
					note(info.TypeOf(key), kv.Value)
				}
			} else if i < s.NumFields() {
				note(s.Field(i).Type(), e)
			}
		}
		return
	}
	if of, ok := t.Underlying().(interface{ Elem() types.Type }); ok {
		for _, e := range lit.Elts {
			if kv, ok := e.(*ast.KeyValueExpr); ok {
				e = kv.Value
			}
			note(of.Elem(), e)
		}
	}
}

// returned is about results.
func returned(info *types.Info, t *ast.FuncType, body *ast.BlockStmt, note func(types.Type, ast.Expr)) {
	if t.Results == nil {
		return
	}
	var results []types.Type
	for _, f := range t.Results.List {
		for range max(len(f.Names), 1) {
			results = append(results, info.TypeOf(f.Type))
		}
	}
	for _, r := range returns(body) {
		if len(r.Results) == len(results) {
			for i, e := range r.Results {
				note(results[i], e)
			}
		}
	}
}
