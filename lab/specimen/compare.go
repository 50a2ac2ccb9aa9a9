package specimen

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"net"
	"reflect"
	"strings"
	"time"
	"unsafe"

	"github.com/idemgen/idemgen/idem/shape"
)

// This file compares values as reflect.DeepEqual does, but for the equalities that the documentation names.

// compare says where a and b differ: strictly, and where more differs than the form. Both are addressable.
func compare(a, b reflect.Value) (strict, loose string) {
	return (&comparison{}).at(a, b, ""), (&comparison{loose: true}).at(a, b, "")
}

// Equal adds an equality that is a type's own.
func Equal[T any](equal func(a, b *T) bool) {
	equals[reflect.TypeFor[T]()] = func(a, b reflect.Value) bool {
		return equal(a.Addr().Interface().(*T), b.Addr().Interface().(*T))
	}
}

var equals = map[reflect.Type]func(a, b reflect.Value) bool{}

func init() {
	Equal(func(a, b *time.Time) bool { return a.Equal(*b) })
	Equal(func(a, b *big.Int) bool { return a.Cmp(b) == 0 })
	Equal(func(a, b *big.Rat) bool { return a.Cmp(b) == 0 })
	Equal(func(a, b *big.Float) bool { return a.Cmp(b) == 0 })
}

// looseEquals are equalities of what is warned of.
var looseEquals = map[reflect.Type]func(a, b reflect.Value) bool{
	reflect.TypeFor[json.RawMessage](): func(a, b reflect.Value) bool {
		compact := func(v reflect.Value) string {
			raw := v.Bytes()
			if v.IsNil() {
				raw = []byte("null")
			}
			var out bytes.Buffer
			_ = json.Compact(&out, raw)
			return out.String()
		}
		return compact(a) == compact(b)
	},
	reflect.TypeFor[json.Number](): func(a, b reflect.Value) bool {
		return a.String() == b.String() || a.String() == "" && b.String() == "0"
	},
	reflect.TypeFor[net.IP](): func(a, b reflect.Value) bool { return net.IP(a.Bytes()).Equal(net.IP(b.Bytes())) },
}

type comparison struct {
	loose bool
	depth int
}

// at is the path to the first difference; empty: there is none.
func (c *comparison) at(a, b reflect.Value, path string) string {
	a, b = unlocked(a), unlocked(b)
	if c.depth++; c.depth > 20_000 {
		return path + ": too deep"
	}
	defer func() { c.depth-- }()
	if equal := equals[a.Type()]; equal != nil {
		return differ(path, equal(a, b))
	}
	if c.loose {
		if equal := looseEquals[a.Type()]; equal != nil {
			return differ(path, equal(a, b))
		}
		if saysZero(a) && b.IsZero() {
			return ""
		}
	}
	switch a.Kind() {
	case reflect.Pointer:
		return c.pointers(a, b, path)
	case reflect.Interface:
		if a.IsNil() || b.IsNil() || a.Elem().Type() != b.Elem().Type() {
			return differ(path, a.IsNil() && b.IsNil())
		}
		return c.at(copied(a.Elem()), copied(b.Elem()), path)
	case reflect.Slice, reflect.Map, reflect.Array:
		return c.elements(a, b, path)
	case reflect.Struct:
		for i := range a.NumField() {
			if a.Type().Field(i).Name == "_" {
				continue
			}
			if f := a.Type().Field(i); c.loose && inLine(a.Type(), f) && b.Field(i).IsNil() && !a.Field(i).IsNil() {
				b = withZero(b, i)
			}
			if d := c.at(a.Field(i), b.Field(i), path+"."+a.Type().Field(i).Name); d != "" {
				return d
			}
		}
		return ""
	case reflect.Func:
		return differ(path, a.IsNil() && b.IsNil())
	default:
		return differ(path, a.Equal(b))
	}
}

// inLine reports whether f, in struct t, is a pointer to a struct whose fields json writes among those around it.
func inLine(t reflect.Type, f reflect.StructField) bool {
	for _, name := range []shape.MethodName{shape.MarshalJSON, shape.MarshalText} {
		if _, ok := shape.Of(t).Method(name); ok {
			return false
		}
	}
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return f.Anonymous && name == "" && f.Type.Kind() == reflect.Pointer && f.Type.Elem().Kind() == reflect.Struct
}

// withZero is a copy of the struct v that has a zero value behind its embedded pointer i.
func withZero(v reflect.Value, i int) reflect.Value {
	c := reflect.New(v.Type()).Elem()
	c.Set(v)
	unlocked(c.Field(i)).Set(reflect.New(c.Field(i).Type().Elem()))
	return c
}

func (c *comparison) pointers(a, b reflect.Value, path string) string {
	switch {
	case a.IsNil() && b.IsNil():
		return ""
	case a.IsNil():
		return path + ": nil, and not nil"
	case b.IsNil():
		return path + ": not nil, and nil"
	}
	return c.at(a.Elem(), b.Elem(), path)
}

func (c *comparison) elements(a, b reflect.Value, path string) string {
	if a.Kind() != reflect.Array && !c.loose && a.IsNil() != b.IsNil() {
		return path + ": nil and empty"
	}
	if a.Len() != b.Len() {
		return fmt.Sprintf("%s: %d and %d elements", path, a.Len(), b.Len())
	}
	if a.Kind() != reflect.Map {
		for i := range a.Len() {
			if d := c.at(copied(a.Index(i)), copied(b.Index(i)), path+"[]"); d != "" {
				return d
			}
		}
		return ""
	}
	for it := a.MapRange(); it.Next(); {
		found := false
		for other := b.MapRange(); !found && other.Next(); {
			found = c.at(copied(it.Key()), copied(other.Key()), "") == "" && c.at(copied(it.Value()), copied(other.Value()), "") == ""
		}
		if !found {
			return path + "[]: an entry is missing"
		}
	}
	return ""
}

func differ(path string, equal bool) string {
	if equal {
		return ""
	}
	return path + ": differs"
}

// saysZero reports whether a method of v, or of what it points to, says so.
func saysZero(v reflect.Value) (zero bool) {
	defer func() {
		if recover() != nil {
			zero = false
		}
	}()
	if v.Kind() != reflect.Pointer {
		v = v.Addr()
	}
	says, ok := v.Interface().(interface{ IsZero() bool })
	if !ok || v.IsNil() || !says.IsZero() {
		return false
	}
	m, _ := shape.Of(v.Type().Elem()).Method(shape.IsZero)
	sole := v.Type().Elem().Kind() == reflect.Struct && v.Type().Elem().NumField() == 1
	return !m.Promoted || sole // else it knows nothing of the fields beside it
}

// unlocked is v without the lock that reflection puts on unexported fields; v is addressable.
func unlocked(v reflect.Value) reflect.Value {
	return reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem()
}

// copied is an addressable copy of v.
func copied(v reflect.Value) reflect.Value {
	if v.CanAddr() {
		return v
	}
	c := reflect.New(v.Type()).Elem()
	c.Set(v)
	return c
}
