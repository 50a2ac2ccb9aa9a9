package idem

import (
	"errors"
	"fmt"
	"reflect"
)

// This file is the seam to how results are stored, and to how what one codec stored is read by another that stands in its place now.

// Ref names the row a result belongs to, so that an encrypting codec can bind bytes to it. It is the call's, also where the store leaves
// the key out of the row.
type Ref struct{ Operation, Scope, Key string }

// Codec stores results of type T. Encode returns the bytes to store (empty is fine) and must be deterministic enough
// that Decode of it gives an equal value. Decode must not keep data. A Decode error is ErrUnreadable to the caller, never a second run.
//
// A codec that may turn out to be unusable (a type it can't store, a key that is missing) can say so before anything runs: with a method
// Check() error, it is asked at the beginning of every call, and an error is ErrBadOperation with its text as the reason.
type Codec[T any] interface {
	// Name is stored with every row, 1 to 255 bytes; a wrapping codec names what it wraps, as in "zstd+json".
	Name() string
	Encode(ref Ref, v T) ([]byte, error)
	Decode(ref Ref, data []byte) (T, error)
}

// Unwrapper is a Codec that leaves the reading to another one when it has undone its own part. The engine asks it first for every row,
// whatever codec stored that; so it is also what lets a codec be put around another, or taken off again, while rows of both kinds are there.
// What is left in the end is read as rows of the innermost codec are: Operation.Reads and Operation.Upcasts go by that.
type Unwrapper[T any] interface {
	Codec[T]
	// Unwrap gets the name of the codec that stored a row, and the bytes. It returns who goes on, with the name and the bytes as they would be
	// in a row of his; they may be the same where nothing of its own is in them. It must not keep or change data.
	Unwrap(ref Ref, name string, data []byte) (next Codec[T], inner string, rest []byte, err error)
}

// Unreadable is an error for Decode and Unwrap whose reason is safe to show: it becomes Error.Reason, where other errors are only Error.Cause.
// The cause may be nil.
func Unreadable(reason string, cause error) error {
	if cause == nil {
		cause = errors.New(reason)
	}
	return unreadable{reason: reason, err: cause}
}

// maxLayers bounds how often a row is unwrapped, should codecs go round in a circle.
const maxLayers = 16

// unwrap finds the codec that reads the row, and the row as that one would have stored it.
func unwrap[T any](c Codec[T], ref Ref, row Row) (Codec[T], Row, error) {
	for range maxLayers {
		u, ok := c.(Unwrapper[T])
		if !ok {
			return c, row, nil
		}
		var err error
		if c, row.Codec, row.Result, err = u.Unwrap(ref, row.Codec, row.Result); err != nil {
			return nil, row, err
		}
	}
	return nil, row, errors.New("its codecs wrap each other without end")
}

// otherCodec says that a row is not the codec's.
func otherCodec(stored, reads string) error {
	return Unreadable(fmt.Sprintf("codec %q stored it, and this program reads %q", stored, reads), nil)
}

// CheckCodec panics when op's codec is nil, or has a name that can't be stored. Constructors of wrappers whose codecs are variables or
// come from functions call it: a codec that is nil would leave results to the default one, in silence.
func CheckCodec[T any](op *Operation[T]) {
	c := op.Codec
	reason := "its codec is nil: it has to be set before the wrapper is made"
	if v := reflect.ValueOf(c); c != nil && (v.Kind() != reflect.Pointer || !v.IsNil()) {
		reason = (&value[T]{codec: c}).checkCodec()
	}
	if reason != "" {
		panic(fmt.Sprintf("idem: operation %s: %s", op.Name, reason))
	}
}
