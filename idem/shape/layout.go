package shape

import (
	"crypto/sha256"
	"encoding/hex"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// This file takes the shape of stored json apart, for comparing it with the shape an older program stored. It knows what Schema leaves
// out because a hash must not depend on it, and what decides whether old rows can be read all the same: the sizes of numbers, and which
// fields may be missing.

// Layout is one level of a shape. Types that lead back to themselves make it a graph.
type Layout struct {
	// Form is one of the constants below, or else the text of a type that is not looked into: "int64", "string", "json(time.Time)".
	Form   string
	Len    int           // of FormArray
	Key    *Layout       // of FormMap
	Elem   *Layout       // of FormPointer, FormSlice, FormArray, FormMap, FormQuoted
	Fields []LayoutField // of FormStruct, sorted by name
}

// The forms that consist of others.
const (
	FormPointer = "?"
	FormSlice   = "[]"
	FormArray   = "[n]"
	FormMap     = "map"
	FormStruct  = "{}"
	FormQuoted  = "quoted" // a scalar written as a string
)

// LayoutField is a field of a struct, by its name in json.
type LayoutField struct {
	Name    string
	Type    *Layout
	Omitted bool // json leaves it out where it is empty or zero, by omitempty or omitzero
	Behind  bool // json leaves it out where the embedded pointer that leads to it is nil
}

// LayoutOf is the layout of the json of a result of type t.
func LayoutOf(t Type) *Layout {
	return (&layoutWalk{}).value(t, true)
}

// Hash is how the shape of t is called in stored rows: the first 8 bytes of SHA-256 over its Schema, in hex.
func Hash(t Type) string {
	sum := sha256.Sum256([]byte(Schema(t)))
	return hex.EncodeToString(sum[:8])
}

// layouts are those on the way to the one that is made, so that a type that leads back to itself leads back to its layout.
type layouts struct {
	outer   []any // ids of their types
	nodes   []*Layout
	nesting nesting
}

// of is the layout of t, which fill fills in.
func (w *layouts) of(t Type, fill func(*Layout)) *Layout {
	if i := slices.Index(w.outer, t.ID()); i >= 0 {
		return w.nodes[i]
	}
	if !w.nesting.enter(t) {
		return &Layout{Form: "endless"}
	}
	defer w.nesting.leave(t)
	n := &Layout{}
	w.outer, w.nodes = append(w.outer, t.ID()), append(w.nodes, n)
	defer func() { w.outer, w.nodes = w.outer[:len(w.outer)-1], w.nodes[:len(w.nodes)-1] }()
	fill(n)
	return n
}

type layoutWalk struct{ layouts }

func (w *layoutWalk) value(t Type, addressable bool) *Layout {
	return w.of(t, func(n *Layout) { w.form(n, t, addressable) })
}

// form fills in what t writes of itself, or else its structure.
func (w *layoutWalk) form(n *Layout, t Type, addressable bool) {
	if k := t.Kind(); k != reflect.Pointer && k != reflect.Interface && k != reflect.Invalid {
		switch marshalingOf(t, addressable).write {
		case jsonForm:
			n.Form = named("json", t)
			return
		case textForm:
			n.Form = named("text", t)
			return
		}
	}
	w.structure(n, t, addressable)
}

// named is the text of a type that writes itself.
func named(how string, t Type) string {
	name := t.Name()
	if strings.ContainsAny(name, "()\" \t") {
		name = strconv.Quote(name)
	}
	return how + "(" + name + ")"
}

func (w *layoutWalk) structure(n *Layout, t Type, addressable bool) {
	switch k := t.Kind(); k {
	case reflect.Invalid:
		n.Form = "parameter"
	case reflect.Interface:
		n.Form = "any"
	case reflect.Pointer:
		n.Form, n.Elem = FormPointer, w.value(t.Elem(), true)
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 && !hasAny(t.Elem(), MarshalJSON, MarshalText) {
			n.Form = "bytes"
			return
		}
		n.Form, n.Elem = FormSlice, w.value(t.Elem(), true)
	case reflect.Array:
		n.Form, n.Len, n.Elem = FormArray, t.Len(), w.value(t.Elem(), addressable)
	case reflect.Map:
		n.Form, n.Key, n.Elem = FormMap, w.key(t.Key()), w.value(t.Elem(), false)
	case reflect.Struct:
		w.fields(n, t, addressable)
	case reflect.String:
		if n.Form = "string"; t.Name() == "encoding/json.Number" {
			n.Form = "number"
		}
	default:
		if n.Form = k.String(); k > reflect.Float64 {
			n.Form = "!" + n.Form
		}
	}
}

func (w *layoutWalk) key(t Type) *Layout {
	if m, ok := t.Method(MarshalText); ok && !m.Pointer && t.Kind() != reflect.String {
		return &Layout{Form: named("text", t)}
	}
	n := &Layout{}
	w.structure(n, t, false)
	return n
}

func (w *layoutWalk) fields(n *Layout, t Type, addressable bool) {
	n.Form = FormStruct
	written, _, _ := jsonFields(t)
	slices.SortFunc(written, func(a, b jsonField) int { return strings.Compare(a.name, b.name) })
	for _, f := range written {
		field := w.value(f.typ, addressable || f.behind)
		if f.quoted {
			field = &Layout{Form: FormQuoted, Elem: field}
		}
		n.Fields = append(n.Fields, LayoutField{f.name, field, f.omitEmpty || f.omitZero, f.behind})
	}
}
