package shape

import (
	"reflect"
	"slices"
	"strings"
)

// This file is about errors that are stored as outcomes. Their data is json, as that of results is; but fields that are errors, which json
// can't read, are stored beside it, as errors are.

// ErrorFields are the names of the fields that are stored as errors: of t, or what it points to, those that are exported and of type error.
func ErrorFields(t Type) (names []string) {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || hasAny(t, MarshalJSON, UnmarshalJSON, MarshalText, UnmarshalText) {
		return nil
	}
	for _, f := range t.Fields() {
		if isErrorField(f) {
			names = append(names, f.Name)
		}
	}
	return names
}

func isErrorField(f Field) bool { return f.Exported && !f.Embedded && f.Type.Name() == "error" }

// ErrorData is t, the type of an error, as the part of it that is json: without the fields that are stored as errors.
func ErrorData(t Type) Type {
	if len(ErrorFields(t)) == 0 {
		return t
	}
	return withoutErrors{t}
}

// StorableError lists what the data of an error of type t would lose, as Storable does for results.
func StorableError(t Type) []Problem {
	problems := Storable(ErrorData(t))
	for i := range problems {
		p := &problems[i]
		for _, result := range []string{notStored, unreadable} {
			if reason, ok := strings.CutSuffix(p.Reason, result); ok {
				p.Reason = reason + ": the error would come back without its data"
			}
		}
		switch p.Rule {
		case ruleError.Name:
			p.Mend = "use a code or a text in its place, or move it into a field of the final error itself, which is kept"
		case ruleProtobuf.Name:
			p.Mend = "hold what callers need in fields of your own"
		}
	}
	return problems
}

// withoutErrors is a type, or a pointer to one, without its fields of type error. Where the type occurs within itself it has them.
type withoutErrors struct{ Type }

// ID is another one than that of the type with the fields.
func (t withoutErrors) ID() any { return withoutID{t.Type.ID()} }

type withoutID struct{ id any }

func (t withoutErrors) Elem() Type {
	if t.Kind() == reflect.Pointer {
		return withoutErrors{t.Type.Elem()}
	}
	return t.Type.Elem()
}

func (t withoutErrors) Fields() (fields []Field) {
	for _, f := range t.Type.Fields() {
		if !isErrorField(f) {
			fields = append(fields, f)
		}
	}
	return fields
}

// ErrorLayout is the layout of the data of errors of type t: of its json, and of the fields beside it by their names.
func ErrorLayout(t Type) *Layout {
	l := LayoutOf(ErrorData(t))
	inside := l
	if inside.Form == FormPointer {
		inside = inside.Elem
	}
	for _, name := range ErrorFields(t) {
		if taken := slices.ContainsFunc(inside.Fields, func(f LayoutField) bool { return f.Name == name }); !taken {
			inside.Fields = append(inside.Fields, LayoutField{Name: name, Type: &Layout{Form: "error"}})
		}
	}
	slices.SortFunc(inside.Fields, func(a, b LayoutField) int { return strings.Compare(a.Name, b.Name) })
	return l
}
