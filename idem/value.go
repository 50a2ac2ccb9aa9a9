package idem

import (
	"context"
	"encoding/hex"
	"fmt"
	"reflect"
)

// This file is the typed part of a call that the untyped engine holds: run the method, and turn its result into stored
// bytes and back. Codecs are called here and nowhere else; a panic of theirs must not look like one of the method's.

// Codec names the engine itself stores.
const (
	codecVoid = "void" // a method without results
	codecNone = "none" // tombstone: done, but the result was not stored
)

// body is a call's method and result, as the engine sees them.
type body interface {
	run(ctx context.Context) error
	recover(ctx context.Context) (happened bool, err error)
	encode() (encoded, error)
	decode(row Row) error
	errorCodec() ErrorCodec
	lost() any
}

// encoded is a result ready to be stored.
type encoded struct {
	codec  string
	schema []byte
	data   []byte
}

// value is a body of type T.
type value[T any] struct {
	codec  Codec[T]
	shapes reading[T]
	method func(context.Context) (T, error)
	look   func(context.Context) (T, bool, error) // whether it has happened; nil: nobody asks
	ref    Ref
	result T
}

func newValue[T any](op *Operation[T], c Call[T], ref Ref) *value[T] {
	v := &value[T]{codec: op.Codec, method: c.Run, look: c.Recover, ref: ref}
	if v.codec == nil {
		v.codec = JSON[T]{}
	}
	v.shapes = reading[T]{reads: op.Reads, upcasts: op.Upcasts}
	return v
}

// checkCodec says what is wrong with the codec or its name, which is stored: better before the method runs than after.
func (v *value[T]) checkCodec() (reason string) {
	switch name := v.codec.Name(); {
	case name == "" || len(name) > 255 || !printable(name):
		return "its codec's name must have 1 to 255 bytes of UTF-8 without control characters"
	case name == codecVoid || name == codecNone:
		return "its codec has a name that the engine uses itself"
	}
	if c, ok := v.codec.(interface{ Check() error }); ok {
		if err := c.Check(); err != nil {
			return "its codec: " + err.Error()
		}
	}
	return ""
}

func (v *value[T]) run(ctx context.Context) (err error) {
	v.result, err = v.method(ctx)
	return err
}

// recover asks whether an earlier run has had its effect; if so, what it found is the result.
func (v *value[T]) recover(ctx context.Context) (happened bool, err error) {
	found, happened, err := v.look(ctx)
	if err != nil || !happened {
		return false, err
	}
	v.result = found
	return true, nil
}

func (v *value[T]) lost() any { return v.result }

func (v *value[T]) isVoid() bool {
	_, void := any(v.result).(Void)
	return void
}

func (v *value[T]) encode() (enc encoded, err error) {
	if v.isVoid() {
		return encoded{codec: codecVoid, data: []byte{}}, nil
	}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the codec panicked with a %T", p)
		}
	}()
	enc.codec = v.codec.Name()
	enc.data, err = v.codec.Encode(v.ref, v.result)
	if enc.data == nil {
		enc.data = []byte{}
	}
	enc.schema = schemaHash(reflect.TypeFor[T]())
	return enc, err
}

func (v *value[T]) decode(row Row) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the codec panicked with a %T", p)
		}
	}()
	if v.isVoid() && row.Codec == codecVoid {
		return nil
	}
	if v.isVoid() {
		return otherCodec(row.Codec, codecVoid)
	}
	v.shapes.own = hex.EncodeToString(schemaHash(reflect.TypeFor[T]()))
	stored := row.Codec
	codec, row, err := unwrap(v.codec, v.ref, row)
	if err != nil {
		return v.shapes.otherShape(row, err)
	}
	if u, ok := v.shapes.upcast(row); ok {
		v.result, err = u.decode(v.ref, row.Result)
		return err
	}
	switch {
	case row.Codec != codec.Name():
		return otherCodec(stored, v.codec.Name())
	case !v.shapes.knows(row, codec.Name()):
		return v.shapes.otherShape(row, errUnknownShape)
	}
	if v.result, err = codec.Decode(v.ref, row.Result); err != nil {
		return v.shapes.otherShape(row, err)
	}
	return nil
}
