package idem

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand"
	"reflect"
	"slices"
	"testing"
	"testing/quick"
)

// specimen has all that random values can be made of.
type specimen struct {
	Bool    bool
	Int     int8
	Uint    uint16
	Float   float64
	Narrow  float32
	Complex complex64
	Text    string
	Bytes   []byte
	ID      [4]byte
	Pointer *int8
	Twice   **bool
	List    []string
	Lists   [][]uint8
	Pair    [2]int8
	Map     map[int8]string
	Maps    map[string]map[bool]int8
	Nested  struct {
		A, B int8
		C    *struct{ D string }
	}
	Structs []struct{ A, B bool }
}

// random makes a value with many zero values, empty lists and repetitions in it, so that near misses are frequent.
func random(r *rand.Rand, t reflect.Type) reflect.Value {
	v := reflect.New(t).Elem()
	if r.Intn(4) == 0 {
		return v
	}
	switch t.Kind() {
	case reflect.Bool:
		v.SetBool(r.Intn(2) == 0)
	case reflect.Int8:
		v.SetInt(int64(r.Intn(5) - 2))
	case reflect.Uint8, reflect.Uint16:
		v.SetUint(uint64(r.Intn(3)))
	case reflect.Float32, reflect.Float64:
		v.SetFloat([]float64{math.Copysign(0, -1), 1, -1, 0.5, math.NaN(), math.Inf(1)}[r.Intn(6)])
	case reflect.Complex64:
		v.SetComplex(complex(float64(r.Intn(2)), float64(r.Intn(2))))
	case reflect.String:
		v.SetString([]string{"a", "b", "ab", "\x00", "\x00\x00\x00\x01a"}[r.Intn(5)])
	case reflect.Pointer:
		v.Set(reflect.New(t.Elem()))
		v.Elem().Set(random(r, t.Elem()))
	case reflect.Slice:
		v.Set(reflect.MakeSlice(t, r.Intn(3), 3))
		for i := range v.Len() {
			v.Index(i).Set(random(r, t.Elem()))
		}
	case reflect.Array:
		for i := range v.Len() {
			v.Index(i).Set(random(r, t.Elem()))
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(t))
		for range r.Intn(3) {
			v.SetMapIndex(random(r, t.Key()), random(r, t.Elem()))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			v.Field(i).Set(random(r, t.Field(i).Type))
		}
	}
	return v
}

// alike is the rule of equality, written without bytes: for values of one type made by random.
func alike(a, b reflect.Value) bool {
	switch a.Kind() {
	case reflect.Float32, reflect.Float64:
		return a.Float() == b.Float() || a.Float() != a.Float() && b.Float() != b.Float()
	case reflect.Pointer:
		if a.IsNil() || b.IsNil() {
			return a.IsNil() && b.IsNil()
		}
		return alike(a.Elem(), b.Elem())
	case reflect.Slice, reflect.Array:
		if a.Len() != b.Len() {
			return false
		}
		for i := range a.Len() {
			if !alike(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return true
	case reflect.Map:
		if a.Len() != b.Len() {
			return false
		}
		for _, k := range a.MapKeys() {
			if other := b.MapIndex(k); !other.IsValid() || !alike(a.MapIndex(k), other) {
				return false
			}
		}
		return true
	case reflect.Struct:
		for i := range a.NumField() {
			if !alike(a.Field(i), b.Field(i)) {
				return false
			}
		}
		return true
	default:
		return a.Equal(b)
	}
}

// changed is v with a random part of it made anew.
func changed(r *rand.Rand, v reflect.Value) reflect.Value {
	out := reflect.New(v.Type()).Elem()
	out.Set(v)
	if v.Kind() == reflect.Struct {
		i := r.Intn(v.NumField())
		out.Field(i).Set(changed(r, v.Field(i)))
		return out
	}
	return random(r, v.Type())
}

// checkPair holds the bytes of two values against the rule, and the bytes of each against the grammar.
func checkPair(t *testing.T, a, b reflect.Value) {
	t.Helper()
	x, y := canonicalOf(t, a.Interface()), canonicalOf(t, b.Interface())
	if want := alike(a, b); bytes.Equal(x, y) != want {
		t.Fatalf("alike is %t for\n%+v\n%+v", want, a, b)
	}
	for _, data := range [][]byte{x, y} {
		text, rest, err := parse(data)
		if err != nil || len(rest) > 0 {
			t.Fatalf("can't be read again: %v (%d bytes left) in %x: %s", err, len(rest), data, text)
		}
	}
}

func canonicalOf(t *testing.T, v any) []byte {
	t.Helper()
	s := canonical{}
	if _, err := planOf(reflect.TypeOf(v)).encode(&s, reflect.ValueOf(v)); err != nil {
		t.Fatal(err)
	}
	return s.b
}

func TestCanonical_EqualBytesAreEqualValues(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewSource(1))
	typ := reflect.TypeFor[specimen]()
	equal := 0
	for range 5000 {
		a := random(r, typ)
		b := changed(r, a)
		if alike(a, b) {
			equal++
		}
		checkPair(t, a, b)
		checkPair(t, a, random(r, typ))
	}
	if equal < 500 || equal > 4500 {
		t.Errorf("%d of 5000 pairs were equal: the values show nothing", equal)
	}
}

func FuzzCanonical(f *testing.F) {
	f.Add(int64(1), int64(2))
	f.Fuzz(func(t *testing.T, one, other int64) {
		typ := reflect.TypeFor[specimen]()
		a := random(rand.New(rand.NewSource(one)), typ)
		r := rand.New(rand.NewSource(other))
		checkPair(t, a, random(r, typ))
		checkPair(t, a, changed(r, a))
	})
}

// TestG2_FieldOrderAddedFieldsAndWideningChangeNothing makes new types of a type: its fields permuted, others added, integers and floats
// widened.
func TestG2_FieldOrderAddedFieldsAndWideningChangeNothing(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewSource(2))
	typ := reflect.TypeFor[specimen]()
	for range 200 {
		v := random(r, typ)
		want := canonicalOf(t, v.Interface())
		if got := canonicalOf(t, evolved(r, v).Interface()); !bytes.Equal(got, want) {
			t.Fatalf("%+v changes", v)
		}
	}
}

// evolved is v in the shape its type may have a release later.
func evolved(r *rand.Rand, v reflect.Value) reflect.Value {
	wider := map[reflect.Kind]reflect.Type{
		reflect.Int8: reflect.TypeFor[int64](), reflect.Uint16: reflect.TypeFor[uint](), reflect.Float32: reflect.TypeFor[float64](),
		reflect.Complex64: reflect.TypeFor[complex128](),
	}
	var fields []reflect.StructField
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if t, ok := wider[f.Type.Kind()]; ok {
			f.Type = t
		}
		fields = append(fields, reflect.StructField{Name: f.Name, Type: f.Type, Tag: `json:"-"`})
	}
	for i, added := range []any{0, "", (*specimen)(nil), specimen{}, [3]specimen{}, map[string]int{}, [2][]byte{{}}} {
		fields = append(fields, reflect.StructField{Name: fmt.Sprintf("Added%d", i), Type: reflect.TypeOf(added)})
	}
	r.Shuffle(len(fields), func(i, j int) { fields[i], fields[j] = fields[j], fields[i] })
	out := reflect.New(reflect.StructOf(fields)).Elem()
	for i := range v.NumField() {
		f := out.FieldByName(v.Type().Field(i).Name)
		f.Set(v.Field(i).Convert(f.Type()))
	}
	return out
}

// parse reads one value back, by nothing but the grammar, and checks what can be checked about it.
func parse(b []byte) (text string, rest []byte, err error) {
	if len(b) < headerSize {
		return "", nil, fmt.Errorf("no header in %x", b)
	}
	tag, n := b[0], int(binary.BigEndian.Uint32(b[1:]))
	b = b[headerSize:]
	if n > len(b) {
		return "", nil, fmt.Errorf("tag %d: %d bytes of %d", tag, len(b), n)
	}
	payload, rest := b[:n], b[n:]
	var parts []string
	for len(payload) > 0 && slices.Contains([]byte{tagList, tagMap, tagStruct, tagPointer, tagInterface}, tag) {
		if tag == tagStruct || tag == tagInterface {
			name := payload[4 : 4+binary.BigEndian.Uint32(payload)]
			parts, payload = append(parts, string(name)), payload[4+len(name):]
		}
		var part string
		if part, payload, err = parse(payload); err != nil {
			return "", nil, err
		}
		parts = append(parts, part)
	}
	if tag == tagStruct {
		for i := 2; i < len(parts); i += 2 {
			if parts[i-2] >= parts[i] {
				return "", nil, fmt.Errorf("fields out of order: %q", parts)
			}
		}
	}
	if fixed := map[byte]int{tagBool: 1, tagInteger: 9, tagFloat: 8, tagComplex: 16, tagNil: 0, tagTime: 12, tagUnset: 0}; fixed[tag] != n {
		if _, ok := fixed[tag]; ok {
			return "", nil, fmt.Errorf("tag %d has %d bytes", tag, n)
		}
	}
	if tag == 0 || tag > tagUnset {
		return "", nil, fmt.Errorf("tag %d", tag)
	}
	return fmt.Sprintf("%d%q%x", tag, parts, payload), rest, nil
}

func TestCanonical_AnyTextAndBytesKeepTheirLength(t *testing.T) {
	t.Parallel()
	err := quick.Check(func(a, b []string, c, d []byte) bool {
		x := canonicalOf(t, struct {
			A []string
			C []byte
		}{a, c})
		y := canonicalOf(t, struct {
			A []string
			C []byte
		}{b, d})
		return bytes.Equal(x, y) == (slices.Equal(a, b) && bytes.Equal(c, d))
	}, nil)
	if err != nil {
		t.Error(err)
	}
}
