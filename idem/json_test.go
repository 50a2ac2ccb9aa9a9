package idem

import (
	"math"
	"reflect"
	"strings"
	"testing"
)

// receipt is a result; the types beside it are what it may become a release later.
type receipt struct {
	ID     string
	Amount int64
	Note   *string
}

// roundTrip stores v and reads it back.
func roundTrip[T any](t *testing.T, v T) T {
	t.Helper()
	data, err := JSON[T]{}.Encode(Ref{}, v)
	if err != nil {
		t.Fatal(err)
	}
	back, err := JSON[T]{}.Decode(Ref{}, data)
	if err != nil {
		t.Fatalf("%s: %v", data, err)
	}
	return back
}

func check[T any](t *testing.T, values ...T) {
	t.Helper()
	for _, v := range values {
		if back := roundTrip(t, v); !reflect.DeepEqual(v, back) {
			t.Errorf("%#v came back as %#v", v, back)
		}
	}
}

// TestF1_ZeroValuesComeBackAsThemselves: presence is apart from value, and nil apart from empty.
func TestF1_ZeroValuesComeBackAsThemselves(t *testing.T) {
	t.Parallel()
	check(t, 0, 1)
	check(t, "", "null", "0")
	check(t, false, true)
	check(t, 0.0)
	check(t, receipt{}, receipt{Note: new(string)})
	check(t, nil, &receipt{})
	check(t, nil, []receipt{}, []receipt{{}})
	check(t, nil, []byte{}, []byte{0})
	check(t, nil, map[string]int{}, map[string]int{"": 0})
	check(t, [2]bool{})
	check(t, struct{}{})
	check(t, Void{})
}

// TestF6_LargeIntegersKeepTheirDigits: nothing is read by way of a float.
func TestF6_LargeIntegersKeepTheirDigits(t *testing.T) {
	t.Parallel()
	const n = 9007199254740993
	check(t, int64(n), -n, math.MaxInt64, math.MinInt64)
	check(t, uint64(math.MaxUint64))
	check(t, receipt{Amount: n})
	check(t, map[string]int64{"a": n})
	check(t, map[int64]string{n: "a"})
	check(t, []int64{n})
	check(t, &receipt{Amount: n})
}

// TestF7_AnyBytesOfATextSurvive where json can write them.
func TestF7_AnyBytesOfATextSurvive(t *testing.T) {
	t.Parallel()
	check(t, "\x00", "a\x00b", "\u2028<&>", "\ufffd", "\U0001f600", strings.Repeat("x", 1<<20))
	check(t, []byte("\x00\xff"))
}

func TestJSON_CopiesTheBytesItReads(t *testing.T) {
	t.Parallel()
	data := []byte(`["abc"]`)
	got, err := JSON[[]string]{}.Decode(Ref{}, data)
	if err != nil {
		t.Fatal(err)
	}
	copy(data, "changed")
	if got[0] != "abc" {
		t.Errorf("got %q", got)
	}
}

func TestJSON_CallsMarshalMethodsOfThePointer(t *testing.T) {
	t.Parallel()
	check(t, ownText{"a"})
	check(t, struct{ A ownText }{ownText{"a"}})
}

type ownText struct{ s string }

func (o *ownText) MarshalText() ([]byte, error) { return []byte(o.s), nil }
func (o *ownText) UnmarshalText(b []byte) error { o.s = string(b); return nil }

// TestPE6_AnotherShapeIsAnErrorAndNotAZeroValue stores with one shape and reads with another.
func TestPE6_AnotherShapeIsAnErrorAndNotAZeroValue(t *testing.T) {
	t.Parallel()
	stored, err := JSON[receipt]{}.Encode(Ref{}, receipt{ID: "r1", Amount: 5})
	if err != nil {
		t.Fatal(err)
	}
	for name, decode := range map[string]func([]byte) error{
		"field renamed": decoding[struct {
			ID    string
			Cents int64
			Note  *string
		}],
		"field removed": decoding[struct {
			ID     string
			Amount int64
		}],
		"field retyped": decoding[struct {
			ID     string
			Amount string
			Note   *string
		}],
		"became a list":  decoding[[]receipt],
		"became a text":  decoding[string],
		"became smaller": func(b []byte) error { return decoding[receiptNarrow](replace(b, "5", "300")) },
		"cut off":        func(b []byte) error { return decoding[receipt](b[:len(b)-1]) },
		"nothing":        func([]byte) error { return decoding[receipt](nil) },
		"something more": func(b []byte) error { return decoding[receipt](append(b, b...)) },
		"trailing brace": func(b []byte) error { return decoding[receipt](append(b, '}')) },
		"not json":       func([]byte) error { return decoding[receipt]([]byte("\x00")) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if decode(append([]byte(nil), stored...)) == nil {
				t.Error("it is read")
			}
		})
	}
	if err := decoding[receipt](append([]byte(" \n"), append(stored, "\n"...)...)); err != nil {
		t.Errorf("white space: %v", err)
	}
}

type receiptNarrow struct {
	ID     string
	Amount uint8
	Note   *string
}

func replace(b []byte, old, new string) []byte {
	return []byte(strings.Replace(string(b), old, new, 1))
}

func decoding[T any](b []byte) error {
	v, err := JSON[T]{}.Decode(Ref{}, b)
	if err != nil && !reflect.ValueOf(&v).Elem().IsZero() {
		panic("an error came with a value")
	}
	return err
}

func TestJSON_WhatItCannotWriteIsAnError(t *testing.T) {
	t.Parallel()
	type circle struct{ Next *circle }
	loop := &circle{}
	loop.Next = loop
	for name, encode := range map[string]func() ([]byte, error){
		"NaN":      func() ([]byte, error) { return JSON[float64]{}.Encode(Ref{}, math.NaN()) },
		"infinity": func() ([]byte, error) { return JSON[[]float32]{}.Encode(Ref{}, []float32{float32(math.Inf(1))}) },
		"circle":   func() ([]byte, error) { return JSON[*circle]{}.Encode(Ref{}, loop) },
		"function": func() ([]byte, error) { return JSON[func()]{}.Encode(Ref{}, func() {}) },
	} {
		if data, err := encode(); err == nil {
			t.Errorf("%s: written as %s", name, data)
		}
	}
}
