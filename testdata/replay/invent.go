package replay

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/idemgen/idemgen/idem"
)

// This file invents values: the same for the same seed, different ones for others.

// style is what becomes of pointers, slices and maps.
type style int

const (
	full style = iota
	nils
	empties // slices and maps are empty and not nil, pointers point to something
)

// filler says which value to invent.
type filler struct {
	seed  int
	style style
	depth int
}

// of is f for the i-th of several values, so that none can stand for another.
func (f filler) of(i int) filler {
	f.seed += 3 * i
	return f
}

var (
	contextType = reflect.TypeFor[context.Context]()
	errorType   = reflect.TypeFor[error]()
)

// invent makes a value of type t.
func (d *driver) invent(t reflect.Type, f filler) reflect.Value {
	if t == contextType || t.Kind() == reflect.Interface && t.Implements(contextType) && contextType.Implements(t) {
		ctx := context.WithValue(context.Background(), mark{}, f.seed)
		return convert(idem.WithKey(ctx, fmt.Sprint("key-", f.seed)), t)
	}
	if s := d.sample(t); s != nil {
		return convert(s, t)
	}
	switch {
	case t == reflect.TypeFor[time.Time]():
		return reflect.ValueOf(time.Date(2026, 1, f.seed%28+1, 0, 0, 0, 5, time.UTC))
	case t == errorType && d.m.Keyed:
		return reflect.Zero(t) // the method's own is set apart, and as an argument it could not be compared
	case t == errorType:
		return convert(errors.New("told"), t)
	case t.Kind() == reflect.Interface && t.NumMethod() == 0:
		return convert(any(fmt.Sprint("any-", f.seed)), t)
	}
	if f.depth++; f.depth > 6 {
		return reflect.Zero(t)
	}
	return d.inventKind(t, f)
}

func convert(v any, t reflect.Type) reflect.Value {
	result := reflect.New(t).Elem()
	result.Set(reflect.ValueOf(v))
	return result
}

func (d *driver) inventKind(t reflect.Type, f filler) reflect.Value {
	v := reflect.New(t).Elem()
	switch t.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(int64(f.seed))
	case reflect.Uint8:
		v.SetUint(uint64('a' + f.seed%20)) // so that bytes make texts
	case reflect.Uint, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		v.SetUint(uint64(f.seed))
	case reflect.Float32, reflect.Float64:
		v.SetFloat(float64(f.seed) + 0.5)
	case reflect.Complex64, reflect.Complex128:
		v.SetComplex(complex(float64(f.seed), 1))
	case reflect.String:
		v.SetString(fmt.Sprint("s-", f.seed))
	case reflect.Struct:
		for i := range t.NumField() {
			if t.Field(i).IsExported() {
				v.Field(i).Set(d.invent(t.Field(i).Type, f))
			}
		}
	default:
		d.inventReference(v, f)
	}
	return v
}

func (d *driver) inventReference(v reflect.Value, f filler) {
	t := v.Type()
	switch t.Kind() {
	case reflect.Array:
		for i := range t.Len() {
			v.Index(i).Set(d.invent(t.Elem(), f))
		}
	case reflect.Pointer:
		if f.style != nils {
			v.Set(reflect.New(t.Elem()))
			v.Elem().Set(d.invent(t.Elem(), f))
		}
	case reflect.Slice:
		switch f.style {
		case full:
			v.Set(reflect.Append(v, d.invent(t.Elem(), f), d.invent(t.Elem(), f)))
		case empties:
			v.Set(reflect.MakeSlice(t, 0, 0))
		}
	case reflect.Map:
		if f.style != nils {
			v.Set(reflect.MakeMap(t))
		}
		if f.style == full {
			v.SetMapIndex(d.invent(t.Key(), f), d.invent(t.Elem(), f))
		}
	case reflect.Chan:
		v.Set(reflect.MakeChan(reflect.ChanOf(reflect.BothDir, t.Elem()), 1).Convert(t))
	case reflect.Func:
		if f.depth == 1 {
			v.Set(reflect.MakeFunc(t, func([]reflect.Value) []reflect.Value { panic(errors.New("nobody calls this")) }))
		}
	}
}
