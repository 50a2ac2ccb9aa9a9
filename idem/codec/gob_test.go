package codec_test

import (
	"bytes"
	"encoding/gob"
	"encoding/hex"
	"errors"
	"math/big"
	"net/netip"
	"net/url"
	"reflect"
	"testing"
	"testing/quick"
	"time"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/codec"
)

// This file holds what Gob says of types against what gob does with their values.

type (
	named  string
	inner  struct{ A, B int8 }
	nested struct {
		In    inner
		Ptr   *inner
		List  []inner
		Ptrs  []*inner
		Map   map[string]inner
		Array [3]inner
	}
	tree struct {
		Name string
		Kids []tree
	}
	list struct {
		V    int
		Next *list
	}
	page[T any] struct {
		Items []T
		Next  string
	}
	Base     struct{ ID int64 }
	embedded struct {
		Base
		*Other
		Name named
	}
	Other struct{ X bool }
)

func TestGob_WhatItStoresComesBack(t *testing.T) {
	t.Parallel()
	comesBack[bool](t)
	comesBack[int](t)
	comesBack[uint8](t)
	comesBack[float32](t)
	comesBack[complex128](t)
	comesBack[string](t)
	comesBack[named](t)
	comesBack[[]byte](t)
	comesBack[[]string](t)
	comesBack[[][]int](t)
	comesBack[[4]bool](t)
	comesBack[map[string]int](t)
	comesBack[map[int][]named](t)
	comesBack[map[inner]map[string]bool](t)
	comesBack[inner](t)
	comesBack[*inner](t)
	comesBack[nested](t)
	comesBack[*nested](t)
	comesBack[[]*inner](t)
	comesBack[tree](t)
	comesBack[*tree](t)
	comesBack[list](t)
	comesBack[page[inner]](t)
	comesBack[page[page[string]]](t)
	comesBack[embedded](t)
	comesBack(t, struct{ A, B any }{inner{1, 2}, "x"})
	comesBack(t, struct{ T *time.Time }{}, struct{ T *time.Time }{new(time.Time)})
	comesBack(t, struct{}{})
	comesBack[[]struct{}](t)
	comesBack[map[string]*inner](t)
	comesBack(t, time.Time{}, time.Date(2024, 2, 29, 1, 2, 3, 4, time.FixedZone("x", 3600)))
	comesBack(t, big.NewInt(0), new(big.Int).Lsh(big.NewInt(1), 200), nil)
	comesBack(t, struct{ N *big.Int }{}, struct{ N *big.Int }{big.NewInt(0)})
	comesBack(t, netip.Addr{}, netip.MustParseAddr("::1"))
	comesBack(t, url.URL{}, url.URL{Scheme: "https", Host: "example.com"})
	comesBack[any](t, nil, 7, "x")
}

// comesBack stores values, or random ones where there are none, the zero value first.
func comesBack[T any](t *testing.T, values ...T) {
	t.Helper()
	c := codec.Gob[T]{}
	if err := c.Check(); err != nil {
		t.Errorf("%T: %v", *new(T), err)
		return
	}
	check := func(v T) bool {
		data, err := c.Encode(ref, v)
		if err != nil {
			t.Errorf("%T: %v", v, err)
			return false
		}
		back, err := c.Decode(ref, data)
		if err != nil || !alike(reflect.ValueOf(&v).Elem(), reflect.ValueOf(&back).Elem()) {
			t.Errorf("%T: %+v came back as %+v, %v", v, v, back, err)
			return false
		}
		return true
	}
	for _, v := range append([]T{*new(T)}, values...) {
		check(v)
	}
	if k := reflect.TypeFor[T]().Kind(); len(values) == 0 && k != reflect.Interface {
		if err := quick.Check(func(v T) bool {
			fill(reflect.ValueOf(&v).Elem())
			return check(v)
		}, &quick.Config{MaxCount: 60}); err != nil {
			t.Errorf("%T: %v", *new(T), err)
		}
	}
}

// fill takes nil elements away, which gob can't store, and puts something into interfaces.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Interface:
		v.Set(reflect.ValueOf(inner{1, 2}))
	case reflect.Pointer:
		if !v.IsNil() {
			fill(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i))
		}
	case reflect.Map:
		for _, k := range v.MapKeys() {
			if e := v.MapIndex(k); e.Kind() == reflect.Pointer && e.IsNil() {
				v.SetMapIndex(k, reflect.Value{})
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			if e := v.Index(i); e.Kind() == reflect.Pointer && e.IsNil() {
				e.Set(reflect.New(e.Type().Elem()))
			}
			fill(v.Index(i))
		}
	}
}

func init() { gob.Register(inner{}) }

// alike is equal, but for nil and empty slices.
func alike(a, b reflect.Value) bool {
	if a.Type() != b.Type() {
		return false
	}
	if m, ok := a.Interface().(time.Time); ok {
		return m.Equal(b.Interface().(time.Time))
	}
	switch a.Kind() {
	case reflect.Slice:
		if a.Len() != b.Len() {
			return false
		}
		for i := range a.Len() {
			if !alike(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return true
	case reflect.Pointer, reflect.Interface:
		if a.IsNil() || b.IsNil() {
			return a.IsNil() == b.IsNil()
		}
		if a.Kind() == reflect.Pointer && a.Type() == reflect.TypeFor[*big.Int]() {
			return a.Interface().(*big.Int).Cmp(b.Interface().(*big.Int)) == 0
		}
		return alike(a.Elem(), b.Elem())
	case reflect.Struct:
		if a.NumField() > 0 && !a.Type().Field(0).IsExported() {
			return reflect.DeepEqual(a.Interface(), b.Interface())
		}
		for i := range a.NumField() {
			if !alike(a.Field(i), b.Field(i)) {
				return false
			}
		}
		return true
	case reflect.Map:
		if a.Len() != b.Len() || a.IsNil() != b.IsNil() {
			return false
		}
		for _, k := range a.MapKeys() {
			if w := b.MapIndex(k); !w.IsValid() || !alike(a.MapIndex(k), w) {
				return false
			}
		}
		return true
	default:
		return reflect.DeepEqual(a.Interface(), b.Interface())
	}
}

// Each of these types has a value, given beside it, of which gob would lose a part or that it does not take.
func TestGob_TypesThatWouldLosePartsAreRefusedBeforeAnythingRuns(t *testing.T) {
	t.Parallel()
	var none *inner
	zero, text := 0, ""
	refused(t, struct{ A, b int }{1, 2})
	refused(t, struct{ A *int }{&zero})
	refused(t, &zero)
	refused(t, struct{ A *string }{&text})
	refused(t, struct{ A *[]int }{&[]int{}})
	refused(t, struct{ A **inner }{&[]*inner{nil}[0]})
	refused(t, &none)
	refused(t, struct {
		A int
		F func()
	}{1, func() {}})
	refused(t, struct {
		A int
		C chan int
	}{1, make(chan int)})
	refused(t, struct{ inner }{inner{1, 2}})
	refused(t, page[func()]{Items: []func(){func() {}}})
	refused(t, map[string]struct{ a int }{"x": {1}})
	refused(t, struct {
		time.Time
		A int
	}{time.Unix(1, 0), 1})
}

// writesOnly has no method by which it could be read.
type writesOnly struct{ A int }

func (w writesOnly) GobEncode() ([]byte, error) { return []byte{byte(w.A)}, nil }

// dated has methods of its own beside those of its embedded field.
type dated struct {
	time.Time
	A int
}

func (d dated) GobEncode() ([]byte, error) {
	return append([]byte{byte(d.A)}, d.Time.UTC().String()...), nil
}

func (d *dated) GobDecode(data []byte) (err error) {
	d.A = int(data[0])
	d.Time, err = time.Parse("2006-01-02 15:04:05 -0700 MST", string(data[1:]))
	return err
}

func TestGob_WhoWritesItselfMustReadItselfAndAllOfIt(t *testing.T) {
	t.Parallel()
	if _, err := (codec.Gob[writesOnly]{}).Encode(ref, writesOnly{1}); err == nil {
		t.Error("what nobody can read is stored")
	}
	was := dated{time.Unix(1, 0).UTC(), 7}
	data, err := codec.Gob[dated]{}.Encode(ref, was)
	if err != nil {
		t.Fatal(err)
	}
	if is, err := (codec.Gob[dated]{}).Decode(ref, data); err != nil || is.A != was.A || !is.Equal(was.Time) {
		t.Errorf("%v came back as %v, %v", was, is, err)
	}
}

func refused[T any](t *testing.T, witness T) {
	t.Helper()
	ran := false
	_, err := do(t, newStore(), codec.Gob[T]{}, func() (T, error) { ran = true; return witness, nil })
	if !errors.Is(err, idem.ErrBadOperation) || ran {
		t.Errorf("%T: %v, ran: %v", witness, err, ran)
	}
	if _, err := (codec.Gob[T]{}).Encode(ref, witness); err == nil {
		t.Errorf("%T is encoded", witness)
	}
	if _, err := (codec.Gob[T]{}).Decode(ref, []byte{1, 0}); err == nil {
		t.Errorf("%T is decoded", witness)
	}
	type box struct{ V T }
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(box{witness}); err != nil {
		return
	}
	var back box
	if err := gob.NewDecoder(&b).Decode(&back); err == nil && reflect.DeepEqual(back.V, witness) {
		t.Errorf("%T is refused, and %+v comes back", witness, witness)
	}
}

func TestGob_FieldsThatAreGoneOrAreAnotherKindMakeARowUnreadable(t *testing.T) {
	t.Parallel()
	type (
		was     struct{ A, B int32 }
		more    struct{ A, B, C int32 }
		wider   struct{ A, B int64 }
		ordered struct{ B, A int32 }
		less    struct{ A int32 }
		renamed struct{ A, D int32 }
		retyped struct {
			A int32
			B string
		}
		signless struct{ A, B uint32 }
	)
	data := encode(t, codec.Gob[was]{}, ref, was{1, 2})
	reads(t, data, more{1, 2, 0}, true)
	reads(t, data, wider{1, 2}, true)
	reads(t, data, ordered{2, 1}, true)
	reads(t, data, less{}, false)
	reads(t, data, renamed{}, false)
	reads(t, data, retyped{}, false)
	reads(t, data, signless{}, false)
	reads(t, data, &was{1, 2}, true)
	reads(t, encode(t, codec.Gob[*was]{}, ref, nil), (*was)(nil), true)
}

func reads[T any](t *testing.T, data []byte, want T, ok bool) {
	t.Helper()
	got, err := codec.Gob[T]{}.Decode(ref, data)
	if ok && (err != nil || !reflect.DeepEqual(got, want)) || !ok && err == nil {
		t.Errorf("%T: %+v, %v", want, got, err)
	}
}

// The bytes are stored data. The type's number in them is that of the process that wrote them.
func TestGob_StoredBytesStayReadable(t *testing.T) {
	t.Parallel()
	data, err := hex.DecodeString(gobVector)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := (codec.Gob[receipt]{}).Decode(ref, data); err != nil || got != (receipt{"charge", 1999}) {
		t.Errorf("%v, %v", got, err)
	}
}

func FuzzGob(f *testing.F) {
	f.Add(encode(f, codec.Gob[nested]{}, ref, nested{List: []inner{{1, 2}}, Map: map[string]inner{"a": {}}}))
	f.Add(encode(f, codec.Gob[*list]{}, ref, &list{1, &list{2, nil}}))
	f.Add([]byte{1, 0, 0xfc, 0x3f, 0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, data []byte) {
		_, _ = codec.Gob[nested]{}.Decode(ref, data)
		_, _ = codec.Gob[*list]{}.Decode(ref, data)
		_, _ = codec.Gob[any]{}.Decode(ref, data)
		_, _ = codec.Gob[big.Int]{}.Decode(ref, data)
	})
}
