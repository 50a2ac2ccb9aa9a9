package codec

import (
	"encoding"
	"encoding/gob"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"reflect"
	"runtime"
	"slices"
	"sync"
)

// This file judges types for gob: what it would lose of their values, and which fields it stores.

// gobType is what is known of a result's type.
type gobType struct {
	fault     error    // why it can't be stored
	fields    []uint32 // those that are stored, sorted
	recursive bool     // a value may hold itself
}

var gobTypes sync.Map // reflect.Type → *gobType

func gobTypeOf[T any]() *gobType {
	t := reflect.TypeFor[T]()
	if known, ok := gobTypes.Load(t); ok {
		return known.(*gobType)
	}
	w := gobWalk{t: &gobType{}}
	w.value(t, "result", false)
	if w.t.fault == nil {
		w.t.fault = tries[T]()
	}
	slices.Sort(w.t.fields)
	w.t.fields = slices.Compact(w.t.fields)
	known, _ := gobTypes.LoadOrStore(t, w.t)
	return known.(*gobType)
}

// tries has gob write the zero value: it knows best what it does not take at all.
func tries[T any]() (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("gob panicked with a %T", p)
		}
	}()
	return gob.NewEncoder(io.Discard).Encode(new(box[T]))
}

// gobWalk goes through a type.
type gobWalk struct {
	t     *gobType
	outer []reflect.Type
}

func (w *gobWalk) fail(path, format string, args ...any) {
	if w.t.fault == nil {
		w.t.fault = errors.New("gob: " + path + " " + fmt.Sprintf(format, args...))
	}
}

// value looks at a type that stands at path; pointer: behind a pointer.
func (w *gobWalk) value(t reflect.Type, path string, pointer bool) {
	if slices.Contains(w.outer, t) {
		w.t.recursive = true
		w.stores(path, "^")
		return
	}
	w.outer = append(w.outer, t)
	defer func() { w.outer = w.outer[:len(w.outer)-1] }()
	switch writes, reads := marshaling(t); {
	case writes != reads:
		w.fail(path, "is a %s, which has only one of the methods by which gob writes and reads it", t)
		return
	case writes != "" && t.Kind() == reflect.Struct && t.NumField() > 1 && !declares(t, writes):
		w.fail(path, "is a %s, which has its %s from an embedded field, and gob leaves all other fields out; give the field a name", t, writes)
		return
	case writes != "":
		w.stores(path, "marshal "+t.String())
		return
	}
	switch k := t.Kind(); k {
	case reflect.Pointer:
		switch e := t.Elem(); {
		case pointer:
			w.fail(path, "is a pointer to a pointer: gob does not tell which of them is nil")
		case e.Kind() == reflect.Pointer: // refused one level further down
			w.value(e, path, true)
		case e.Kind() != reflect.Struct && !marshalsGob(e):
			w.fail(path, "is a pointer to a %s: gob does not tell nil from zero there; use a value, or a pointer to a struct around it", e)
		default:
			w.value(e, path, true)
		}
	case reflect.Struct:
		w.structure(t, path)
	case reflect.Func, reflect.Chan, reflect.UnsafePointer:
		w.fail(path, "is a %s, which gob leaves out", k)
	case reflect.Slice, reflect.Array:
		if k == reflect.Slice && t.Elem().Kind() == reflect.Uint8 {
			w.stores(path, "bytes")
			return
		}
		w.stores(path, k.String())
		w.value(t.Elem(), path+"[]", false)
	case reflect.Map:
		w.stores(path, k.String())
		w.value(t.Key(), path+"[key]", false)
		w.value(t.Elem(), path+"[]", false)
	case reflect.Interface:
		w.t.recursive = true // who knows what it holds
		w.stores(path, "interface")
	default:
		w.stores(path, kindOf(k))
	}
}

func (w *gobWalk) structure(t reflect.Type, path string) {
	w.stores(path, "struct")
	for f := range t.Fields() {
		switch {
		case f.Name == "_":
		case !f.IsExported():
			w.fail(path+"."+f.Name, "is not exported, and gob leaves it out; export it, or give %s the methods GobEncode and GobDecode", t)
		default:
			w.value(f.Type, path+"."+f.Name, false)
		}
	}
}

// stores notes that there is something at path.
func (w *gobWalk) stores(path, kind string) {
	h := fnv.New32a()
	_, _ = io.WriteString(h, path+" "+kind)
	w.t.fields = append(w.t.fields, h.Sum32())
}

// kindOf is a kind as far as gob tells them apart: numbers of all widths are one.
func kindOf(k reflect.Kind) string {
	switch {
	case k >= reflect.Int && k <= reflect.Int64:
		return "int"
	case k >= reflect.Uint && k <= reflect.Uintptr:
		return "uint"
	case k == reflect.Float32 || k == reflect.Float64:
		return "float"
	case k == reflect.Complex64 || k == reflect.Complex128:
		return "complex"
	default:
		return k.String()
	}
}

var (
	gobEncoder   = reflect.TypeFor[gob.GobEncoder]()
	gobDecoder   = reflect.TypeFor[gob.GobDecoder]()
	binaryWriter = reflect.TypeFor[encoding.BinaryMarshaler]()
	binaryReader = reflect.TypeFor[encoding.BinaryUnmarshaler]()
)

// deepest is how deep values of recursive types may be nested.
const deepest = 1000

// The methods by which gob lets values write themselves.
const (
	byGob    = "GobEncode"
	byBinary = "MarshalBinary"
)

// marshaling says by which method values of t write themselves, and by the counterpart of which they read; empty: gob does it.
func marshaling(t reflect.Type) (writes, reads string) {
	if t.Kind() == reflect.Pointer || t.Kind() == reflect.Interface {
		return "", "" // what they lead to decides
	}
	p := reflect.PointerTo(t)
	switch {
	case p.Implements(gobEncoder):
		writes = byGob
	case p.Implements(binaryWriter):
		writes = byBinary
	}
	switch {
	case p.Implements(gobDecoder):
		reads = byGob
	case p.Implements(binaryReader):
		reads = byBinary
	}
	return writes, reads
}

// marshalsGob tells whether values of t write and read themselves.
func marshalsGob(t reflect.Type) bool {
	writes, reads := marshaling(t)
	return writes != "" && writes == reads
}

// declares tells whether t has the method in its own source, and not from an embedded field: the compiler marks those that it writes itself.
func declares(t reflect.Type, name string) bool {
	for _, holder := range []reflect.Type{t, reflect.PointerTo(t)} {
		m, ok := holder.MethodByName("GobEncode") // names that the linker can see
		if name == byBinary {
			m, ok = holder.MethodByName("MarshalBinary")
		}
		if !ok {
			continue
		}
		f := runtime.FuncForPC(m.Func.Pointer())
		if file, _ := f.FileLine(f.Entry()); file != "" && file != "<autogenerated>" {
			return true
		}
	}
	return false
}

// tooDeep is an error for a value that may hold itself: gob would go round until the stack is full, which ends the process.
func (t *gobType) tooDeep(v any) error {
	if t.recursive && !within(reflect.ValueOf(v), deepest) {
		return fmt.Errorf("it is nested more than %d levels deep, or holds itself", deepest)
	}
	return nil
}

// within tells whether v is nested less than so many levels deep.
func within(v reflect.Value, levels int) bool {
	if levels == 0 {
		return false
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		return v.IsNil() || within(v.Elem(), levels-1)
	case reflect.Struct:
		for i := range v.NumField() {
			if !within(v.Field(i), levels-1) {
				return false
			}
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			if !within(v.Index(i), levels-1) {
				return false
			}
		}
	case reflect.Map:
		for it := v.MapRange(); it.Next(); {
			if !within(it.Value(), levels-1) || !within(it.Key(), levels-1) {
				return false
			}
		}
	}
	return true
}
