package shape

import "reflect"

// This file is the verdict on parameters.

// Comparable lists what keeps values of t from being compared with a duplicate's; nothing: they can be, unless an interface
// in them holds something that can't, or pointers lead in a circle.
func Comparable(t Type) []Problem {
	w := compareWalk{seen: map[any]bool{}}
	w.value(t, spot{})
	return w.problems
}

type compareWalk struct {
	problems []Problem
	seen     map[any]bool
	nesting  nesting
}

func (w *compareWalk) fail(t Type, at spot, reason string) {
	const mend = "leave it out with //idem:fingerprint except NAME, or name what counts with //idem:fingerprint EXPR"
	if at.as != nil {
		t = at.as
	}
	w.problems = append(w.problems, Problem{Path: at.path, Type: t, Pos: at.pos, Reason: reason, Mend: mend})
}

func (w *compareWalk) value(t Type, at spot) {
	if !w.nesting.enter(t) {
		return
	}
	defer w.nesting.leave(t)
	if t.Name() != "" {
		if w.seen[t.ID()] {
			return
		}
		w.seen[t.ID()] = true
	}
	switch view, reason := ViewOf(t); view {
	case ViewNone:
		w.fail(t, at, reason)
	case ViewStructure:
		w.structure(t, at)
	}
}

func (w *compareWalk) structure(t Type, at spot) {
	switch t.Kind() {
	case reflect.Interface:
		if _, reads := t.Method(Read); reads {
			w.fail(t, at, "is a reader, and what it would read can't be compared")
		} else if t.Name() == "context.Context" {
			w.fail(t, at, "is a context, which can't be compared")
		}
	case reflect.Pointer:
		w.value(t.Elem(), at.pointedTo(t))
	case reflect.Slice, reflect.Array:
		if dataless(t) {
			return
		}
		w.value(t.Elem(), at.member(t, "[]", false))
	case reflect.Map:
		w.value(t.Key(), at.member(t, "[]", false))
		w.value(t.Elem(), at.member(t, "[]", false))
	case reflect.Struct:
		for _, f := range SeenFields(t) {
			w.value(f.Type, at.field(t, "."+f.Name, f, false))
		}
	}
}
