package idem

import (
	"encoding"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/idemgen/idemgen/internal/shape"
)

// This file finds out once per type how its values are written canonically; package shape says by which of their sides.

// plan writes the values of one type.
type plan struct {
	name   string // of the type, with import path
	encode func(s *canonical, v reflect.Value) (zero bool, err error)
}

var plans sync.Map // reflect.Type → *plan

// planOf returns t's plan.
func planOf(t reflect.Type) *plan {
	if p, ok := plans.Load(t); ok {
		return p.(*plan)
	}
	making := planning{}
	p := making.plan(t)
	for t, p := range making {
		plans.LoadOrStore(t, p)
	}
	return p
}

// planning is the plans in the making: types may lead back to themselves.
type planning map[reflect.Type]*plan

func (m planning) plan(t reflect.Type) *plan {
	if p, ok := plans.Load(t); ok {
		return p.(*plan)
	}
	if p, ok := m[t]; ok {
		return p
	}
	p := &plan{name: shape.TypeName(t)}
	m[t] = p
	switch view, reason := shape.ViewOf(shape.Of(t)); view {
	case shape.ViewStructure:
		m.structure(t, p)
	case shape.ViewInstant:
		p.encode = func(s *canonical, v reflect.Value) (bool, error) {
			instant, _ := reflect.TypeAssert[time.Time](v)
			return s.time(instant), nil
		}
	case shape.ViewText:
		m.marshaled(t, p, tagText, func(v any) ([]byte, error) { return v.(encoding.TextMarshaler).MarshalText() })
	case shape.ViewBinary:
		m.marshaled(t, p, tagBinary, func(v any) ([]byte, error) { return v.(encoding.BinaryMarshaler).MarshalBinary() })
	case shape.ViewJSON:
		m.marshaled(t, p, tagJSON, func(v any) ([]byte, error) { return v.(json.Marshaler).MarshalJSON() })
	case shape.ViewUserinfo:
		m.marshaled(t, p, tagText, func(v any) ([]byte, error) { return []byte(v.(fmt.Stringer).String()), nil })
	default:
		p.encode = func(*canonical, reflect.Value) (bool, error) { return false, &argumentError{reason: reason} }
	}
	return p
}

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
		for i := v.MapRange(); i.Next(); {
			starts = append(starts, len(s.b))
			if _, err := key.encode(s, i.Key()); err != nil {
				return false, within("[]", err)
			}
			values = append(values, len(s.b))
			if _, err := elem.encode(s, i.Value()); err != nil {
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

// marshaled makes the plan of a type that is written by a method of its own.
func (m planning) marshaled(t reflect.Type, p *plan, tag byte, marshal func(any) ([]byte, error)) {
	call := func(v reflect.Value) (b []byte, err error) {
		defer func() {
			if recover() != nil {
				err = &argumentError{reason: "has a marshal method that panicked"}
			}
		}()
		if !v.CanAddr() {
			copied := reflect.New(t).Elem()
			copied.Set(v)
			v = copied
		}
		if b, err = marshal(v.Addr().Interface()); err != nil {
			return nil, &argumentError{reason: "has a marshal method that failed"}
		}
		return b, nil
	}
	unset, unsetErr := call(reflect.New(t).Elem())
	p.encode = func(s *canonical, v reflect.Value) (bool, error) {
		if v.IsZero() {
			s.b = append(s.b, tagUnset, 0, 0, 0, 0)
			return true, nil
		}
		b, err := call(v)
		if err != nil {
			return false, err
		}
		if unsetErr == nil && string(b) == string(unset) {
			s.b = append(s.b, tagUnset, 0, 0, 0, 0)
			return true, nil
		}
		s.b = appendText(append(s.b, tag), string(b))
		return false, nil
	}
}
