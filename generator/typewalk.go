package generator

import "go/types"

// This file looks for things inside types.

// contains tells whether f holds of t or of a type that t is written with: elements, fields, parameters, type arguments. With deep
// it also looks into what named types are.
func contains(t types.Type, deep bool, f func(types.Type) bool) bool {
	return (&typeWalk{deep: deep, f: f, seen: map[types.Type]bool{}}).in(t)
}

// incomplete tells whether t is written with a type that does not exist.
func incomplete(t types.Type, deep bool) bool {
	return contains(t, deep, func(t types.Type) bool {
		b, ok := t.(*types.Basic)
		return ok && b.Kind() == types.Invalid
	})
}

// generic tells whether t depends on a type parameter.
func generic(t types.Type) bool {
	return contains(t, false, func(t types.Type) bool {
		_, ok := t.(*types.TypeParam)
		return ok
	})
}

type typeWalk struct {
	deep bool
	f    func(types.Type) bool
	seen map[types.Type]bool
}

func (w *typeWalk) in(t types.Type) bool {
	if t == nil || w.seen[t] {
		return false
	}
	w.seen[t] = true
	if w.f(t) {
		return true
	}
	switch t := t.(type) {
	case *types.Alias:
		return w.inList(t.TypeArgs()) || w.in(t.Rhs())
	case *types.Named:
		// The generic declaration, and not the instance: what an instance is may go on without end (type P[T any] struct{ next *P[P[T]] }).
		return w.inList(t.TypeArgs()) || w.deep && w.in(t.Origin().Underlying())
	case *types.Map:
		return w.in(t.Key()) || w.in(t.Elem())
	case interface{ Elem() types.Type }: // pointers, slices, arrays, channels
		return w.in(t.Elem())
	case *types.Signature:
		return w.in(t.Params()) || w.in(t.Results())
	case *types.Tuple:
		for v := range t.Variables() {
			if w.in(v.Type()) {
				return true
			}
		}
	case *types.Struct:
		for v := range t.Fields() {
			if w.in(v.Type()) {
				return true
			}
		}
	case *types.Interface:
		return w.inInterface(t)
	case *types.Union:
		for i := range t.Len() {
			if w.in(t.Term(i).Type()) {
				return true
			}
		}
	}
	return false
}

func (w *typeWalk) inList(list *types.TypeList) bool {
	for t := range list.Types() {
		if w.in(t) {
			return true
		}
	}
	return false
}

func (w *typeWalk) inInterface(t *types.Interface) bool {
	for m := range t.ExplicitMethods() {
		if w.in(m.Type()) {
			return true
		}
	}
	for e := range t.EmbeddedTypes() {
		if w.in(e) {
			return true
		}
	}
	return false
}
