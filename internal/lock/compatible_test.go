package lock

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/shape"
)

// This file holds the comparison of shapes to what the codec does: values of the old type are stored, read as the new type, and compared.

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

func TestUnreadable_AgreesWithTheCodec(t *testing.T) {
	t.Parallel()
	if len(changes) < 60 {
		t.Fatalf("only %d pairs", len(changes))
	}
	counts := map[bool]int{}
	for _, p := range changes {
		said := Unreadable(layout(p.was), layout(p.is))
		if (len(said) == 0) != p.readable {
			t.Errorf("%s: from %v to %v: said %v", p.name, p.was, p.is, said)
			continue
		}
		counts[p.readable]++
		values := append(values(p.was, 3), p.witness...)
		var lost string
		for _, v := range values {
			if fault := through(reflect.ValueOf(v), p.was, p.is); fault != "" {
				lost = fmt.Sprintf("%+v: %s", v, fault)
				break
			}
		}
		if (lost == "") != p.readable {
			t.Errorf("%s: from %v to %v: said %v, but %s", p.name, p.was, p.is, said, lost)
		}
	}
	t.Logf("%d pairs: %d readable, %d not, as the codec has it", len(changes), counts[true], counts[false])
}

// layout is a type's; of nothing, as the file has it.
func layout(t reflect.Type) *shape.Layout {
	if t == reflect.TypeFor[idem.Void]() {
		return &shape.Layout{Form: "void"}
	}
	return shape.LayoutOf(shape.Of(t))
}

// through stores v as json, reads it as the codec json reads an is, and says how it came back otherwise.
func through(v reflect.Value, was, is reflect.Type) string {
	if void := reflect.TypeFor[idem.Void](); (was == void) != (is == void) {
		return "the codec is another one"
	}
	p := reflect.New(was)
	p.Elem().Set(v)
	data, err := json.Marshal(p.Interface())
	if err != nil {
		return "" // not stored at all
	}
	read := reflect.New(is)
	d := json.NewDecoder(strings.NewReader(string(data)))
	d.DisallowUnknownFields()
	if err := d.Decode(read.Interface()); err != nil {
		return err.Error()
	}
	return differs(p.Elem(), read.Elem())
}

// differs says how a value differs from what it was read as.
func differs(was, is reflect.Value) string {
	if is.Kind() == reflect.Pointer && was.Kind() != reflect.Pointer {
		if is.IsNil() {
			return "it became nil"
		}
		return differs(was, is.Elem())
	}
	if was.Type() == is.Type() && was.Kind() != reflect.Pointer {
		if moment, ok := was.Interface().(time.Time); ok {
			return unless(moment.Equal(is.Interface().(time.Time)), was, is)
		}
	}
	_, marshals := was.Interface().(interface{ MarshalText() ([]byte, error) })
	if marshals {
		return unless(was.Type() == is.Type() && reflect.DeepEqual(was.Interface(), is.Interface()), was, is)
	}
	number := reflect.TypeFor[json.Number]()
	switch {
	case (was.Type() == number) != (is.Type() == number):
		return "a number in text is another kind of value"
	case was.CanInt() && is.CanInt():
		return unless(was.Int() == is.Int(), was, is)
	case was.CanUint() && is.CanUint():
		return unless(was.Uint() == is.Uint(), was, is)
	case was.CanUint() && is.CanInt():
		return unless(is.Int() >= 0 && was.Uint() == uint64(is.Int()), was, is)
	case was.CanInt() && is.CanFloat():
		return unless(int64(is.Float()) == was.Int() && is.Float() != math.MaxInt64, was, is)
	case was.Kind() == reflect.Float32 && is.CanFloat():
		return unless(float32(was.Float()) == float32(is.Float()), was, is)
	case was.CanFloat() && is.CanFloat():
		return unless(was.Float() == is.Float(), was, is)
	}
	list := func(k reflect.Kind) bool { return k == reflect.Slice || k == reflect.Array }
	switch {
	case was.Kind() == reflect.Interface && is.Kind() == reflect.Interface:
		return unless(was.IsNil() == is.IsNil(), was, is)
	case list(was.Kind()) && list(is.Kind()):
		if was.Len() != is.Len() {
			return fmt.Sprintf("%d elements became %d", was.Len(), is.Len())
		}
		for i := range was.Len() {
			if d := differs(was.Index(i), is.Index(i)); d != "" {
				return d
			}
		}
		return ""
	case was.Kind() != is.Kind():
		return fmt.Sprintf("a %s became a %s", was.Kind(), is.Kind())
	case was.Kind() == reflect.Pointer:
		if was.IsNil() || is.IsNil() {
			return unless(was.IsNil() == is.IsNil(), was, is)
		}
		return differs(was.Elem(), is.Elem())
	case was.Kind() == reflect.Map:
		if was.Len() != is.Len() {
			return "entries are missing"
		}
		for _, k := range was.MapKeys() {
			if !k.CanConvert(is.Type().Key()) || k.Kind() == reflect.Int && is.Type().Key().Kind() == reflect.String {
				return "keys are of another kind"
			}
			v := is.MapIndex(k.Convert(is.Type().Key()))
			if !v.IsValid() {
				return "an entry is missing"
			}
			if d := differs(was.MapIndex(k), v); d != "" {
				return d
			}
		}
		return ""
	case was.Kind() == reflect.Struct:
		return fieldsDiffer(was, is)
	}
	return unless(was.Equal(is.Convert(was.Type())), was, is)
}

// fieldsDiffer compares structs by what json calls their fields; those that only the new one has must be zero.
func fieldsDiffer(was, is reflect.Value) string {
	old, now := jsonFields(was), jsonFields(is)
	for name, v := range old {
		w, ok := now[name]
		if !ok {
			w, ok = now[strings.ToLower(name)]
		}
		if !ok {
			return name + " is not there"
		}
		if d := differs(v, w); d != "" {
			return name + ": " + d
		}
	}
	for name, v := range now {
		if _, ok := old[name]; !ok && !v.IsZero() {
			if _, ok := old[strings.ToUpper(name)]; !ok {
				return name + " is not zero"
			}
		}
	}
	return ""
}

func jsonFields(v reflect.Value) map[string]reflect.Value {
	fields := map[string]reflect.Value{}
	for i := range v.NumField() {
		f := v.Type().Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		inside := v.Field(i)
		if f.Anonymous && inside.Kind() == reflect.Pointer && !inside.IsNil() {
			inside = inside.Elem()
		}
		switch {
		case f.Anonymous && inside.Kind() == reflect.Struct:
			for n, w := range jsonFields(inside) {
				fields[n] = w
			}
		case f.Anonymous && inside.Kind() == reflect.Pointer && inside.Type().Elem().Kind() == reflect.Struct:
			fields["a nil embedded pointer"] = inside
		case !f.IsExported(), name == "-":
		case name != "":
			fields[name] = v.Field(i)
		default:
			fields[f.Name] = v.Field(i)
		}
	}
	return fields
}

func unless(same bool, was, is reflect.Value) string {
	if same {
		return ""
	}
	return fmt.Sprintf("%v became %v", was, is)
}

// values are some of a type's: the zero one, and ones that are filled to a depth.
func values(t reflect.Type, depth int) []any {
	all := []any{reflect.Zero(t).Interface()}
	for seed := range 3 {
		v := reflect.New(t).Elem()
		fill(v, seed, depth)
		all = append(all, v.Interface())
	}
	return all
}

func fill(v reflect.Value, seed, depth int) {
	if depth < 0 || !v.CanSet() {
		return
	}
	if v.Type() == reflect.TypeFor[time.Time]() {
		v.Set(reflect.ValueOf(time.Unix(int64(seed)*1e9+1, 5).UTC()))
		return
	}
	if v.Type() == reflect.TypeFor[json.Number]() {
		v.SetString(fmt.Sprint(seed))
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt([]int64{1, -7, math.MaxInt64 >> (64 - v.Type().Bits())}[seed])
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint([]uint64{1, 7, math.MaxUint64 >> (64 - v.Type().Bits())}[seed])
	case reflect.Float32, reflect.Float64:
		v.SetFloat([]float64{0.1, -2.5e30, math.MaxFloat32}[seed])
	case reflect.String:
		v.SetString([]string{"a", "Ünï\"<", "12"}[seed])
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), seed, depth-1)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), seed+1, seed+1))
		for i := range v.Len() {
			fill(v.Index(i), seed, depth-1)
		}
	case reflect.Array:
		for i := range v.Len() {
			fill(v.Index(i), (seed+i)%3, depth-1)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		k, e := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(k, seed, depth)
		fill(e, seed, depth-1)
		v.SetMapIndex(k, e)
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), seed, depth-1)
		}
	}
}

func TestUnreadable_NamesTheOneFieldThatARemovedOneMayBeNow(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		is    *shape.Layout
		meant string
	}{
		{layoutOf[struct{ A, C int }](), "renamed to C?"},
		{layoutOf[struct {
			A int
			C string
		}](), ""},
		{layoutOf[struct{ A, C, D int }](), ""},
	} {
		said := Unreadable(layoutOf[ab](), c.is)
		if len(said) != 1 || strings.Contains(said[0].What, "renamed") != (c.meant != "") || !strings.Contains(said[0].What, c.meant) {
			t.Errorf("said %v, want %q", said, c.meant)
		}
	}
}
