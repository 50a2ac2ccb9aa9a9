package shape

import (
	"reflect"
	"slices"
	"strings"
)

// This file takes the shape of an argument apart, as far as its fingerprint depends on it: what two programs must have in common so that
// a retry that meets the other one is recognised as the same request.

// FormDynamic is an interface: the type of what it holds counts as well.
const FormDynamic = "dynamic"

// ArgumentLayout is the layout of an argument of type t in a fingerprint. Its leaves are kinds of values, not types: a number keeps its
// fingerprint when its type gets wider.
func ArgumentLayout(t Type) *Layout {
	return (&argumentWalk{}).value(t)
}

type argumentWalk struct{ layouts }

func (w *argumentWalk) value(t Type) *Layout {
	return w.of(t, func(n *Layout) { w.form(n, t) })
}

// form fills in what a fingerprint sees of t.
func (w *argumentWalk) form(n *Layout, t Type) {
	switch view, _ := ViewOf(t); view {
	case ViewStructure:
		w.structure(n, t)
	case ViewInstant:
		n.Form = "time"
	case ViewText, ViewUserinfo:
		n.Form = "text"
	case ViewBinary:
		n.Form = "binary"
	case ViewJSON:
		n.Form = "json"
	default:
		n.Form = "!" + t.Kind().String()
	}
}

func (w *argumentWalk) structure(n *Layout, t Type) {
	switch k := t.Kind(); k {
	case reflect.Invalid:
		n.Form = "parameter"
	case reflect.Interface:
		n.Form = FormDynamic
	case reflect.Pointer:
		n.Form, n.Elem = FormPointer, w.value(t.Elem())
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			n.Form = "bytes"
			return
		}
		n.Form, n.Elem = FormSlice, w.value(t.Elem())
	case reflect.Array: // one of zeros is left out, and a slice of zeros is not
		n.Form, n.Len = FormArray, t.Len()
		if t.Elem().Kind() == reflect.Uint8 {
			n.Elem = &Layout{Form: "byte"}
			return
		}
		n.Elem = w.value(t.Elem())
	case reflect.Map:
		n.Form, n.Key, n.Elem = FormMap, w.value(t.Key()), w.value(t.Elem())
	case reflect.Struct:
		n.Form = FormStruct
		for _, f := range SeenFields(t) {
			n.Fields = append(n.Fields, LayoutField{Name: f.Name, Type: w.value(f.Type)})
		}
		slices.SortFunc(n.Fields, func(a, b LayoutField) int { return strings.Compare(a.Name, b.Name) })
	case reflect.Float32, reflect.Float64:
		n.Form = "float"
	case reflect.Complex64, reflect.Complex128:
		n.Form = "complex"
	default:
		if n.Form = k.String(); k >= reflect.Int && k <= reflect.Uintptr {
			n.Form = "int"
		}
	}
}
