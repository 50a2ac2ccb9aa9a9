package specimen

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"net"
	"net/netip"
	"reflect"
	"time"
	"unsafe"
)

// This file makes values up: of any type, also in unexported fields, from empty to odd.

// tries is how many random values there are of each type, tame ones and wild ones.
const tries = 12

func invent(t reflect.Type, seed uint64) (list []sample) {
	add := func(label string, i inventor) {
		v := reflect.New(t).Elem()
		i.random, i.parts = rand.New(rand.NewPCG(seed, uint64(len(list)))), new(int)
		i.fill(v, 0)
		list = append(list, sample{label, v, i.wild})
	}
	add("empty", inventor{empty: true})
	add("full", inventor{full: true})
	add("hollow", inventor{hollow: true})
	for i := range tries {
		add(fmt.Sprint("random ", i+1), inventor{})
	}
	for i := range tries / 3 {
		add(fmt.Sprint("wild ", i+1), inventor{wild: true})
	}
	return list
}

type inventor struct {
	random *rand.Rand
	parts  *int // how many the value has so far
	empty  bool // nothing is nil, and nothing holds anything
	full   bool // nothing is nil or zero
	hollow bool // pointers are not nil, and nothing else is there
	wild   bool // also what json can't hold: NaN, text that is not UTF-8
}

// Maker registers how values of a type are made that can't be put together from its fields.
func Maker[T any](values ...T) {
	makers[reflect.TypeFor[T]()] = func(r *rand.Rand) reflect.Value { return reflect.ValueOf(&values[r.IntN(len(values))]).Elem() }
}

var makers = map[reflect.Type]func(*rand.Rand) reflect.Value{}

func init() {
	Maker(time.Time{}, time.Unix(1700000000, 123456789), time.Date(1, 1, 1, 0, 0, 0, 1, time.UTC),
		time.Date(9999, 12, 31, 23, 59, 59, 999999999, time.FixedZone("X", -3600)), time.Now())
	Maker(errors.New("odd"))
	Maker(net.IP{10, 0, 0, 1}, net.ParseIP("10.0.0.1"), net.ParseIP("::1"), nil)
	Maker(json.Number("1.50"), "")
	Maker(json.RawMessage(`{"a": [1, 2]}`), nil)
	Maker(netip.MustParseAddr("10.0.0.1"), netip.MustParseAddr("fe80::1%eth0"))
}

// deepest is how far values go into types that lead back to themselves.
const (
	deepest       = 10
	mostParts     = 300 // pointers, slices and maps: types that lead back to themselves on several ways grow in all directions
	deepestHollow = 5
)

// fill sets v, which is addressable.
func (i inventor) fill(v reflect.Value, depth int) {
	v = unlocked(v)
	if make := makers[v.Type()]; make != nil {
		if !i.empty && !i.hollow {
			v.Set(make(i.random))
		}
		return
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		if *i.parts++; depth > deepest || *i.parts > mostParts {
			return
		}
	}
	if i.hollow && (v.Kind() != reflect.Pointer && v.Kind() != reflect.Struct && v.Kind() != reflect.Array || depth > deepestHollow) {
		return
	}
	if !i.full && !i.empty && !i.hollow && i.random.IntN(6) == 0 {
		return
	}
	if i.scalar(v) {
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		p := reflect.New(v.Type().Elem())
		i.fill(p.Elem(), depth+1)
		v.Set(p)
	case reflect.Slice:
		s := reflect.MakeSlice(v.Type(), i.size(depth), i.size(depth)+3)
		i.fillAll(s, depth)
		v.Set(s)
	case reflect.Array:
		i.fillAll(v, depth)
	case reflect.Map:
		i.fillMap(v, depth)
	case reflect.Struct:
		for n := range v.NumField() {
			if v.Type().Field(n).Name != "_" {
				i.fill(v.Field(n), depth+1)
			}
		}
	case reflect.Interface:
		i.fillInterface(v)
	case reflect.Chan:
		v.Set(reflect.MakeChan(reflect.ChanOf(reflect.BothDir, v.Type().Elem()), 1).Convert(v.Type()))
	case reflect.Func:
		v.Set(reflect.MakeFunc(v.Type(), func([]reflect.Value) []reflect.Value { return nil }))
	case reflect.UnsafePointer:
		v.SetPointer(unsafe.Pointer(new(int)))
	}
}

func (i inventor) size(depth int) int {
	switch {
	case i.empty:
		return 0
	case depth > 3:
		return 1
	}
	return 2
}

func (i inventor) fillAll(list reflect.Value, depth int) {
	for n := range list.Len() {
		i.fill(list.Index(n), depth+1)
	}
}

func (i inventor) fillMap(v reflect.Value, depth int) {
	m := reflect.MakeMap(v.Type())
	for range i.size(depth) {
		key, elem := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		i.fill(key, depth+1)
		i.fill(elem, depth+1)
		if key.Comparable() {
			m.SetMapIndex(key, elem)
		}
	}
	v.Set(m)
}

// fillInterface puts something into v that has its methods, if there is something.
func (i inventor) fillInterface(v reflect.Value) {
	if i.empty {
		return
	}
	if v.Type() == reflect.TypeFor[error]() {
		v.Set(reflect.ValueOf(errors.New("odd")))
		return
	}
	for _, candidate := range held {
		if reflect.TypeOf(candidate).AssignableTo(v.Type()) {
			v.Set(reflect.ValueOf(candidate))
			return
		}
	}
}

var held = []any{int64(1)<<60 + 1, time.Second, textual("odd")}

// Hold adds values for interfaces that no other has the methods of.
func Hold(values ...any) { held = append(held, values...) }

type textual string

func (t textual) MarshalText() ([]byte, error) { return []byte(t), nil }
func (t textual) Read([]byte) (int, error)     { return 0, nil }
func (t textual) Error() string                { return string(t) }
func (t textual) Price() int                   { return 1 }

var (
	integers = []int64{1, -1, 7, 1 << 40, math.MaxInt64, math.MinInt64, 1<<53 + 1}
	floats   = []float64{1, -1, 0.1, 1e308, 5e-324, 1e21, 1e-7, math.Pi, 16777217, math.Copysign(0, -1)}
	texts    = []string{"a", "B", "12", "true", "null", "\u2028<&>\"\\", "\x00\x7f", "�", "😀é", " two  blanks "}
)

// scalar sets v if it is one.
func (i inventor) scalar(v reflect.Value) bool {
	if i.empty {
		return v.Kind() >= reflect.Bool && v.Kind() <= reflect.Complex128 || v.Kind() == reflect.String
	}
	switch k := v.Kind(); {
	case k == reflect.Bool:
		v.SetBool(true)
	case v.CanInt():
		v.SetInt(pick(i.random, integers) >> (64 - v.Type().Bits()))
		if v.IsZero() {
			v.SetInt(1)
		}
	case v.CanUint():
		v.SetUint(uint64(pick(i.random, integers)) >> (64 - v.Type().Bits()))
		if v.IsZero() {
			v.SetUint(1)
		}
	case v.CanFloat():
		f := pick(i.random, floats)
		if k == reflect.Float32 {
			f = float64(float32(max(min(f, math.MaxFloat32), -math.MaxFloat32)))
		}
		if i.wild {
			f = pick(i.random, []float64{math.NaN(), math.Inf(1), math.Inf(-1)})
		}
		v.SetFloat(f)
	case v.CanComplex():
		v.SetComplex(complex(1, -1))
	case k == reflect.String:
		s := pick(i.random, texts)
		if i.wild {
			s = pick(i.random, []string{"\xff", "a\xc3", "�\xff"})
		}
		v.SetString(s)
	default:
		return false
	}
	return true
}

func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

// Invent makes up one random value of t.
func Invent(t reflect.Type, seed uint64) reflect.Value {
	v := reflect.New(t).Elem()
	inventor{random: rand.New(rand.NewPCG(seed, 1)), parts: new(int)}.fill(v, 0)
	return v
}
