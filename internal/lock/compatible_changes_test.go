package lock

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"time"

	"github.com/idemgen/idemgen/idem"
)

// This file is changes of types: which make stored values unreadable, and which do not.

// pair is a change of a result's type.
type pair struct {
	name     string
	was, is  reflect.Type
	witness  []any // values of the old type that tell; there are others
	readable bool
}

func change[Was, Is any](name string, readable bool, witness ...Was) pair {
	p := pair{name: name, was: reflect.TypeFor[Was](), is: reflect.TypeFor[Is](), readable: readable}
	for _, w := range witness {
		p.witness = append(p.witness, w)
	}
	return p
}

type (
	ab       struct{ A, B int }
	ba       struct{ B, A int }
	abc      struct{ A, B, C int }
	inner    struct{ X int }
	tree     struct{ Kids []tree }
	treeWide struct {
		Kids []treeWide
		Name string
	}
	treeOther struct{ Kids []struct{ Kids []string } }
	texted    struct{ s string }
	colour    string
)

func (t texted) MarshalText() ([]byte, error) { return []byte("t" + t.s), nil }

func (t *texted) UnmarshalText(text []byte) error {
	t.s = strings.TrimPrefix(string(text), "t")
	return nil
}

// nully writes null, as its UnmarshalJSON would understand it.
type nully struct{ n int }

func (n nully) MarshalJSON() ([]byte, error) {
	if n.n == 0 {
		return []byte("null"), nil
	}
	return json.Marshal(n.n)
}

func (n *nully) UnmarshalJSON(text []byte) error { return json.Unmarshal(text, &n.n) }

type a1[T any] struct{ A T }

var changes = []pair{
	change[ab, ba]("fields change their order", true),
	change[ab, abc]("a field is added", true),
	change[abc, ab]("a field is removed", false),
	change[ab, struct{ A, C int }]("a field is renamed", false),
	change[ab, struct {
		A int
		C int `json:"B"`
	}]("a field is renamed in Go alone", true),
	change[ab, struct{ A, b int }]("a field is unexported", false),
	change[ab, struct {
		A int
		B int `json:"-"`
	}]("a field is left out", false),
	change[ab, struct {
		A int `json:"a"`
		B int `json:"b"`
	}]("names change their case", true),
	change[struct {
		A int `json:"a"`
		B int `json:"A"`
	}, struct {
		C int `json:"a"`
	}]("two names become one but for their case", false, struct {
		A int `json:"a"`
		B int `json:"A"`
	}{1, 2}),
	change[struct {
		A string `json:"id"`
	}, struct {
		A int    `json:"Id"`
		B string `json:"ID"`
	}]("a name becomes two but for their case", false),
	change[struct {
		A int `json:"a"`
		B int `json:"A"`
	}, struct {
		C int `json:"a"`
		D int `json:"A"`
	}]("two names differ by their case and stay", true),
	change[struct{ inner }, inner]("embedding ends", true),
	change[inner, struct{ *Inner }]("embedding begins", true),
	change[struct{ In inner }, struct{ inner }]("a field is embedded", false),
	change[inner, struct{ In inner }]("a struct is wrapped", false),
	change[a1[int], struct {
		A int `json:",omitempty"`
	}]("omitempty comes", true),
	change[struct {
		A int `json:",omitempty"`
	}, a1[int]]("omitempty goes", true),
	change[struct {
		A *int `json:",omitempty"`
	}, a1[*int]]("omitempty of a pointer goes", true),
	change[struct {
		A time.Time `json:",omitzero"`
	}, a1[time.Time]]("omitzero goes", true),
	change[struct {
		A int `json:",omitempty"`
	}, struct {
		A *int `json:",omitempty"`
	}]("what is left out when it is zero becomes a pointer", false),
	change[struct {
		A time.Time `json:",omitzero"`
	}, a1[*time.Time]]("so does a time", false),
	change[struct {
		A int `json:",omitempty,string"`
	}, struct {
		A *int `json:",string"`
	}]("so does a quoted number", false),
	change[struct {
		A [2]int `json:",omitzero"`
	}, a1[[]int]]("an array that is left out when it is zero becomes a list", false),
	change[struct {
		A [2]byte `json:",omitzero"`
	}, a1[[]byte]]("so does one of bytes", false),
	change[struct {
		A a1[int] `json:",omitzero"`
	}, a1[a1[*int]]]("a field of a struct that is left out when it is zero becomes a pointer", false),
	change[struct {
		A [2]a1[int] `json:",omitzero"`
	}, a1[[2]a1[*int]]]("so does one within an array", false),
	change[struct {
		A []a1[int] `json:",omitempty"`
	}, a1[[]a1[*int]]]("a field within a list that is left out when it is empty does not matter", true),
	change[struct {
		A *a1[int] `json:",omitempty"`
	}, a1[*a1[*int]]]("nor does one behind a pointer", true),
	change[struct {
		A int32 `json:",omitempty"`
	}, a1[int64]]("what is left out when it is zero gets wider", true),
	change[struct{ *Inner }, inner]("an embedded pointer goes", false, struct{ *Inner }{}),
	change[struct{ *Inner }, struct{ *Inner2 }]("an embedded pointer stays, and leads to more", true),
	change[omits, struct{ *Omits }]("what is left out when it is zero is embedded by a pointer", false),
	change[a1[int], struct {
		A int `json:",string"`
	}]("a number is quoted", false),
	change[struct {
		A int `json:",string"`
	}, a1[int]]("a number is quoted no longer", false),
	change[struct {
		A int32 `json:",string"`
	}, struct {
		A int64 `json:",string"`
	}]("a quoted number gets wider", true),
	change[struct {
		A int64 `json:",string"`
	}, a1[string]]("a quoted number becomes a string", false, struct {
		A int64 `json:",string"`
	}{7}),

	change[int32, int64]("int32 to int64", true),
	change[int64, int32]("int64 to int32", false, int64(math.MaxInt64)),
	change[int, int64]("int to int64", true),
	change[int64, int]("int64 to int", true),
	change[int8, int16]("int8 to int16", true),
	change[uint8, int16]("uint8 to int16", true),
	change[uint8, int8]("uint8 to int8", false, uint8(200)),
	change[uint64, int64]("uint64 to int64", false, uint64(math.MaxUint64)),
	change[int64, uint64]("int64 to uint64", false, int64(-1)),
	change[uint32, uint64]("uint32 to uint64", true),
	change[uint32, int64]("uint32 to int64", true),
	change[uint32, uint16]("uint32 to uint16", false, uint32(math.MaxUint32)),
	change[int32, float64]("int32 to float64", true),
	change[int64, float64]("int64 to float64", false, int64(1<<53+1)),
	change[int16, float32]("int16 to float32", true),
	change[int32, float32]("int32 to float32", false, int32(1<<24+1)),
	change[float32, float64]("float32 to float64", true),
	change[float64, float32]("float64 to float32", false, 0.1),
	change[float64, int]("float64 to int", false, 0.5),
	change[bool, int]("bool to int", false, true),
	change[bool, string]("bool to string", false, true),
	change[int, string]("int to string", false, 1),
	change[string, int]("string to int", false, "1"),
	change[string, colour]("a name for a string", true),
	change[int, json.Number]("int to json.Number", false, 1),
	change[json.Number, string]("json.Number to string", false, json.Number("1")),
	change[string, []byte]("string to bytes", false, "YWJj"),
	change[[]byte, string]("bytes to string", false, []byte("abc")),

	change[int, *int]("a value becomes a pointer", true),
	change[*int, int]("a pointer becomes a value", false, (*int)(nil)),
	change[*int32, *int64]("a pointer gets wider", true),
	change[[]int, *[]int]("a list becomes a pointer to one", false, []int(nil)),
	change[ab, *abc]("a struct becomes a pointer, and gets a field", true),
	change[a1[*inner], a1[inner]]("a field is a pointer no longer", false, a1[*inner]{}),
	change[[2]int, []int]("an array becomes a list", true),
	change[[]int, [2]int]("a list becomes an array", false, []int{1, 2, 3}),
	change[[2]int, [3]int]("an array gets longer", false, [2]int{1, 2}),
	change[[3]int, [2]int]("an array gets shorter", false, [3]int{1, 2, 3}),
	change[[2]byte, []byte]("an array of bytes becomes a list", true),
	change[[2]uint16, []byte]("an array of numbers becomes bytes", false, [2]uint16{300, 1}),
	change[[]byte, [2]byte]("a list of bytes becomes an array", false, []byte{1, 2}),
	change[[]int32, []int64]("elements get wider", true),
	change[[]ab, []abc]("elements get a field", true),
	change[[]abc, []ab]("elements lose a field", false, []abc{{1, 2, 3}}),
	change[int, []int]("one becomes several", false, 1),
	change[[]int, int]("several become one", false, []int{1}),

	change[map[string]int, map[colour]int]("keys get a name", true),
	change[map[int32]int, map[int64]int]("keys get wider", true),
	change[map[int64]int, map[int32]int]("keys get narrower", false, map[int64]int{math.MaxInt64: 1}),
	change[map[int]int, map[string]int]("keys become strings", false, map[int]int{1: 1}),
	change[map[string]int, map[int]int]("keys become numbers", false, map[string]int{"x": 1}),
	change[map[string]ab, map[string]abc]("values get a field", true),
	change[map[string]int, map[string]string]("values become strings", false, map[string]int{"x": 1}),
	change[map[texted]int, map[string]int]("keys are texts no longer", false, map[texted]int{{"x"}: 1}),
	change[map[string]int, ab]("a map becomes a struct", false, map[string]int{"A": 1}),
	change[ab, map[string]int]("a struct becomes a map", false, ab{1, 2}),

	change[time.Time, string]("a time becomes a string", false, time.Unix(1, 0)),
	change[string, time.Time]("a string becomes a time", false, "yesterday"),
	change[int, time.Time]("a number becomes a time", false, 1),
	change[time.Time, *time.Time]("a time becomes a pointer", true),
	change[nully, *nully]("who marshals itself becomes a pointer", false, nully{}),
	change[texted, string]("a text becomes a string", false, texted{"x"}),
	change[texted, struct{ S string }]("marshal methods go", false, texted{"x"}),
	change[time.Duration, int64]("a duration becomes a number", true),

	change[tree, treeWide]("a recursive type gets a field", true),
	change[treeWide, tree]("a recursive type loses a field", false, treeWide{Kids: []treeWide{{Name: "x"}}}),
	change[tree, treeOther]("a recursive type ends", false, tree{[]tree{{[]tree{{}}}}}),
	change[a1[any], a1[any]]("any stays", true),
	change[a1[int], a1[any]]("a number becomes any", false, a1[int]{1}),
	change[idem.Void, ab]("nothing becomes something", false),
	change[ab, idem.Void]("something becomes nothing", false, ab{1, 2}),
	change[inner, struct {
		R1 inner  `json:"1"`
		R2 string `json:"2"`
	}]("one result becomes two", false, inner{1}),
	change[struct {
		R1 inner `json:"1"`
	}, struct {
		R1 inner  `json:"1"`
		R2 string `json:"2"`
	}]("there is a result more", true),
}

// Inner has the field that json writes in line.
type Inner struct{ X int }

// Inner2 has one more.
type Inner2 struct{ X, Y int }

// Omits may be written as nothing.
type Omits struct {
	X int `json:",omitempty"`
}

type omits Omits
