package idem

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
)

// This file is what a duplicate must agree on, hashed. The hash is stored with every claim, so what goes into it is fixed:
// canonical.go says how values are written, and golden vectors pin the outcome.

// fingerprintVersion is the first byte of a fingerprint.
const fingerprintVersion = 1

// Fingerprint collects what a duplicate must agree on to be the same request. The engine makes it, generated code fills it.
//
// Values are compared as they are, not as they print or marshal: numbers by value, maps whatever their order, nil and empty
// slices and maps alike, times as instants. Struct fields go by name, and those with a zero value don't count, so that
// reordering fields, adding one, or widening an int changes nothing. A struct with unexported fields goes by its MarshalText,
// else MarshalBinary, else MarshalJSON; one that redacts makes different values look the same.
//
// A field with the tag idem:"secret" is compared like others, but never hashed without a key: guessable values, such as card numbers,
// could be found by trying.
//
// A value that can't be seen so (a function, a channel, an unread reader, a struct that hides its fields) makes the call fail
// with ErrBadArgument before the method runs.
type Fingerprint struct {
	s       canonical // room for the header of a record, then the entries
	entries []entry
	err     error
}

// entry is the bytes of one Add.
type entry struct {
	name       string
	start, end int // in the bytes of Fingerprint.s; equal for a zero value
}

// Add takes a value under a name: a parameter's, or its number from 1 where it has none. The order of Adds does not matter;
// two of one name are an error. Zero values are left out. The type of v does not count, only its value: where the static type
// is an interface, use AddInterface.
func (f *Fingerprint) Add(name string, v any) { f.add(name, reflect.ValueOf(v), false) }

// AddInterface is Add for a value whose static type is an interface (or a type parameter): its dynamic type counts, too.
func (f *Fingerprint) AddInterface(name string, v any) { f.add(name, reflect.ValueOf(v), true) }

// RequireKey says that something added is secret, though its type does not show it: a field marked idem:"secret" was read on the way.
// Without a key (WithFingerprintKey) the call then fails with ErrNoFingerprintKey, before anything is claimed. Where a type has such a
// field, Add knows.
func (f *Fingerprint) RequireKey() { f.s.secret = true }

func (f *Fingerprint) add(name string, v reflect.Value, dynamic bool) {
	if f.err != nil {
		return
	}
	s := &f.s
	if s.b == nil {
		s.b = make([]byte, headerSize, 512)
	}
	start := len(s.b)
	s.b = appendText(s.b, name)
	var zero bool
	if dynamic || !v.IsValid() {
		zero, f.err = s.dynamic(v)
	} else {
		zero, f.err = s.value(planOf(v.Type()), v)
	}
	f.err = within(name, f.err)
	if zero {
		s.b = s.b[:start]
	}
	f.entries = append(f.entries, entry{name, start, len(s.b)})
}

// sum is the version byte and the SHA-256 of the canonical bytes; with a key, their HMAC-SHA-256. Its error's text is safe to show.
func (f *Fingerprint) sum(key []byte) ([]byte, error) {
	b, err := f.canonical()
	if err != nil {
		return nil, err
	}
	if key == nil && f.s.secret {
		return nil, ErrNoFingerprintKey
	}
	if key == nil {
		sum := sha256.Sum256(b)
		return append([]byte{fingerprintVersion}, sum[:]...), nil
	}
	h := hmac.New(sha256.New, key)
	h.Write(b)
	return h.Sum([]byte{fingerprintVersion}), nil
}

// canonical is the record of all Adds, sorted by name, as canonical.go writes a struct.
func (f *Fingerprint) canonical() ([]byte, error) {
	if f.err != nil {
		return nil, f.err
	}
	byName := func(a, b entry) int { return strings.Compare(a.name, b.name) }
	entries, b := f.entries, f.s.b
	if b == nil {
		b = make([]byte, headerSize)
	}
	if !slices.IsSortedFunc(entries, byName) {
		entries = slices.SortedStableFunc(slices.Values(entries), byName)
		b = make([]byte, headerSize, len(f.s.b))
		for _, e := range entries {
			b = append(b, f.s.b[e.start:e.end]...)
		}
	}
	for i := range entries {
		if i > 0 && entries[i].name == entries[i-1].name {
			return nil, &argumentError{entries[i].name, "was added twice"}
		}
	}
	if uint64(len(b)) > math.MaxUint32 {
		return nil, errors.New("the arguments together are larger than 4 GiB")
	}
	b[0] = tagStruct
	binary.BigEndian.PutUint32(b[1:], uint32(len(b)-headerSize))
	return b, nil
}

// argumentError says where in the arguments something is that can't be compared, and why; never what it is.
type argumentError struct{ path, reason string }

// Error is safe to show.
func (e *argumentError) Error() string { return e.path + " " + e.reason }

// longestPath is how much of a path is shown, in bytes: enough for people, and a list may be nested as deep as it likes.
const longestPath = 200

// within puts the place of a value in front of what was found in it.
func within(place string, err error) error {
	if e, ok := err.(*argumentError); ok {
		e.path = place + e.path
		if len(e.path) > longestPath {
			e.path = strings.ToValidUTF8(strings.TrimSuffix(e.path, "…")[:longestPath-len("…")], "") + "…"
		}
	}
	return err
}
