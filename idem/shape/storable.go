package shape

import (
	"cmp"
	"reflect"
	"slices"
)

// This file decides whether a result comes back from json as it left. It knows what encoding/json does with a value that is
// written through a pointer and read into a fresh one with unknown fields refused; marshal methods in complete pairs are trusted.

// Storable lists what a value of t would lose; nothing: it comes back as it left. What only values show (NaN, invalid UTF-8)
// is not looked at, and neither are type parameters. A time.Time counts as whole without its monotonic part and zone name.
func Storable(t Type) []Problem {
	w := storableWalk{seen: map[visit]bool{}}
	w.value(t, spot{addressable: true, pointed: true})
	return w.problems
}

type storableWalk struct {
	problems []Problem
	seen     map[visit]bool
	nesting  nesting
}

// visit is a named type at a place that has, or has not, an address.
type visit struct {
	id          any
	addressable bool
}

func (w *storableWalk) fail(path, reason, mend string) {
	w.problems = append(w.problems, Problem{Path: path, Reason: reason, Mend: mend})
}

func (w *storableWalk) warn(path, reason, mend string) {
	w.problems = append(w.problems, Problem{Path: path, Reason: reason, Mend: mend, Warning: true})
}

// spot is where a type stands in the result.
type spot struct {
	path        string
	addressable bool // a value there has an address when json writes it
	pointed     bool // it is reached by a pointer, when json reads it
}

// member is the spot of a member of t, which is itself at s. Its address is there if t's is, or if another pointer leads to it.
func (s spot) member(t Type, member string, behind bool) spot {
	return spot{path: memberPath(s.path, t, member), addressable: s.addressable || behind}
}

const mendType = "return a type that holds its data in exported fields"

// value judges t.
func (w *storableWalk) value(t Type, at spot) {
	if !w.nesting.enter(t) {
		return
	}
	defer w.nesting.leave(t)
	if t.Name() != "" {
		if v := (visit{t.ID(), at.addressable}); w.seen[v] {
			return
		} else {
			w.seen[v] = true
		}
	}
	switch t.Name() {
	case "encoding/json.RawMessage":
		w.warn(at.path, "is raw json, which comes back without its spaces, and nil as null", "compare it as json, or return a type of your own")
		return
	case "encoding/json.Number":
		w.warn(at.path, "is a json.Number, which comes back as 0 when it is empty", "return an integer or a string")
		return
	}
	switch t.Kind() {
	case reflect.Invalid:
	case reflect.Interface:
		w.interfaceType(t, at)
	case reflect.Pointer:
		w.pointer(t, at)
	default:
		if _, is := t.Method(ProtoMessage); is {
			w.fail(at.path, "is a protobuf message, which encoding/json does not write whole", mendType)
		} else if w.marshaled(t, at) {
			w.structure(t, at)
		}
	}
}

func (w *storableWalk) interfaceType(t Type, at spot) {
	if t.Name() == "error" {
		w.fail(at.path, "is an error, which json can write but not read back", "return a code or a text")
		return
	}
	w.fail(at.path, "is an interface: json does not store which type it held", "return a concrete type")
}

func (w *storableWalk) pointer(t Type, at spot) {
	elem := t.Elem()
	switch elem.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Slice, reflect.Interface:
		if m := marshalingOf(elem, true); m.write != textForm {
			w.fail(at.path,
				"is a pointer to something that may be nil itself, and would then come back as a nil pointer",
				"return it without the pointer")
			return
		}
	}
	w.value(elem, spot{at.path, true, true})
}

// marshaled judges t's marshal methods, and reports whether its structure has a say, too.
func (w *storableWalk) marshaled(t Type, at spot) (structural bool) {
	m := marshalingOf(t, at.addressable)
	if m.promoted {
		return w.promoted(t, at)
	}
	switch {
	case m.uncalled && m.write != m.read:
		w.fail(at.path,
			"has a marshal method on its pointer, which json does not call for values of a map",
			"declare the method on the value, or store pointers")
	case m.write == jsonForm && m.read != jsonForm:
		w.fail(at.path, "has a MarshalJSON without an UnmarshalJSON, so it can't be read back", "add UnmarshalJSON")
	case m.write == textForm && m.read == plain:
		w.fail(at.path, "has a MarshalText without an UnmarshalText, so it can't be read back", "add UnmarshalText")
	case m.write == plain && m.read == textForm && t.Kind() != reflect.String:
		w.fail(at.path, "has an UnmarshalText without a MarshalText, so it can't be read back", "add MarshalText")
	case m.lost && !dataless(t):
		w.fail(at.path, "is read by a method with a value receiver, which drops what it reads", "declare the method on the pointer")
	default:
		return m.write == plain
	}
	return false
}

// promoted judges a struct that is written or read by a method of an embedded field.
func (w *storableWalk) promoted(t Type, at spot) (structural bool) {
	sole, ok := soleField(t)
	switch {
	case !ok || !sole.Embedded:
		w.fail(at.path,
			"has a marshal method from an embedded field, which knows nothing of the fields beside it",
			"name the embedded field, or declare the methods on the type")
	case sole.Type.Kind() == reflect.Pointer || sole.Type.Kind() == reflect.Interface:
		w.fail(at.path,
			"has a marshal method from an embedded pointer or interface, which panics when that is nil",
			"name the embedded field, or declare the methods on the type")
	case t.Name() == "" && !at.pointed:
		w.fail(at.path,
			"has a marshal method from an embedded field, which json does not call when it reads a type without name",
			"give the struct a name")
	default:
		w.value(sole.Type, at.member(t, "."+sole.Name, false))
	}
	return false
}

// structure judges t by what it consists of.
func (w *storableWalk) structure(t Type, at spot) {
	switch t.Kind() {
	case reflect.Func:
		w.fail(at.path, "is a function, which json can't write", mendType)
	case reflect.Chan:
		w.fail(at.path, "is a channel, which json can't write", mendType)
	case reflect.Complex64, reflect.Complex128:
		w.fail(at.path, "is a complex number, which json can't write", "return the two parts")
	case reflect.UnsafePointer:
		w.fail(at.path, "is a pointer of package unsafe, which json can't write", mendType)
	case reflect.Slice:
		if bytes := t.Elem().Kind() == reflect.Uint8 && !hasAny(t.Elem(), MarshalJSON, MarshalText); !bytes {
			w.value(t.Elem(), at.member(t, "[]", true))
		}
	case reflect.Array:
		if t.Len() > 0 {
			w.value(t.Elem(), at.member(t, "[]", false))
		}
	case reflect.Map:
		w.mapType(t, at)
	case reflect.Struct:
		w.structType(t, at)
	}
}

func (w *storableWalk) mapType(t Type, at spot) {
	if reason, warning := keyFault(t.Key()); reason != "" {
		const mend = "use a string or an integer as key"
		if !warning {
			w.fail(at.path, reason, mend)
			return
		}
		w.warn(at.path, reason, mend)
	}
	w.value(t.Elem(), spot{path: at.member(t, "[]", false).path})
}

func (w *storableWalk) structType(t Type, at spot) {
	first := len(w.problems)
	written, lost, embedded := jsonFields(t)
	for _, l := range lost {
		if l.rival != "" {
			l.reason += ", as " + memberPath(at.path, t, l.rival) + " is, so it is lost"
		}
		w.fail(memberPath(at.path, t, l.path), l.reason, l.mend)
	}
	for _, e := range embedded {
		w.embeddedPointer(t, at, e)
	}
	for _, f := range written {
		w.field(f, at.member(t, f.path, f.behind))
	}
	slices.SortStableFunc(w.problems[first:], func(a, b Problem) int { return cmp.Compare(severity(a), severity(b)) })
}

// severity sorts errors before warnings.
func severity(p Problem) int {
	if p.Warning {
		return 1
	}
	return 0
}

// embeddedPointer judges an embedded struct as such; its fields are judged with those around it.
func (w *storableWalk) embeddedPointer(t Type, at spot, e embedding) {
	at = at.member(t, e.path, false)
	switch {
	case !e.pointer:
	case !e.field.Exported && e.written:
		w.fail(at.path, "is an embedded pointer to an unexported struct, which json can't set", "embed the struct itself, or export its type")
	case !e.kept:
		w.warn(at.path, "is an embedded pointer, which comes back as nil when json leaves all of its fields out", "embed the struct itself")
	}
}

// field judges a field that json writes.
func (w *storableWalk) field(f jsonField, at spot) {
	target := f.typ
	if target.Kind() == reflect.Pointer {
		target = target.Elem()
		if !f.field.Exported {
			w.fail(at.path, "is an embedded pointer to an unexported struct, which json can't set", "export its type")
			return
		}
	}
	if f.quoted && hasAny(target, MarshalJSON, UnmarshalJSON, MarshalText, UnmarshalText) {
		w.fail(at.path, "has marshal methods and the tag option string, which do not go together", "take the option away")
		return
	}
	switch k := f.typ.Kind(); {
	case f.omitEmpty && (k == reflect.Slice || k == reflect.Map):
		w.warn(at.path, "comes back as nil when it is empty (omitempty)", "take omitempty away, or use omitzero")
	case f.omitZero && hasAny(target, IsZero) && (target.Name() != "time.Time" || k == reflect.Pointer):
		w.warn(at.path, "comes back as the zero value whenever its IsZero says so (omitzero)", "take omitzero away")
	}
	w.value(f.typ, at)
}
