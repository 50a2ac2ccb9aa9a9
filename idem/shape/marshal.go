package shape

import "reflect"

// This file knows which methods encoding/json calls for a value, writing and reading.

// form is how a value stands in json.
type form uint8

const (
	plain    form = iota // by its structure
	jsonForm             // what MarshalJSON writes, or UnmarshalJSON reads
	textForm             // a string: what MarshalText writes, or UnmarshalText reads
)

// marshaling is what json makes of one type at one place.
type marshaling struct {
	write, read form
	// uncalled: there is a marshal method, but on the pointer, and the value has no address.
	uncalled bool
	// promoted: a method in use belongs to an embedded field.
	promoted bool
	// lost: the method that reads has a value receiver, so what it reads is dropped.
	lost bool
}

// marshalingOf says how a value of t is written and read. Addressable: the value has an address when it is written. The result as a whole
// has one, and with it its fields, and elements of slices; values of maps have none.
func marshalingOf(t Type, addressable bool) marshaling {
	var m marshaling
	use := func(name MethodName, always bool) bool {
		method, ok := t.Method(name)
		if ok && method.Pointer && !always {
			m.uncalled = true
			return false
		}
		m.promoted = m.promoted || ok && method.Promoted
		return ok
	}
	switch {
	case use(MarshalJSON, addressable):
		m.write = jsonForm
	case use(MarshalText, addressable):
		m.write = textForm
	}
	switch {
	case use(UnmarshalJSON, true):
		m.read = jsonForm
		m.lost = byValue(t, UnmarshalJSON)
	case use(UnmarshalText, true):
		m.read = textForm
		m.lost = byValue(t, UnmarshalText)
	}
	return m
}

func byValue(t Type, name MethodName) bool {
	method, ok := t.Method(name)
	return ok && !method.Pointer
}

// keyFault says how a map key of type t fails to come back; nil: it does not.
func keyFault(t Type) *Rule {
	_, reads := t.Method(UnmarshalText)
	write, writes := t.Method(MarshalText)
	called := writes && !write.Pointer
	integer := false
	switch t.Kind() {
	case reflect.Invalid:
		return nil
	case reflect.String:
		if reads {
			return ruleKeyStrings
		}
		return nil
	case reflect.Interface, reflect.Pointer:
		return ruleKeyUnread
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		integer = true
	}
	switch {
	case called && reads && !byValue(t, UnmarshalText), !called && !reads && integer:
		return nil
	case called || reads:
		return ruleKeyPair
	default:
		return ruleKeyUnwritten
	}
}
