package idem

import (
	"bytes"
	"encoding/binary"
	"math"
	"reflect"
	"slices"
	"time"
)

// This file writes values as canonical bytes: equal for values that count as equal, and different for all others, since every
// value is a tag, its length (4 bytes, big endian) and so many bytes of payload:
//
//	bool       one byte, 0 or 1
//	integer    one byte, 1 for negative, and 8 bytes of magnitude, whatever the Go type: -5 is -5, and signed may become unsigned
//	float      8 bytes IEEE 754 of the float64 of that value; -0 is 0, all NaN are one; complex: two of them
//	string     its bytes
//	bytes      slices and arrays of bytes: the bytes
//	list       other slices and arrays: the elements
//	map        key, value, key, value, sorted by the bytes of the key, then of the value
//	struct     name, value, name, value, sorted by name; fields with a zero value are left out; embedded fields go by their type's name
//	nil        nothing: a nil pointer or interface, where it can't be left out
//	pointer    the value it points to
//	interface  name of the dynamic type, value
//	time       8 bytes seconds since 1970 UTC (may be negative) and 4 bytes nanoseconds
//	text, binary, json   what the marshal method gave
//	unset      nothing: the zero value of a type that marshals itself, where it can't be left out
//
// Names are 4 bytes of length and the name. A zero value is: false, 0, "", nil, an empty slice or map, an array or struct of zero
// values, and where a type marshals itself, a value that marshals like its zero value. A pointer to one is none.
const (
	tagBool byte = iota + 1
	tagInteger
	tagFloat
	tagComplex
	tagString
	tagBytes
	tagList
	tagMap
	tagStruct
	tagNil
	tagPointer
	tagInterface
	tagTime
	tagText
	tagBinary
	tagJSON
	tagUnset
)

// headerSize is the bytes of tag and length.
const headerSize = 5

// canonical is bytes in the making. Its methods append one value and report whether it is a zero value, which the caller may
// then take back.
type canonical struct {
	b     []byte
	depth int
	seen  map[reference]bool // on the way to the present value

	secret bool // a value has a field that is marked as secret, set or not
}

func appendText(b []byte, s string) []byte {
	return append(binary.BigEndian.AppendUint32(b, uint32(len(s))), s...)
}

// open begins a value; close sets its length. A length that does not fit is found at the end: the whole does not fit then.
func (s *canonical) open(tag byte) (start int) {
	start = len(s.b)
	s.b = append(s.b, tag, 0, 0, 0, 0)
	return start
}

func (s *canonical) close(start int) {
	binary.BigEndian.PutUint32(s.b[start+1:], uint32(len(s.b)-start-headerSize))
}

func (s *canonical) null() (zero bool) {
	s.b = append(s.b, tagNil, 0, 0, 0, 0)
	return true
}

func (s *canonical) bool(v bool) (zero bool) {
	b := byte(0)
	if v {
		b = 1
	}
	s.b = append(s.b, tagBool, 0, 0, 0, 1, b)
	return !v
}

func (s *canonical) integer(negative bool, magnitude uint64) (zero bool) {
	sign := byte(0)
	if negative {
		sign = 1
	}
	s.b = binary.BigEndian.AppendUint64(append(s.b, tagInteger, 0, 0, 0, 9, sign), magnitude)
	return magnitude == 0
}

func (s *canonical) float(v float64) (zero bool) {
	s.b = binary.BigEndian.AppendUint64(append(s.b, tagFloat, 0, 0, 0, 8), floatBits(v))
	return v == 0
}

func (s *canonical) complex(v complex128) (zero bool) {
	s.b = binary.BigEndian.AppendUint64(append(s.b, tagComplex, 0, 0, 0, 16), floatBits(real(v)))
	s.b = binary.BigEndian.AppendUint64(s.b, floatBits(imag(v)))
	return v == 0
}

// floatBits is v's bits; one zero, and one NaN.
func floatBits(v float64) uint64 {
	switch {
	case v == 0:
		return 0
	case v != v:
		return 0x7ff8000000000001
	default:
		return math.Float64bits(v)
	}
}

func (s *canonical) string(v string) (zero bool) {
	s.b = appendText(append(s.b, tagString), v)
	return v == ""
}

func (s *canonical) time(t time.Time) (zero bool) {
	s.b = binary.BigEndian.AppendUint64(append(s.b, tagTime, 0, 0, 0, 12), uint64(t.Unix()))
	s.b = binary.BigEndian.AppendUint32(s.b, uint32(t.Nanosecond()))
	return t.IsZero()
}

// dynamic appends the value that an interface holds; an invalid v is a nil interface.
func (s *canonical) dynamic(v reflect.Value) (zero bool, err error) {
	if !v.IsValid() {
		return s.null(), nil
	}
	p := planOf(v.Type())
	start := s.open(tagInterface)
	s.b = appendText(s.b, p.name)
	if err := s.enter(reference{}); err != nil {
		return false, err
	}
	if _, err := s.value(p, v); err != nil {
		return false, within(".("+v.Type().String()+")", err)
	}
	s.leave(reference{})
	s.close(start)
	return false, nil
}

// value appends a value whose type nothing around it has told.
func (s *canonical) value(p *plan, v reflect.Value) (zero bool, err error) {
	m := p.marks()
	if m.unknown != "" {
		return false, &argumentError{reason: "has a field with an unknown tag idem, " + m.unknown}
	}
	s.secret = s.secret || m.secret
	return p.encode(s, v)
}

// sortPairs brings the entries of a map, of which each begins at one of starts and has its value at the same index of values, in the order
// of their bytes.
func (s *canonical) sortPairs(starts, values []int) {
	if len(starts) < 2 {
		return
	}
	type pair struct{ key, value []byte }
	all := bytes.Clone(s.b[starts[0]:])
	pairs := make([]pair, len(starts))
	for i := range starts {
		end := len(s.b)
		if i+1 < len(starts) {
			end = starts[i+1]
		}
		pairs[i] = pair{all[starts[i]-starts[0] : values[i]-starts[0]], all[values[i]-starts[0] : end-starts[0]]}
	}
	slices.SortFunc(pairs, func(a, b pair) int {
		if c := bytes.Compare(a.key, b.key); c != 0 {
			return c
		}
		return bytes.Compare(a.value, b.value)
	})
	s.b = s.b[:starts[0]]
	for _, p := range pairs {
		s.b = append(append(s.b, p.key...), p.value...)
	}
}

// reference is something that can lead back to itself: a pointer, a map, a slice.
type reference struct {
	typ reflect.Type
	at  uintptr
	len int
}

const (
	maxDepth   = 10_000 // levels of references and interfaces; far below the end of the stack
	cycleDepth = 64     // from here on they are remembered, so that a circle is found before it grows in all directions
)

// enter goes one level deeper, through r if that is not zero.
func (s *canonical) enter(r reference) error {
	s.depth++
	if s.depth > maxDepth {
		return &argumentError{reason: "is nested too deep"}
	}
	if s.depth <= cycleDepth || r.typ == nil {
		return nil
	}
	if s.seen[r] {
		return &argumentError{reason: "leads back to itself"}
	}
	if s.seen == nil {
		s.seen = map[reference]bool{}
	}
	s.seen[r] = true
	return nil
}

// leave comes back from r.
func (s *canonical) leave(r reference) {
	if s.depth > cycleDepth && r.typ != nil {
		delete(s.seen, r)
	}
	s.depth--
}
