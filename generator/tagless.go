package generator

import (
	"go/types"
	"strings"
)

// This file remembers of which types no value holds a field with a tag idem, so that types that many methods use are walked once.

// tagless are types known to be so, and everything they consist of.
type tagless map[types.Type]bool

// mostWalked is more types than one consists of, unless it is generic and leads to ever new instances of itself.
const mostWalked = 10_000

// all tells whether t is one. It may say no of one that is.
func (k tagless) all(t types.Type) bool {
	w := taglessWalk{known: k, seen: map[types.Type]bool{}}
	if !w.value(t) {
		return false
	}
	for t := range w.seen {
		k[t] = true
	}
	return true
}

type taglessWalk struct {
	known tagless
	seen  map[types.Type]bool
}

func (w *taglessWalk) value(t types.Type) bool {
	t = types.Unalias(t)
	if w.known[t] || w.seen[t] {
		return true
	}
	if _, basic := t.(*types.Basic); basic {
		return true
	}
	if w.seen[t] = true; len(w.seen) > mostWalked {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		return w.value(u.Elem())
	case *types.Slice:
		return w.value(u.Elem())
	case *types.Array:
		return w.value(u.Elem())
	case *types.Map:
		return w.value(u.Key()) && w.value(u.Elem())
	case *types.Struct:
		for i := range u.NumFields() {
			if strings.Contains(strings.ToLower(u.Tag(i)), "idem") || !w.value(u.Field(i).Type()) {
				return false
			}
		}
	}
	return true
}
