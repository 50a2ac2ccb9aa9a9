package idem

import (
	"fmt"
	"reflect"
)

// This file is the seam to how results are stored.

// Ref names the row a result belongs to, so that an encrypting codec can bind bytes to it.
type Ref struct{ Operation, Scope, Key string }

// Codec stores results of type T. Encode returns the bytes to store (empty is fine) and must be deterministic enough
// that Decode of it gives an equal value. Decode must not keep data. A Decode error is ErrUnreadable to the caller, never a second run.
type Codec[T any] interface {
	// Name is stored with every row, 1 to 255 bytes; a wrapping codec names what it wraps, as in "zstd+json".
	Name() string
	Encode(ref Ref, v T) ([]byte, error)
	Decode(ref Ref, data []byte) (T, error)
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
