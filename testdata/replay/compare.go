package replay

import (
	"context"
	"reflect"
	"time"

	"github.com/idemgen/idemgen/idem"
)

// This file compares what was given with what arrived.

// compareArguments: all are as they were given, nil where they were nil; the context carries the claim, and the caller's values.
func (d *driver) compareArguments(want []reflect.Value, got []any) {
	d.Helper()
	for i, w := range want {
		ctx, isContext := got[i].(context.Context)
		if !isContext {
			if g := reflect.ValueOf(got[i]); !same(w, g) {
				d.Errorf("argument %d arrived as %#v, not %#v", i, got[i], w)
			}
			continue
		}
		if !d.m.Claimed {
			continue
		}
		if ctx.Value(mark{}) == nil && d.sample(d.f.Type().In(i)) == nil {
			d.Error("the context lost the caller's values")
		}
		if _, ok := idem.FromContext(ctx); !ok {
			d.Error("the context does not carry the claim")
		}
		if ctx.Done() == nil {
			d.Error("the context can't be cancelled")
		}
	}
}

func (d *driver) compareResults(o outcome) {
	d.Helper()
	if d.m.Lossy {
		return
	}
	for i, got := range o.results {
		want := reflect.Zero(got.Type())
		if d.r.results[i] != nil {
			want = reflect.ValueOf(d.r.results[i])
		}
		if !same(want, got) {
			d.Errorf("result %d came back as %#v, not %#v", i, got, want)
		}
	}
}

// same is deep equality that looks at nil, and takes functions and channels to be equal when they are the same.
func same(a, b reflect.Value) bool {
	if a.IsValid() && a.Kind() == reflect.Interface {
		a = a.Elem()
	}
	if b.IsValid() && b.Kind() == reflect.Interface {
		b = b.Elem()
	}
	if !a.IsValid() || !b.IsValid() {
		return a.IsValid() == b.IsValid()
	}
	switch a.Kind() {
	case reflect.Func, reflect.Chan:
		return b.Kind() == a.Kind() && a.Pointer() == b.Pointer()
	case reflect.Slice:
		if b.Kind() == reflect.Slice && a.Type().Elem().Kind() == reflect.Func {
			return a.Len() == b.Len() && a.Pointer() == b.Pointer() && a.IsNil() == b.IsNil()
		}
	}
	if x, ok := a.Interface().(time.Time); ok {
		y, ok := b.Interface().(time.Time)
		return ok && x.Equal(y)
	}
	return reflect.DeepEqual(a.Interface(), b.Interface())
}

// shared reports whether two values are views of one piece of memory.
func shared(a, b reflect.Value) bool {
	switch a.Kind() {
	case reflect.Slice, reflect.Map:
		return a.Len() > 0 && a.Pointer() == b.Pointer()
	case reflect.Pointer:
		return !a.IsNil() && a.Pointer() == b.Pointer()
	default:
		return false
	}
}

// sample is a value for type t that the case gives, or nil.
func (d *driver) sample(t reflect.Type) any {
	for _, s := range d.m.Samples {
		if reflect.TypeOf(s) == t {
			return s
		}
	}
	for _, s := range d.m.Samples {
		if t.Kind() == reflect.Interface && reflect.TypeOf(s).Implements(t) {
			return s
		}
	}
	return nil
}
