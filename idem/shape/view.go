package shape

import "reflect"

// This file decides how an argument is compared with a duplicate's. What can't be seen must not look equal, and what can be
// seen should not look different: the structure goes before marshal methods, which may hide what should not be logged.

// View is how values of a type are compared.
type View uint8

// The views.
const (
	ViewNone      View = iota // not at all
	ViewStructure             // by kind: elements, fields, dynamic values
	ViewInstant               // a time.Time: the instant, without zone and monotonic part
	ViewUserinfo              // a url.Userinfo: its String
	// The marshal methods, in the order of preference. Text is what people would call equal (1.50 and 1.5 of a decimal); binary
	// forms may differ with the history of a value; json is what logs redact.
	ViewText
	ViewBinary
	ViewJSON
)

// ReasonProtobuf is why messages can't be compared: their structure changes with what was done to them, and their bytes with the library.
const ReasonProtobuf = "is a protobuf message, whose presence and unknown fields can't be compared"

// ViewOf says how values of t are compared; for ViewNone, why they can't be.
func ViewOf(t Type) (v View, reason string) {
	switch t.Name() {
	case "time.Time":
		return ViewInstant, ""
	case "net/url.Userinfo":
		return ViewUserinfo, ""
	}
	if dataless(t) {
		return ViewStructure, ""
	}
	if _, is := t.Method(ProtoMessage); is && t.Kind() != reflect.Pointer {
		return ViewNone, ReasonProtobuf
	}
	if reason = unseen(t); reason == "" {
		return ViewStructure, ""
	}
	for _, m := range [...]struct {
		name MethodName
		view View
	}{{MarshalText, ViewText}, {MarshalBinary, ViewBinary}, {MarshalJSON, ViewJSON}} {
		if t.Kind() != reflect.Pointer && marshalsWhole(t, m.name) {
			return m.view, ""
		}
	}
	return ViewNone, reason
}

// unseen says what keeps values of t from being compared by structure, or "".
func unseen(t Type) string {
	switch t.Kind() {
	case reflect.Func:
		return "is a function, which can't be compared"
	case reflect.Chan:
		return "is a channel, which can't be compared"
	case reflect.UnsafePointer:
		return "is a pointer of package unsafe, which can't be compared"
	case reflect.Pointer, reflect.Interface, reflect.Invalid:
		return "" // what they hold decides
	}
	if _, reads := t.Method(Read); reads {
		return "is a reader, and what it would read can't be compared"
	}
	if t.Kind() == reflect.Struct && hides(t, nil) {
		return "has unexported fields and no marshal methods of its own, so it can't be compared"
	}
	return ""
}

// hides reports whether the struct t has data in fields that other packages can't see. An embedded struct of an unexported
// type is seen as far as its fields are; outer are the structs around t.
func hides(t Type, outer []any) bool {
	for _, id := range outer {
		if id == t.ID() {
			return false
		}
	}
	outer = append(outer, t.ID())
	for _, f := range t.Fields() {
		if f.Exported || dataless(f.Type) {
			continue
		}
		inner := f.Type
		if inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		if !f.Embedded || inner.Kind() != reflect.Struct || hasAny(inner, Read, ProtoMessage) || hides(inner, outer) {
			return true
		}
	}
	return false
}

// marshalsWhole reports whether t has the method, and the method sees all of t.
func marshalsWhole(t Type, name MethodName) bool {
	m, ok := t.Method(name)
	if !ok || !m.Promoted {
		return ok
	}
	sole, ok := soleField(t)
	return ok && sole.Embedded
}

// SeenFields are the fields of a struct that is compared by structure.
func SeenFields(t Type) []Field {
	var fields []Field
	for _, f := range t.Fields() {
		if !dataless(f.Type) {
			fields = append(fields, f)
		}
	}
	return fields
}
