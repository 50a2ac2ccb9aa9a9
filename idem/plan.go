package idem

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"sync"
	"time"

	"github.com/idemgen/idemgen/idem/shape"
)

// This file finds out once per type how its values are written canonically; package shape says by which of their sides.

// plan writes the values of one type.
type plan struct {
	name   string // of the type, with import path
	encode func(s *canonical, v reflect.Value) (zero bool, err error)
	marks  func() marks
}

// marks is what the tags of a type's fields say, as far as its values are seen without looking into interfaces.
type marks struct {
	secret  bool
	unknown string // the path of a field whose tag says something unknown; empty: there is none
}

func marksOf(t reflect.Type) marks {
	secret, unknown := shape.Marked(shape.Of(t))
	m := marks{secret: len(secret) > 0}
	if len(unknown) > 0 {
		m.unknown = unknown[0].Path
	}
	return m
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
	p := &plan{name: shape.TypeName(t), marks: sync.OnceValue(func() marks { return marksOf(t) })}
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
		refuse(t, p, reason)
	}
	return p
}

// refuse makes the plan of a type that can't be seen. A nil function or channel can: it is not there.
func refuse(t reflect.Type, p *plan, reason string) {
	k := t.Kind()
	nilable := k == reflect.Func || k == reflect.Chan || k == reflect.UnsafePointer
	p.encode = func(s *canonical, v reflect.Value) (bool, error) {
		if nilable && v.IsNil() {
			return s.null(), nil
		}
		return false, &argumentError{reason: reason}
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
