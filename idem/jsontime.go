package idem

import (
	"reflect"
	"sync"
	"time"

	"github.com/idemgen/idemgen/idem/shape"
)

// This file finds times that json changes. It writes an offset as hours and minutes, so a time in a zone as they were before there was
// a standard (Amsterdam until 1937: 19 minutes and 32 seconds) comes back as another instant.

var timeType = reflect.TypeFor[time.Time]()

var timed sync.Map // reflect.Type → bool

// holdsTimes reports whether values of t can hold times that json sees, so that most values need not be looked through.
func holdsTimes(t reflect.Type) bool {
	if known, ok := timed.Load(t); ok {
		return known.(bool)
	}
	holds := reaches(t, map[reflect.Type]bool{})
	timed.Store(t, holds)
	return holds
}

func reaches(t reflect.Type, seen map[reflect.Type]bool) bool {
	if t == timeType {
		return true
	}
	if seen[t] || writesItself(t) {
		return false
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array:
		return reaches(t.Elem(), seen)
	case reflect.Map:
		return reaches(t.Key(), seen) || reaches(t.Elem(), seen)
	case reflect.Struct:
		for f := range t.Fields() {
			if visible(f) && reaches(f.Type, seen) {
				return true
			}
		}
	}
	return false
}

// writesItself reports whether json asks a method of t, and not one of a field of it.
func writesItself(t reflect.Type) bool {
	for _, name := range []shape.MethodName{shape.MarshalJSON, shape.MarshalText} {
		if m, ok := shape.Of(t).Method(name); ok && !m.Promoted && t.Kind() != reflect.Pointer {
			return true
		}
	}
	return false
}

// visible reports whether json may see a field.
func visible(f reflect.StructField) bool {
	return (f.IsExported() || f.Anonymous) && f.Tag.Get("json") != "-"
}

// holdsOddTime reports whether a time in v has an offset with seconds. v has passed json.Marshal, so it leads in no circles.
func holdsOddTime(v reflect.Value) bool {
	if !holdsTimes(v.Type()) {
		return false
	}
	if v.Type() == timeType {
		if !v.CanInterface() {
			return false
		}
		t, _ := reflect.TypeAssert[time.Time](v)
		_, offset := t.Zone()
		return offset%60 != 0
	}
	switch v.Kind() {
	case reflect.Pointer:
		return !v.IsNil() && holdsOddTime(v.Elem())
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			if holdsOddTime(v.Index(i)) {
				return true
			}
		}
	case reflect.Map:
		for i := v.MapRange(); i.Next(); {
			if holdsOddTime(i.Key()) || holdsOddTime(i.Value()) {
				return true
			}
		}
	case reflect.Struct:
		for f, value := range v.Fields() {
			if visible(f) && holdsOddTime(value) {
				return true
			}
		}
	}
	return false
}
