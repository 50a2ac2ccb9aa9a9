package shape

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// This file writes down the shape of stored json as a canonical text, whose hash is stored beside each result. The text:
//
//	type   = "bool" | "int" | "float32" | "float64" | "string" | "bytes"   by kind; int is every integer: widening one changes nothing
//	       | "json(" name ")" | "text(" name ")"      a type that marshals itself, by its full name
//	       | "string(" type ")"                       a scalar written as a string (the tag option string)
//	       | "?" type                                 a pointer: null, or the type
//	       | "[]" type | "[" length "]" type          a slice (or null), an array
//	       | "map[" type "]" type                     a map (or null)
//	       | "{" [ field { "," field } ] "}"          a struct, its fields sorted by name
//	       | "any" | "!" kind                         an interface; what json can't write
//	       | "type parameter"
//	       | "^" n                                    the type that stands n levels further out
//	       | "endless"                                a generic type inside itself, which the compiler refuses
//	field  = quoted json name ":" type
//
// Names of types that do not marshal themselves, the order of fields, omitempty and omitzero have no part in it: they change nothing
// that reading depends on.

// Schema is the canonical text of the json of a result of type t.
func Schema(t Type) string {
	var s schemaText
	s.value(t, true)
	return s.b.String()
}

type schemaText struct {
	b       strings.Builder
	outer   []any // ids of the types that are being written
	nesting nesting
}

func (s *schemaText) value(t Type, addressable bool) {
	if i := slices.Index(s.outer, t.ID()); i >= 0 {
		s.b.WriteString("^" + strconv.Itoa(len(s.outer)-i))
		return
	}
	if !s.nesting.enter(t) {
		s.b.WriteString("endless")
		return
	}
	defer s.nesting.leave(t)
	s.outer = append(s.outer, t.ID())
	defer func() { s.outer = s.outer[:len(s.outer)-1] }()
	if k := t.Kind(); k != reflect.Pointer && k != reflect.Interface && k != reflect.Invalid {
		switch marshalingOf(t, addressable).write {
		case jsonForm:
			s.b.WriteString("json(" + t.Name() + ")")
			return
		case textForm:
			s.b.WriteString("text(" + t.Name() + ")")
			return
		}
	}
	s.structure(t, addressable)
}

func (s *schemaText) structure(t Type, addressable bool) {
	switch k := t.Kind(); k {
	case reflect.Invalid:
		s.b.WriteString("type parameter")
	case reflect.Bool, reflect.Float32, reflect.Float64, reflect.String:
		s.b.WriteString(k.String())
	case reflect.Interface:
		s.b.WriteString("any")
	case reflect.Pointer:
		s.b.WriteByte('?')
		s.value(t.Elem(), true)
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 && !hasAny(t.Elem(), MarshalJSON, MarshalText) {
			s.b.WriteString("bytes")
			return
		}
		s.b.WriteString("[]")
		s.value(t.Elem(), true)
	case reflect.Array:
		s.b.WriteString("[" + strconv.Itoa(t.Len()) + "]")
		s.value(t.Elem(), addressable)
	case reflect.Map:
		s.b.WriteString("map[")
		s.key(t.Key())
		s.b.WriteByte(']')
		s.value(t.Elem(), false)
	case reflect.Struct:
		s.fields(t, addressable)
	default:
		if k >= reflect.Int && k <= reflect.Uintptr {
			s.b.WriteString("int")
			return
		}
		s.b.WriteString("!" + k.String())
	}
}

// key writes the type of a map's keys, which are strings in json, whatever they are in Go.
func (s *schemaText) key(t Type) {
	if m, ok := t.Method(MarshalText); ok && !m.Pointer && t.Kind() != reflect.String {
		s.b.WriteString("text(" + t.Name() + ")")
		return
	}
	s.structure(t, false)
}

func (s *schemaText) fields(t Type, addressable bool) {
	written, _, _ := jsonFields(t)
	slices.SortFunc(written, func(a, b jsonField) int { return strings.Compare(a.name, b.name) })
	s.b.WriteByte('{')
	for i, f := range written {
		if i > 0 {
			s.b.WriteByte(',')
		}
		s.b.WriteString(strconv.Quote(f.name) + ":")
		if f.quoted {
			s.b.WriteString("string(")
		}
		s.value(f.typ, addressable || f.behind)
		if f.quoted {
			s.b.WriteByte(')')
		}
	}
	s.b.WriteByte('}')
}
