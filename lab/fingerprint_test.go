package lab

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
	"github.com/idemgen/idemgen/lab/specimen"
)

// This file holds fingerprints to what is promised of them, on random types and values: what is equal has one fingerprint, what differs
// in one leaf has another, and what people do to their types between two deploys changes nothing.

// printer makes fingerprints by making calls.
type printer struct {
	store  *idemtest.Store
	engine *idem.Engine
	calls  int
}

func newPrinter(t *testing.T, opts ...idem.Option) *printer {
	t.Helper()
	p := &printer{store: idemtest.NewStore()}
	var err error
	if p.engine, err = idem.New(p.store, opts...); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.engine.Close() })
	return p
}

var record = idem.Operation[idem.Void]{Name: "lab.Record"}

func (p *printer) of(t *rapid.T, v reflect.Value) []byte {
	p.calls++
	key := fmt.Sprint(p.calls)
	_, err := idem.Do(context.Background(), p.engine, &record, idem.Call[idem.Void]{
		Key: idem.StringKey(key), Args: func(f *idem.Fingerprint) { f.Add("v", v.Interface()) },
		Run: func(context.Context) (idem.Void, error) { return idem.Void{}, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	return p.store.Row(idem.RowID(idem.Ref{Operation: record.Name, Key: key})).Fingerprint
}

func TestFingerprints_WhatIsEqualIsEqualAndWhatDiffersDiffers(t *testing.T) {
	t.Parallel()
	for name, opts := range map[string][]idem.Option{
		"plain": nil,
		"keyed": {idem.WithFingerprintKey([]byte("0123456789abcdef"))},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPrinter(t, opts...)
			rapid.Check(t, func(t *rapid.T) {
				typ := drawType(t, 0)
				v := specimen.Invent(typ, rapid.Uint64().Draw(t, "value"))
				r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "change"), 0))
				first := p.of(t, v)
				for what, other := range map[string]reflect.Type{
					"the same type":       typ,
					"fields in any order": edit(typ, func(f []reflect.StructField) []reflect.StructField { r.Shuffle(len(f), reflect.Swapper(f)); return f }, nil),
					"more fields":         edit(typ, withMore, nil),
					"wider numbers":       edit(typ, nil, wider),
				} {
					if again := p.of(t, convert(v, other)); !bytes.Equal(first, again) {
						t.Fatalf("%s: another fingerprint\n%s: %#v\n%s", what, typ, v, other)
					}
				}
				changed := convert(v, typ)
				if changes := changesOf(changed); len(changes) > 0 {
					changes[r.IntN(len(changes))]()
					if bytes.Equal(first, p.of(t, changed)) {
						t.Fatalf("the same fingerprint of %s:\n%#v\n%#v", typ, v, changed)
					}
				}
			})
		})
	}
}

// drawType draws a type that can be compared.
func drawType(t *rapid.T, depth int) reflect.Type {
	leaves := []reflect.Type{
		reflect.TypeFor[bool](), reflect.TypeFor[int](), reflect.TypeFor[int8](), reflect.TypeFor[int32](), reflect.TypeFor[uint16](), reflect.TypeFor[uint64](),
		reflect.TypeFor[float32](), reflect.TypeFor[float64](), reflect.TypeFor[string](), reflect.TypeFor[[]byte](), reflect.TypeFor[[3]byte](),
		reflect.TypeFor[time.Time](), reflect.TypeFor[time.Duration](), reflect.TypeFor[complex64](),
	}
	kinds := []string{"leaf", "struct", "struct", "pointer", "slice", "array", "map"}
	if depth > 3 {
		kinds = kinds[:1]
	}
	inner := func() reflect.Type { return drawType(t, depth+1) }
	switch rapid.SampledFrom(kinds).Draw(t, "kind") {
	case "struct":
		var fields []reflect.StructField
		for i := range rapid.IntRange(0, 4).Draw(t, "fields") {
			fields = append(fields, reflect.StructField{Name: string(rune('A' + i)), Type: inner()})
		}
		return reflect.StructOf(fields)
	case "pointer":
		return reflect.PointerTo(inner())
	case "slice":
		return reflect.SliceOf(inner())
	case "array":
		return reflect.ArrayOf(2, inner())
	case "map":
		return reflect.MapOf(rapid.SampledFrom([]reflect.Type{leaves[1], leaves[8], leaves[4]}).Draw(t, "key"), inner())
	default:
		return rapid.SampledFrom(leaves).Draw(t, "leaf")
	}
}

// edit is t with all structs in it, and all basic types, changed.
func edit(t reflect.Type, fields func([]reflect.StructField) []reflect.StructField, basic map[reflect.Type]reflect.Type) reflect.Type {
	in := func(t reflect.Type) reflect.Type { return edit(t, fields, basic) }
	switch {
	case basic[t] != nil:
		return basic[t]
	case t.Kind() == reflect.Struct && t.Name() == "":
		var list []reflect.StructField
		for f := range t.Fields() {
			list = append(list, reflect.StructField{Name: f.Name, Type: in(f.Type)})
		}
		if fields != nil {
			list = fields(list)
		}
		return reflect.StructOf(list)
	case t.Kind() == reflect.Pointer:
		return reflect.PointerTo(in(t.Elem()))
	case t.Kind() == reflect.Slice && t.Name() == "" && t.Elem().Kind() != reflect.Uint8:
		return reflect.SliceOf(in(t.Elem()))
	case t.Kind() == reflect.Array && t.Elem().Kind() != reflect.Uint8:
		return reflect.ArrayOf(t.Len(), in(t.Elem()))
	case t.Kind() == reflect.Map:
		return reflect.MapOf(in(t.Key()), in(t.Elem()))
	default:
		return t
	}
}

func withMore(fields []reflect.StructField) []reflect.StructField {
	return append(fields, reflect.StructField{Name: "More", Type: reflect.TypeFor[map[string]any]()}, reflect.StructField{Name: "Zero", Type: reflect.TypeFor[*time.Time]()})
}

var wider = map[reflect.Type]reflect.Type{
	reflect.TypeFor[int8]():    reflect.TypeFor[int64](),
	reflect.TypeFor[int32]():   reflect.TypeFor[int64](),
	reflect.TypeFor[uint16]():  reflect.TypeFor[uint64](),
	reflect.TypeFor[float32](): reflect.TypeFor[float64](),
}

// convert is v as a value of t, which differs from its type as edit makes it; no memory is shared. What counts as equal is changed on the
// way: nil and empty, the zero with a sign, the zone of a time.
func convert(v reflect.Value, t reflect.Type) reflect.Value {
	to := reflect.New(t).Elem()
	switch {
	case t == reflect.TypeFor[time.Time]():
		to.Set(reflect.ValueOf(v.Interface().(time.Time).Round(0).In(time.FixedZone("elsewhere", 3600))))
	case v.CanFloat():
		f := v.Float()
		if f == 0 {
			f = math.Copysign(0, -1)
		}
		to.SetFloat(f)
	case t.Kind() == reflect.Struct:
		for f := range v.Type().Fields() {
			to.FieldByName(f.Name).Set(convert(v.FieldByIndex(f.Index), to.FieldByName(f.Name).Type()))
		}
	case t.Kind() == reflect.Pointer:
		if !v.IsNil() {
			to.Set(reflect.New(t.Elem()))
			to.Elem().Set(convert(v.Elem(), t.Elem()))
		}
	case t.Kind() == reflect.Slice:
		if v.Len() > 0 || v.IsNil() {
			to.Set(reflect.MakeSlice(t, v.Len(), v.Len()))
		}
		convertAll(v, to)
	case t.Kind() == reflect.Array:
		convertAll(v, to)
	case t.Kind() == reflect.Map:
		if v.Len() > 0 || v.IsNil() {
			to.Set(reflect.MakeMap(t))
		}
		for i := v.MapRange(); i.Next(); {
			to.SetMapIndex(convert(i.Key(), t.Key()), convert(i.Value(), t.Elem()))
		}
	default:
		to.Set(v.Convert(t))
	}
	return to
}

func convertAll(v, to reflect.Value) {
	for i := range v.Len() {
		to.Index(i).Set(convert(v.Index(i), to.Type().Elem()))
	}
}

// changesOf are all ways to change one thing in v that makes it another value.
func changesOf(v reflect.Value) (list []func()) {
	add := func(change func()) { list = append(list, change) }
	switch k := v.Kind(); {
	case v.Type() == reflect.TypeFor[time.Time]():
		add(func() { v.Set(reflect.ValueOf(v.Interface().(time.Time).Add(1))) })
	case k == reflect.Bool:
		add(func() { v.SetBool(!v.Bool()) })
	case v.CanInt():
		add(func() { v.SetInt(v.Int() ^ 1) })
	case v.CanUint():
		add(func() { v.SetUint(v.Uint() ^ 1) })
	case v.CanFloat():
		add(func() { v.SetFloat(map[bool]float64{true: 2.5, false: 1.5}[v.Float() == 1.5]) })
	case v.CanComplex():
		add(func() { v.SetComplex(v.Complex() + 1) })
	case k == reflect.String:
		add(func() { v.SetString(v.String() + "x") })
	case k == reflect.Struct:
		for i := range v.NumField() {
			list = append(list, changesOf(v.Field(i))...)
		}
	case k == reflect.Pointer && v.IsNil():
		add(func() { v.Set(reflect.New(v.Type().Elem())) })
	case k == reflect.Pointer:
		add(func() { v.SetZero() })
		list = append(list, changesOf(v.Elem())...)
	case k == reflect.Slice, k == reflect.Array:
		for i := range v.Len() {
			list = append(list, changesOf(v.Index(i))...)
		}
		if k == reflect.Slice {
			add(func() { v.Set(reflect.Append(v, reflect.Zero(v.Type().Elem()))) })
		}
	case k == reflect.Map && v.Len() > 0:
		add(func() { v.SetMapIndex(v.MapKeys()[0], reflect.Value{}) })
	case k == reflect.Map:
		add(func() {
			v.Set(reflect.MakeMap(v.Type()))
			v.SetMapIndex(reflect.Zero(v.Type().Key()), reflect.Zero(v.Type().Elem()))
		})
	}
	return list
}
