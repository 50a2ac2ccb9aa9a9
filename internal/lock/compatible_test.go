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
