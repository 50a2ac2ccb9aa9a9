package idemtest

import (
	"encoding"
	"encoding/binary"
	"encoding/json"
	"math"
	"math/big"
	"math/rand"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// This file makes values of any type out of bytes: the same for the same bytes. It leaves out what a codec tells at run time, such as
// NaN and text that is not UTF-8.

// filler hands out its bytes; there is nothing but zeros behind the last.
type filler struct{ data []byte }

// The limits of what is made: of nesting, of elements, of text.
const (
	deepest  = 6
	longest  = 3
	mostText = 24
)

func (f *filler) byte() byte {
	if len(f.data) == 0 {
		return 0
	}
	b := f.data[0]
	f.data = f.data[1:]
	return b
}

func (f *filler) bits() uint64 {
	var b [8]byte
	f.data = f.data[copy(b[:], f.data):]
	return binary.BigEndian.Uint64(b[:])
}

// number is small for most bytes, and any for some.
func (f *filler) number() uint64 {
	if b := f.byte(); b < 200 {
		return uint64(b)
	}
	return f.bits()
}

func (f *filler) text() string {
	n := min(int(f.byte())%mostText, len(f.data))
	text := f.data[:n]
	f.data = f.data[n:]
	return strings.ToValidUTF8(string(text), "?")
}

// fill sets v, which can be set.
func (f *filler) fill(v reflect.Value, depth int) {
	if depth > deepest || f.known(v) {
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(f.byte()&1 == 1)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(int64(f.number()))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		v.SetUint(f.number())
	case reflect.Float32, reflect.Float64:
		if x := math.Float64frombits(f.bits()); v.Kind() == reflect.Float64 && x-x == 0 {
			v.SetFloat(x)
		} else {
			v.SetFloat(float64(int8(f.byte())) / 4)
		}
	case reflect.String:
		v.SetString(f.text())
	case reflect.Struct:
		for i := range v.NumField() {
			f.field(v.Type().Field(i), v.Field(i), depth)
		}
	case reflect.Array:
		for i := range v.Len() {
			f.fill(v.Index(i), depth+1)
		}
	case reflect.Pointer:
		if f.byte()%4 != 0 && depth < deepest {
			v.Set(reflect.New(v.Type().Elem()))
			f.fill(v.Elem(), depth+1)
		}
	case reflect.Slice:
		if n := f.length(); n >= 0 {
			v.Set(reflect.MakeSlice(v.Type(), n, n))
			for i := range n {
				f.fill(v.Index(i), depth+1)
			}
		}
	case reflect.Map:
		f.entries(v, depth)
	}
	// interfaces, functions and channels stay nil: their types are not stored, or only on purpose
}

// length is -1 for nil.
func (f *filler) length() int { return int(f.byte())%(longest+2) - 1 }

func (f *filler) entries(v reflect.Value, depth int) {
	n := f.length()
	if n < 0 {
		return
	}
	v.Set(reflect.MakeMap(v.Type()))
	for range n {
		key, elem := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		f.fill(key, depth+1)
		f.fill(elem, depth+1)
		v.SetMapIndex(key, elem)
	}
}

// field leaves alone what no codec can set, and makes no empty slice or map where omitempty takes it for nil.
func (f *filler) field(field reflect.StructField, v reflect.Value, depth int) {
	if !v.CanSet() {
		if field.Anonymous && v.Kind() == reflect.Struct { // its exported fields are promoted
			for i := range v.NumField() {
				f.field(v.Type().Field(i), v.Field(i), depth+1)
			}
		}
		return
	}
	f.fill(v, depth+1)
	_, options, _ := strings.Cut(field.Tag.Get("json"), ",")
	if (v.Kind() == reflect.Slice || v.Kind() == reflect.Map) && v.Len() == 0 && strings.Contains(options, "omitempty") {
		v.SetZero()
	}
}

// generator is quick.Generator; that package would add its flags to the user's tests.
type generator interface {
	Generate(r *rand.Rand, size int) reflect.Value
}

// known makes values of types that are more than their parts.
func (f *filler) known(v reflect.Value) bool {
	if own, ok := v.Interface().(generator); ok && (v.Kind() != reflect.Pointer || !v.IsNil()) {
		v.Set(own.Generate(rand.New(rand.NewSource(int64(f.bits()))), longest))
		return true
	}
	switch p := v.Addr().Interface().(type) {
	case *time.Time:
		*p = time.Unix(int64(f.bits()%(1<<36)), int64(f.bits()%1e9)).UTC()
	case *big.Int:
		p.SetInt64(int64(f.number()))
	case *json.RawMessage:
		*p, _ = json.Marshal(f.text())
	case *json.Number:
		*p = json.Number(strconv.FormatInt(int64(f.number()), 10))
	case encoding.TextUnmarshaler:
		if v.Kind() != reflect.Struct || hasExported(v.Type()) {
			return false
		}
		before := reflect.New(v.Type()).Elem()
		before.Set(v)
		if p.UnmarshalText([]byte(strconv.Itoa(int(f.byte())))) != nil { // a number is text for many: decimals, ids, levels
			v.Set(before)
		}
	default:
		return false
	}
	return true
}

func hasExported(t reflect.Type) bool {
	for i := range t.NumField() {
		if t.Field(i).IsExported() {
			return true
		}
	}
	return false
}
