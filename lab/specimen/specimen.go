// Package specimen is a type with values of it, and what really becomes of them in storage.
package specimen

import (
	"fmt"
	"reflect"

	"github.com/idemgen/idemgen/idem"
)

// Specimen is one type under test.
type Specimen struct {
	Type    reflect.Type
	trusted bool
	given   reflect.Value // a slice of values
	codec   reflect.Value
}

// sample is one value; a wild one may be refused when it is encoded, though its type is accepted.
type sample struct {
	label string
	value reflect.Value // addressable
	wild  bool
}

// Of is the type T with values that are made up, and those given.
func Of[T any](values ...T) Specimen {
	return Specimen{reflect.TypeFor[T](), false, reflect.ValueOf(values), reflect.ValueOf(idem.JSON[T]{})}
}

// Trusted is the type T with its zero value and the values given: its marshal methods are somebody else's, and not made for what can be made up.
func Trusted[T any](values ...T) Specimen {
	s := Of(values...)
	s.trusted = true
	return s
}

// samples are the zero value, those given, and those made up.
func (s Specimen) samples(seed uint64) []sample {
	list := []sample{{"zero", reflect.New(s.Type).Elem(), false}}
	for i := range s.given.Len() {
		list = append(list, sample{fmt.Sprint("given ", i+1), s.given.Index(i), false})
	}
	if !s.trusted {
		list = append(list, invent(s.Type, seed)...)
	}
	return list
}

// trip stores v and reads it back. The codec is called by reflection, so that a program with hundreds of types is soon compiled.
func (s Specimen) trip(v reflect.Value) (back reflect.Value, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = refusal{fmt.Errorf("it panics: %v", p)}
		}
	}()
	ref := reflect.ValueOf(idem.Ref{})
	out := s.codec.MethodByName("Encode").Call([]reflect.Value{ref, v})
	if err, _ := out[1].Interface().(error); err != nil {
		return back, refusal{err}
	}
	out = s.codec.MethodByName("Decode").Call([]reflect.Value{ref, out[0]})
	back = reflect.New(s.Type).Elem()
	back.Set(out[0])
	err, _ = out[1].Interface().(error)
	return back, err
}

// refusal is an error of encoding: the first caller's result is not stored, and nobody gets another one instead.
type refusal struct{ error }

// Reality is what became of a type's values.
type Reality struct {
	Lost    []string // what came back as something else, or not at all
	Changed []string // what came back in another form
	Kept    int      // what came back as it was
	Refused int      // wild values that were not stored
}

// Try stores and reads values of the type.
func (s Specimen) Try(seed uint64) (r Reality) {
	for _, v := range s.samples(seed) {
		back, err := s.trip(v.value)
		_, refused := err.(refusal)
		switch {
		case refused && v.wild:
			r.Refused++
		case err != nil:
			r.Lost = append(r.Lost, v.label+": "+err.Error())
		default:
			strict, loose := compare(v.value, back)
			switch {
			case loose != "":
				r.Lost = append(r.Lost, v.label+": "+loose)
			case strict != "":
				r.Changed = append(r.Changed, v.label+": "+strict)
			default:
				r.Kept++
			}
		}
	}
	return r
}
