package idem

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/idemgen/idemgen/idem/shape"
)

// This file is the two kinds of errors that rules know: values, which are stored by name and come back as themselves, and types, which are
// stored with their data.

// finalKind is what a rule about final errors is about.
type finalKind interface {
	// unusable says why such errors can't be stored.
	unusable() string
	// find is the error in err that the rule is about; nil where there is none, or no particular one.
	find(err error) error
	// is reports whether err itself is what the rule is about.
	is(err error) bool
	// write gives the data of an error that was found, and those of its fields that are errors.
	write(ref Ref, found error) (data []byte, fields map[string]error, err error)
	// read is the error that has the data.
	read(ref Ref, data []byte, fields map[string]error) (error, error)
}

// sentinel is a kind of one value.
type sentinel struct{ target error }

func (s sentinel) unusable() string {
	if interruption(s.target) {
		return "one of its final errors says that a call was interrupted, which is nobody's outcome"
	}
	return ""
}

func (s sentinel) find(err error) error {
	if errors.Is(err, s.target) {
		return s.target
	}
	return nil
}

func (s sentinel) is(err error) bool { return same(err, s.target) }

func (s sentinel) write(Ref, error) ([]byte, map[string]error, error) { return nil, nil, nil }

func (s sentinel) read(Ref, []byte, map[string]error) (error, error) { return s.target, nil }

// same is a == b of errors that may not be comparable.
func same(a, b error) bool {
	t := reflect.TypeOf(b)
	return t != nil && reflect.TypeOf(a) == t && reflect.ValueOf(a).Comparable() && reflect.ValueOf(b).Comparable() && a == b //nolint:errorlint // walked one by one
}

// typed is the kind of all errors of one type.
type typed[E error] struct{}

func (typed[E]) unusable() string {
	if t := reflect.TypeFor[E](); t.Kind() == reflect.Interface && t != errorType {
		return "one of its final errors is an interface, of which nobody knows which type to give back"
	}
	return ""
}

var errorType = reflect.TypeFor[error]()

func (t typed[E]) find(err error) error {
	if reflect.TypeFor[E]() == errorType { // any error, and so none in particular
		return nil
	}
	var e E
	if errors.As(err, &e) {
		return e
	}
	return nil
}

func (typed[E]) is(err error) bool {
	_, ok := err.(E)
	return ok && reflect.TypeFor[E]() != errorType
}

func (typed[E]) write(ref Ref, found error) (data []byte, fields map[string]error, err error) {
	bare, fields := withoutErrors(found.(E))
	if data, err = (JSON[E]{}).Encode(ref, bare); err != nil {
		return nil, nil, err
	}
	if _, err = (JSON[E]{}).Decode(ref, data); err != nil {
		return nil, nil, fmt.Errorf("it is written as json that can't be read again: %w", err)
	}
	return data, fields, nil
}

func (typed[E]) read(ref Ref, data []byte, fields map[string]error) (error, error) {
	if data == nil || reflect.TypeFor[E]() == errorType {
		return nil, errNoData
	}
	e, err := JSON[E]{}.Decode(ref, data)
	if err != nil {
		return nil, err
	}
	s := structOf(reflect.ValueOf(&e).Elem())
	for name, err := range fields {
		if !s.IsValid() {
			return nil, errNoField
		}
		f, ok := s.Type().FieldByName(name)
		if !ok || len(f.Index) != 1 || !f.IsExported() || f.Type != errorType {
			return nil, errNoField
		}
		if err != nil {
			s.FieldByIndex(f.Index).Set(reflect.ValueOf(err))
		}
	}
	return e, nil
}

var (
	errNoData  = errors.New("it was stored without data")
	errNoField = errors.New("the type does not have the field")
)

// withoutErrors is e, or a copy of it, without those of its fields that are errors and that json does not know to write; and the fields.
func withoutErrors[E error](e E) (bare E, fields map[string]error) {
	names := shape.ErrorFields(shape.Of(reflect.TypeFor[E]()))
	s := structOf(reflect.ValueOf(&e).Elem())
	if len(names) == 0 || !s.IsValid() {
		return e, nil
	}
	fields = map[string]error{}
	copied := reflect.New(s.Type())
	copied.Elem().Set(s)
	for _, name := range names {
		f := copied.Elem().FieldByName(name)
		if inner, ok := f.Interface().(error); ok {
			fields[name] = inner
			f.SetZero()
		}
	}
	into := reflect.ValueOf(&bare).Elem()
	if into.Kind() == reflect.Pointer {
		into.Set(copied.Convert(into.Type()))
	} else {
		into.Set(copied.Elem())
	}
	return bare, fields
}

// structOf is the struct that v is, or points to; not valid where there is none.
func structOf(v reflect.Value) reflect.Value {
	if v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	if v.Kind() != reflect.Struct {
		return reflect.Value{}
	}
	return v
}
