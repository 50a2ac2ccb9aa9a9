package idem

import (
	"encoding/hex"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/idemgen/idemgen/idem/shape"
)

// This file reads outcomes that an older program stored in another shape. A row says in which: by the hash of its result's shape. What a
// program does not know is not read: it might decode, and mean something else.

// Upcast reads results of an older shape as a T. UpcastFrom and TryUpcastFrom make one.
type Upcast[T any] struct {
	shapes []string
	codec  string
	decode func(ref Ref, data []byte) (T, error)
}

// UpcastFrom makes an upcast of a function from the older type. It reads outcomes that were stored as JSON in one of the shapes, which are
// hashes as in idem.lock, or in that of Old where none is given. A panic of the function makes the outcome ErrUnreadable.
func UpcastFrom[Old, T any](convert func(Old) T, shapes ...string) Upcast[T] {
	return TryUpcastFrom(func(old Old) (T, error) { return convert(old), nil }, shapes...)
}

// TryUpcastFrom is UpcastFrom for a function that can fail; its error makes the outcome ErrUnreadable, and is the Cause.
func TryUpcastFrom[Old, T any](convert func(Old) (T, error), shapes ...string) Upcast[T] {
	if len(shapes) == 0 {
		shapes = []string{shape.Hash(shape.Of(reflect.TypeFor[Old]()))}
	}
	old := JSON[Old]{}
	return Upcast[T]{slices.Clone(shapes), old.Name(), func(ref Ref, data []byte) (v T, err error) {
		stored, err := old.Decode(ref, data)
		if err != nil {
			return v, err
		}
		return upcasted(convert, stored)
	}}
}

// upcasted calls the function, whose panic must not look like one of the method's.
func upcasted[Old, T any](convert func(Old) (T, error), stored Old) (v T, err error) {
	defer func() {
		if p := recover(); p != nil {
			v, err = *new(T), unreadable{reason: "its upcast panicked", err: fmt.Errorf("the upcast panicked with a %T", p)}
		}
	}()
	if v, err = convert(stored); err != nil {
		return *new(T), unreadable{reason: "its upcast failed", err: err}
	}
	return v, nil
}

// reading is which shapes an operation reads, and how.
type reading[T any] struct {
	own     string   // hash of T's shape
	reads   []string // nil: whatever decodes
	upcasts []Upcast[T]
}

// upcast finds the function that reads the row.
func (r reading[T]) upcast(row Row) (Upcast[T], bool) {
	hash := hex.EncodeToString(row.Schema)
	for _, u := range r.upcasts {
		if row.Codec == u.codec && hash != r.own && slices.Contains(u.shapes, hash) {
			return u, true
		}
	}
	return Upcast[T]{}, false
}

// knows reports whether a row of that codec may be decoded as a T.
func (r reading[T]) knows(row Row, codec string) bool {
	hash := hex.EncodeToString(row.Schema)
	return r.reads == nil || codec != "json" || hash == "" || hash == r.own || slices.Contains(r.reads, hash)
}

// otherShape says in which shape a row was stored, where that is not T's; reason is what came of reading it all the same.
func (r reading[T]) otherShape(row Row, err error) error {
	hash := hex.EncodeToString(row.Schema)
	if _, told := err.(unreadable); told || hash == "" || hash == r.own { //nolint:errorlint // as the codec returned it
		return err
	}
	return unreadable{err: err, reason: fmt.Sprintf("it was stored in shape %s, and this program reads %s; see //idem:upcast", hash, r.own)}
}

// unreadable is why a stored result can't be read, in words that are safe to show.
type unreadable struct {
	reason string
	err    error
}

func (u unreadable) Error() string { return u.reason }
func (u unreadable) Unwrap() error { return u.err }

// errUnknownShape is the cause where a row was not even decoded.
var errUnknownShape = errors.New("the shape is not among those that are read")
