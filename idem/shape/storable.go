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

// fail notes that r holds at a place, for the type that stands there.
func (w *storableWalk) fail(at spot, t Type, r *Rule) {
	if at.as != nil {
		t = at.as
	}
	w.problems = append(w.problems, Problem{
		Rule: r.Name, Path: at.path, Type: t, Pos: at.pos, Warning: r.Warning, Reason: r.Reason, Mend: r.Mend,
	})
}

// spot is where a type stands in the result.
type spot struct {
	path        string
	pos         int  // of the innermost field on the way
	as          Type // what is written there, where that is a pointer to what is judged
	addressable bool // a value there has an address when json writes it
	pointed     bool // it is reached by a pointer, when json reads it
}

// member is the spot of a member of t, which is itself at s. Its address is there if t's is, or if another pointer leads to it.
func (s spot) member(t Type, member string, behind bool) spot {
	return spot{path: memberPath(s.path, t, member), pos: s.pos, addressable: s.addressable || behind}
}

// pointedTo is the spot of what t points to, which is itself at s.
func (s spot) pointedTo(t Type) spot {
	if s.as == nil {
		s.as = t
	}
	s.addressable, s.pointed = true, true
	return s
}

// field is the spot of a field of t; its path is from t.
func (s spot) field(t Type, path string, f Field, behind bool) spot {
	inner := s.member(t, path, behind)
	inner.pos = f.Pos
	return inner
}

// known are types whose marshal methods are complete, and still do not give back all of every value.
var known = map[string]*Rule{
	"encoding/json.RawMessage": ruleRaw,
	"encoding/json.Number":     ruleNumber,
	"math/big.Float":           ruleFloat,
	"net.IP":                   ruleIP,
}

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
	if r := known[t.Name()]; r != nil {
		w.fail(at, t, r)
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
			w.fail(at, t, ruleProtobuf)
		} else if w.marshaled(t, at) {
			w.structure(t, at)
		}
	}
}

func (w *storableWalk) interfaceType(t Type, at spot) {
	switch {
	case t.Name() == "error":
		w.fail(at, t, ruleError)
	case t.Methods():
		w.fail(at, t, ruleMethods)
	default:
		w.fail(at, t, ruleInterface)
	}
}

func (w *storableWalk) pointer(t Type, at spot) {
	elem := t.Elem()
	switch elem.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Slice, reflect.Interface:
		if m := marshalingOf(elem, true); m.write != textForm || elem.Kind() == reflect.Pointer {
			w.fail(at, t, ruleNilBehind)
			return
		}
	}
	w.value(elem, at.pointedTo(t))
}

// marshaled judges t's marshal methods, and reports whether its structure has a say, too.
func (w *storableWalk) marshaled(t Type, at spot) (structural bool) {
	m := marshalingOf(t, at.addressable)
	if m.promoted {
		return w.promoted(t, at)
	}
	switch {
	case m.uncalled && m.write != m.read:
		w.fail(at, t, ruleUncalled)
	case m.write == jsonForm && m.read != jsonForm:
		w.fail(at, t, ruleNoUnmarshalJSON)
	case m.write == textForm && m.read == plain:
		w.fail(at, t, ruleNoUnmarshalText)
	case m.write == plain && m.read == textForm && t.Kind() != reflect.String:
		w.fail(at, t, ruleNoMarshalText)
	case m.lost && !dataless(t):
		w.fail(at, t, ruleValueReceiver)
	case m.write == plain && m.read != plain:
		w.fail(at, t, ruleReadAlone)
		return true
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
		w.fail(at, t, rulePromotedBeside)
		w.problems[len(w.problems)-1].Reason = "has the marshal methods of its embedded field " + embeddedMarshaler(t) +
			", which know nothing of the fields beside it: they would come back as zero values"
	case sole.Type.Kind() == reflect.Pointer || sole.Type.Kind() == reflect.Interface:
		w.fail(at, t, rulePromotedNil)
	case t.Name() == "" && !at.pointed:
		w.fail(at, t, rulePromotedUnnamed)
	default:
		w.value(sole.Type, at.field(t, "."+sole.Name, sole, false))
	}
	return false
}

// embeddedMarshaler is the name of the embedded field that promotes its marshal methods.
func embeddedMarshaler(t Type) string {
	for _, f := range t.Fields() {
		if f.Embedded && hasAny(f.Type, MarshalJSON, MarshalText, UnmarshalJSON, UnmarshalText) {
			return f.Name
		}
	}
	return ""
}

// structure judges t by what it consists of.
func (w *storableWalk) structure(t Type, at spot) {
	switch t.Kind() {
	case reflect.Func:
		w.fail(at, t, ruleFunction)
	case reflect.Chan:
		w.fail(at, t, ruleChannel)
	case reflect.Complex64, reflect.Complex128:
		w.fail(at, t, ruleComplex)
	case reflect.UnsafePointer:
		w.fail(at, t, ruleUnsafe)
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
	if r := keyFault(t.Key()); r != nil {
		if w.fail(at, t, r); !r.Warning {
			return
		}
	}
	w.value(t.Elem(), spot{path: at.member(t, "[]", false).path, pos: at.pos})
}

func (w *storableWalk) structType(t Type, at spot) {
	first := len(w.problems)
	written, lost, embedded := jsonFields(t)
	for _, l := range lost {
		w.fail(at.field(t, l.path, l.field, false), l.field.Type, l.rule)
		if l.rival != "" {
			w.problems[len(w.problems)-1].Reason = "is called " + l.name + " in json, as " + memberPath(at.path, t, l.rival) + " is, so it would come back as its zero value"
		}
	}
	for _, e := range embedded {
		w.embeddedPointer(t, at, e)
	}
	for _, f := range written {
		w.field(f, at.field(t, f.path, f.field, f.behind))
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
	at = at.field(t, e.path, e.field, false)
	switch {
	case !e.pointer:
	case !e.field.Exported && e.written:
		w.fail(at, e.field.Type, ruleCantSet)
	case !e.kept:
		w.fail(at, e.field.Type, ruleNilEmbed)
	}
}

// field judges a field that json writes.
func (w *storableWalk) field(f jsonField, at spot) {
	target := f.typ
	if target.Kind() == reflect.Pointer {
		target = target.Elem()
		if !f.field.Exported {
			w.fail(at, f.typ, ruleCantSet)
			return
		}
	}
	if f.quoted && hasAny(target, MarshalJSON, UnmarshalJSON, MarshalText, UnmarshalText) {
		w.fail(at, f.typ, ruleStringOption)
		return
	}
	switch k := f.typ.Kind(); {
	case f.omitEmpty && (k == reflect.Slice || k == reflect.Map):
		w.fail(at, f.typ, ruleOmitEmpty)
	case f.omitZero && (target.Name() != "time.Time" || k == reflect.Pointer):
		w.ownZero(f.typ, target, at)
	}
	w.value(f.typ, at)
}

// ownZero judges a field of type t that is left out when the IsZero of target, t or what t points to, says so.
func (w *storableWalk) ownZero(t, target Type, at spot) {
	m, ok := target.Method(IsZero)
	if !ok {
		return
	}
	if sole, alone := soleField(target); m.Promoted && !(alone && sole.Embedded && sole.Type.Kind() == reflect.Struct) {
		w.fail(at, t, ruleBorrowedZero)
		return
	}
	w.fail(at, t, ruleIsZero)
}
