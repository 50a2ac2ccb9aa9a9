package idem

//lint:file-ignore U1000 Some fields are there to be lost.

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/idemgen/idemgen/idem/shape"
)

// This file is about values that other systems sent through text or float64 on their way into a hash or a row: requests that are the same become
// different ones, and different ones the same.

// TestPD8: what is hashed is the values of typed arguments, so the spelling of the request's JSON does not count, and every digit does.
func TestPD8_TheSpellingOfARequestDoesNotCountAndEveryDigitDoes(t *testing.T) {
	t.Parallel()
	type request struct {
		Order int64             `json:"order"`
		Cents int64             `json:"cents"`
		Tags  map[string]string `json:"tags"`
	}
	sum := func(text string) string {
		var r request
		if err := json.Unmarshal([]byte(text), &r); err != nil {
			t.Fatal(err)
		}
		var f Fingerprint
		f.Add("req", r)
		s, err := f.sum(nil)
		if err != nil {
			t.Fatal(err)
		}
		return string(s)
	}
	first := sum(`{"order":9007199254740993,"cents":1999,"tags":{"a":"1","b":"2"}}`)
	for _, same := range []string{
		`{"tags":{"b":"2","a":"1"},"cents":1999,"order":9007199254740993}`,
		"{\n\t\"order\": 9007199254740993,\n\t\"cents\": 1999, \"tags\": {\"a\": \"\\u0031\", \"b\": \"2\"}}\n",
	} {
		if sum(same) != first {
			t.Errorf("%s is another request", same)
		}
	}
	for _, other := range []string{
		`{"order":9007199254740992,"cents":1999,"tags":{"a":"1","b":"2"}}`,
		`{"order":9007199254740993,"cents":1999,"tags":{"a":"1","b":"2 "}}`,
	} {
		if sum(other) == first {
			t.Errorf("%s is the same request", other)
		}
	}
}

// TestPE2: a value comes back as it was, or is not stored and the first caller is told; nothing in between.
func TestPE2_AValueComesBackAsItWasOrIsNotStored(t *testing.T) {
	t.Parallel()
	type result struct {
		N    int64
		At   time.Time
		Raw  []byte
		Text string
		F    float64
	}
	zone := time.FixedZone("CET", 3600)
	for name, c := range map[string]struct {
		value  result
		refuse bool
	}{
		"an integer beyond float64":  {value: result{N: math.MaxInt64}},
		"2^53 + 1":                   {value: result{N: 9007199254740993}},
		"a time in a zone":           {value: result{At: time.Date(2026, 3, 1, 12, 0, 0, 123456789, zone)}},
		"NUL":                        {value: result{Text: "a\x00b"}},
		"a mebibyte":                 {value: result{Text: strings.Repeat("x", 1<<20)}},
		"any bytes":                  {value: result{Raw: []byte{0, 0xff, 0xc0}}},
		"text that is not UTF-8":     {value: result{Text: "a\xffb"}, refuse: true},
		"NaN":                        {value: result{F: math.NaN()}, refuse: true},
		"infinity":                   {value: result{F: math.Inf(-1)}, refuse: true},
		"a year json does not write": {value: result{At: time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)}, refuse: true},
	} {
		var codec JSON[result]
		data, err := codec.Encode(Ref{}, c.value)
		if (err != nil) != c.refuse {
			t.Errorf("%s: encoding it gave %v", name, err)
		}
		if err != nil {
			continue
		}
		back, err := codec.Decode(Ref{}, data)
		if !back.At.Equal(c.value.At) || err != nil {
			t.Errorf("%s: the time came back as %v, %v", name, back.At, err)
		}
		back.At = c.value.At
		if !reflect.DeepEqual(back, c.value) {
			t.Errorf("%s came back as something else", name)
		}
	}
}

// lossy are types that encoding/json changes in silence, or refuses when it is too late.
type (
	doubled struct {
		A string `json:"B"`
		B string
	}
	left struct{ hidden int }
	dash struct {
		ID string `json:"-"`
	}
	onlyOut struct{ n int }
)

func (onlyOut) MarshalJSON() ([]byte, error) { return []byte(`"out"`), nil }

// TestPE3: the rows of that table are refused by type, before there is a value.
func TestPE3_WhatJSONLosesIsRefusedByItsType(t *testing.T) {
	t.Parallel()
	for name, typ := range map[string]reflect.Type{
		"an integer behind any":           reflect.TypeFor[any](),
		"a map of any":                    reflect.TypeFor[map[string]any](),
		"an unexported field":             reflect.TypeFor[left](),
		`json:"-"`:                        reflect.TypeFor[dash](),
		"two fields of one name":          reflect.TypeFor[doubled](),
		"a pointer to a pointer":          reflect.TypeFor[**int](),
		"a map with float keys":           reflect.TypeFor[map[float64]int](),
		"a map with array keys":           reflect.TypeFor[map[[2]int]int](),
		"a channel":                       reflect.TypeFor[chan int](),
		"a function":                      reflect.TypeFor[func()](),
		"a complex number":                reflect.TypeFor[complex128](),
		"an interface":                    reflect.TypeFor[interface{ M() }](),
		"an error":                        reflect.TypeFor[error](),
		"MarshalJSON without its reverse": reflect.TypeFor[onlyOut](),
	} {
		refused := false
		for _, p := range shape.Storable(shape.Of(typ)) {
			refused = refused || !p.Warning
		}
		if !refused {
			t.Errorf("%s (%v) is accepted", name, typ)
		}
	}
}
