package scenarios

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"time"
)

// This file makes values of any type that a result may have, the corners of each kind more often than chance would, and
// says where two of them differ.

// maker makes random values.
type maker struct{ *rand.Rand }

var (
	someInts    = []int64{0, 1, -1, 127, -128, 255, 1<<31 - 1, -1 << 31, 1<<53 + 1, -1<<53 - 1, math.MaxInt64, math.MinInt64}
	someUints   = []uint64{0, 1, 255, 1 << 53, 1<<53 + 1, math.MaxInt64 + 1, math.MaxUint64}
	someFloats  = []float64{0, math.Copysign(0, -1), 0.1, 1e20, 1e21, 1e-7, 1.0 / 3, math.MaxFloat32, math.MaxFloat64, math.SmallestNonzeroFloat64, -math.MaxFloat64}
	someStrings = []string{
		"", " ", "\x00", "a\x00b", "\u0001\u001f\u007f\u0085", `"\`, "</script>&<", "\u2028\u2029", "\ufffd", `\ufffd`, "\ufeff", "é", "e\u0301",
		"\U0001F4B8", "\U0010FFFF", "null", "{}", strings.Repeat("0123456789", 300),
	}
	someTimes = []time.Time{
		{},
		time.Unix(0, 0).UTC(), time.Date(2026, 3, 29, 2, 30, 0, 123456789, time.FixedZone("", 2*3600)),
		time.Date(9999, 12, 31, 23, 59, 59, 999999999, time.UTC), time.Date(1883, 11, 18, 12, 0, 0, 1, time.FixedZone("", -(4*3600+56*60))),
	}
)

// one picks a corner case most of the time, else makes something.
func one[T any](m maker, corners []T, something func() T) T {
	if m.IntN(3) > 0 {
		return corners[m.IntN(len(corners))]
	}
	return something()
}

// fill makes v random. Deep down everything is empty.
func (m maker) fill(v reflect.Value, depth int) {
	if v.Type() == reflect.TypeFor[time.Time]() {
		v.Set(reflect.ValueOf(one(m, someTimes, func() time.Time { return time.Unix(m.Int64N(1<<33), m.Int64N(1e9)).UTC() })))
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(m.IntN(2) == 0)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		n := one(m, someInts, func() int64 { return int64(m.Uint64()) })
		v.SetInt(n << (64 - v.Type().Bits()) >> (64 - v.Type().Bits()))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		n := one(m, someUints, m.Uint64)
		v.SetUint(n << (64 - v.Type().Bits()) >> (64 - v.Type().Bits()))
	case reflect.Float32:
		v.SetFloat(float64(float32(max(-math.MaxFloat32, min(math.MaxFloat32, one(m, someFloats, m.NormFloat64))))))
	case reflect.Float64:
		v.SetFloat(one(m, someFloats, m.NormFloat64))
	case reflect.String:
		v.SetString(one(m, someStrings, m.text))
	case reflect.Array:
		for i := range v.Len() {
			m.fill(v.Index(i), depth)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			m.fill(v.Field(i), depth)
		}
	default:
		m.fillNilable(v, depth)
	}
}

// fillNilable fills what may be nil, and often is; where it is not, it is often empty.
func (m maker) fillNilable(v reflect.Value, depth int) {
	size := m.IntN(5) - 1
	if depth <= 0 {
		size = min(size, 0)
	}
	if size < 0 {
		v.SetZero()
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		if size > 0 {
			m.fill(v.Elem(), depth-1)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), size, size))
		for i := range size {
			m.fill(v.Index(i), depth-1)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range size {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			m.fill(key, depth-1)
			m.fill(value, depth-1)
			v.SetMapIndex(key, value)
		}
	default:
		panic("no values of " + v.Type().String())
	}
}

func (m maker) text() string {
	var b strings.Builder
	for range m.IntN(20) {
		b.WriteRune(rune(m.IntN(0x110000))) // a surrogate is written as U+FFFD
	}
	return b.String()
}

// difference is where a and b differ; "" where they are equal in everything that a program can see. Times are equal when they
// are the same instant on the same clock.
func difference(a, b reflect.Value) string {
	if a.Type() == reflect.TypeFor[time.Time]() {
		x, y := a.Interface().(time.Time), b.Interface().(time.Time)
		_, there := x.Zone()
		_, here := y.Zone()
		return unless(x.Equal(y) && there == here, a, b)
	}
	switch a.Kind() {
	case reflect.Float32, reflect.Float64:
		return unless(math.Float64bits(a.Float()) == math.Float64bits(b.Float()), a, b)
	case reflect.Struct:
		for i := range a.NumField() {
			if d := difference(a.Field(i), b.Field(i)); d != "" {
				return "." + a.Type().Field(i).Name + d
			}
		}
		return ""
	case reflect.Pointer:
		if a.IsNil() || b.IsNil() {
			return unless(a.IsNil() == b.IsNil(), a, b)
		}
		return difference(a.Elem(), b.Elem())
	case reflect.Slice, reflect.Array:
		if a.Len() != b.Len() || a.Kind() == reflect.Slice && a.IsNil() != b.IsNil() {
			return unless(false, a, b)
		}
		for i := range a.Len() {
			if d := difference(a.Index(i), b.Index(i)); d != "" {
				return fmt.Sprintf("[%d]%s", i, d)
			}
		}
		return ""
	case reflect.Map:
		if a.Len() != b.Len() || a.IsNil() != b.IsNil() {
			return unless(false, a, b)
		}
		for _, key := range a.MapKeys() {
			if !b.MapIndex(key).IsValid() {
				return fmt.Sprintf("[%#v] is missing", key)
			}
			if d := difference(a.MapIndex(key), b.MapIndex(key)); d != "" {
				return fmt.Sprintf("[%#v]%s", key, d)
			}
		}
		return ""
	default:
		return unless(reflect.DeepEqual(a.Interface(), b.Interface()), a, b)
	}
}

func unless(same bool, a, b reflect.Value) string {
	if same {
		return ""
	}
	return fmt.Sprintf(": %#v and %#v", a, b)
}

// The types of results that are neither plain nor anybody's.

// Base is embedded.
type Base struct {
	ID      string
	Created time.Time
	Parent  *string
}

type embedding struct {
	Base
	Note string
}

type embeddingPointer struct {
	*Base
	Amount int64 `json:",string"`
}

type page[T any] struct {
	Items []T
	Total uint64
	Next  *page[T]
}

type pair[K comparable, V any] struct {
	Key   K
	Value V
	All   map[K]V
}

type tree struct {
	Name     string
	Children []*tree
	ByName   map[string]tree
}

// code is written as text, as a key too.
type code [3]byte

func (c code) MarshalText() ([]byte, error) { return []byte(hex.EncodeToString(c[:])), nil }

func (c *code) UnmarshalText(text []byte) error {
	if n, err := hex.Decode(c[:], text); n != len(c) || err != nil {
		return errors.New("not a code")
	}
	return nil
}

// money is written by a method of its own.
type money struct {
	Units int64
	Nanos int32
}

func (m money) MarshalJSON() ([]byte, error) {
	return json.Marshal(fmt.Sprintf("%d:%d", m.Units, m.Nanos))
}

func (m *money) UnmarshalJSON(data []byte) error {
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return err
	}
	_, err := fmt.Sscanf(text, "%d:%d", &m.Units, &m.Nanos)
	return err
}

// kinds has a field of every kind.
type kinds struct {
	B   bool
	I   int
	I8  int8
	I16 int16
	I32 int32
	I64 int64
	U   uint
	U8  uint8
	U64 uint64
	F32 float32
	F64 float64
	S   string
	By  []byte
	A   [3]int16
	D   time.Duration
	P   *int
}
