package idem

import (
	"encoding/binary"
	"reflect"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/idem/shape"
)

// This file makes the plans of types whose values are written by their structure.

// structure makes the plan of a type whose values are written by kind.
func (m planning) structure(t reflect.Type, p *plan) {
	switch t.Kind() {
	case reflect.Bool:
		p.encode = func(s *canonical, v reflect.Value) (bool, error) { return s.bool(v.Bool()), nil }
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		p.encode = func(s *canonical, v reflect.Value) (bool, error) {
			if n := v.Int(); n < 0 {
				return s.integer(true, -uint64(n)), nil
			}
			return s.integer(false, uint64(v.Int())), nil
		}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		p.encode = func(s *canonical, v reflect.Value) (bool, error) { return s.integer(false, v.Uint()), nil }
	case reflect.Float32, reflect.Float64:
		p.encode = func(s *canonical, v reflect.Value) (bool, error) { return s.float(v.Float()), nil }
	case reflect.Complex64, reflect.Complex128:
		p.encode = func(s *canonical, v reflect.Value) (bool, error) { return s.complex(v.Complex()), nil }
	case reflect.String:
		p.encode = func(s *canonical, v reflect.Value) (bool, error) { return s.string(v.String()), nil }
	case reflect.Interface:
		p.encode = func(s *canonical, v reflect.Value) (bool, error) { return s.dynamic(v.Elem()) }
	case reflect.Pointer:
		m.pointer(t, p)
	case reflect.Slice, reflect.Array:
		m.list(t, p)
	case reflect.Map:
		m.mapping(t, p)
	case reflect.Struct:
		m.fields(t, p)
	}
}

func (m planning) pointer(t reflect.Type, p *plan) {
	elem := m.plan(t.Elem())
	p.encode = func(s *canonical, v reflect.Value) (bool, error) {
		if v.IsNil() {
			return s.null(), nil
		}
		r := reference{t, v.Pointer(), 0}
		if err := s.enter(r); err != nil {
			return false, err
		}
		start := s.open(tagPointer)
		if _, err := elem.encode(s, v.Elem()); err != nil {
			return false, err
		}
		s.close(start)
		s.leave(r)
		return false, nil
	}
}

func (m planning) list(t reflect.Type, p *plan) {
	array := t.Kind() == reflect.Array
	if t.Elem().Kind() == reflect.Uint8 {
		p.encode = func(s *canonical, v reflect.Value) (bool, error) { return s.bytes(v, array), nil }
		return
	}
	elem := m.plan(t.Elem())
	p.encode = func(s *canonical, v reflect.Value) (bool, error) {
		var r reference
		if !array {
			r = reference{t, v.Pointer(), v.Len()}
		}
		if err := s.enter(r); err != nil {
			return false, err
		}
		start := s.open(tagList)
		zero := array || v.Len() == 0
		for i := range v.Len() {
			z, err := elem.encode(s, v.Index(i))
			if err != nil {
				return false, within("[]", err)
			}
			zero = zero && z
		}
		s.close(start)
		s.leave(r)
		return zero, nil
	}
}

// bytes appends a slice or array of bytes. Only an array is zero when all of it is.
func (s *canonical) bytes(v reflect.Value, array bool) (zero bool) {
	s.b = append(s.b, tagBytes)
	s.b = binary.BigEndian.AppendUint32(s.b, uint32(v.Len()))
	if !array {
		s.b = append(s.b, v.Bytes()...)
		return v.Len() == 0
	}
	zero = true
	for i := range v.Len() {
		c := byte(v.Index(i).Uint())
		zero = zero && c == 0
		s.b = append(s.b, c)
	}
	return zero
}

func (m planning) mapping(t reflect.Type, p *plan) {
	key, elem := m.plan(t.Key()), m.plan(t.Elem())
	p.encode = func(s *canonical, v reflect.Value) (bool, error) {
		r := reference{t, v.Pointer(), 0}
		if err := s.enter(r); err != nil {
			return false, err
		}
		start := s.open(tagMap)
		starts, values := make([]int, 0, v.Len()), make([]int, 0, v.Len())
		k, e := reflect.New(t.Key()).Elem(), reflect.New(t.Elem()).Elem() // for all entries
		for i := v.MapRange(); i.Next(); {
			k.SetIterKey(i)
			starts = append(starts, len(s.b))
			if _, err := key.encode(s, k); err != nil {
				return false, within("[]", err)
			}
			e.SetIterValue(i)
			values = append(values, len(s.b))
			if _, err := elem.encode(s, e); err != nil {
				return false, within("[]", err)
			}
		}
		s.sortPairs(starts, values)
		s.close(start)
		s.leave(r)
		return v.Len() == 0, nil
	}
}

func (m planning) fields(t reflect.Type, p *plan) {
	type field struct {
		name   string
		header []byte // the name as it is written
		index  int
		plan   *plan
	}
	var fields []field
	for _, f := range shape.SeenFields(shape.Of(t)) {
		sf, _ := t.FieldByName(f.Name)
		fields = append(fields, field{"." + f.Name, appendText(nil, f.Name), sf.Index[0], m.plan(sf.Type)})
	}
	slices.SortFunc(fields, func(a, b field) int { return strings.Compare(a.name, b.name) })
	p.encode = func(s *canonical, v reflect.Value) (zero bool, err error) {
		start := s.open(tagStruct)
		for i := range fields {
			f := &fields[i]
			before := len(s.b)
			s.b = append(s.b, f.header...)
			zero, err := f.plan.encode(s, v.Field(f.index))
			if err != nil {
				return false, within(f.name, err)
			}
			if zero {
				s.b = s.b[:before]
			}
		}
		s.close(start)
		return len(s.b) == start+headerSize, nil
	}
}
