// Package protobuf stores results that are protobuf messages.
package protobuf

import (
	"errors"
	"fmt"
	"reflect"

	"google.golang.org/protobuf/proto"

	"github.com/idemgen/idemgen/idem"
)

// The bytes begin with one that tells no message from an empty one. They are stored data: vectors pin them.
const (
	absent  byte = 0
	present byte = 1
)

// Codec stores messages of the generated type T, a pointer, in protobuf's binary form. It is the zero value, and what //idem:codec proto stands for.
//
// A message comes back with everything it had: presence, oneofs, extensions, and fields that its type does not know, so that a replay gives
// a newer client what a newer server put in. A nil message comes back nil. What protobuf itself does not write, such as text that
// is not UTF-8, makes the result one that is not stored.
type Codec[T proto.Message] struct{}

// Name is "proto".
func (Codec[T]) Name() string { return "proto" }

// Check says why messages of type T can't be made.
func (Codec[T]) Check() error {
	if t := reflect.TypeFor[T](); t.Kind() != reflect.Pointer {
		return fmt.Errorf("proto makes messages of a generated type, a pointer, and %s is none", t)
	}
	return nil
}

// Encode writes equal messages as equal bytes, within one version of the program.
func (c Codec[T]) Encode(_ idem.Ref, m T) ([]byte, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	if !m.ProtoReflect().IsValid() {
		return []byte{absent}, nil
	}
	return proto.MarshalOptions{Deterministic: true, AllowPartial: true}.MarshalAppend([]byte{present}, m)
}

// Decode makes a new message.
func (c Codec[T]) Decode(_ idem.Ref, data []byte) (m T, err error) {
	if err := c.Check(); err != nil {
		return m, err
	}
	switch {
	case len(data) == 0 || data[0] > present, data[0] == absent && len(data) > 1:
		return m, errors.New("its bytes are not what proto writes")
	case data[0] == absent:
		return m, nil
	}
	made := m.ProtoReflect().New().Interface().(T)
	if err := (proto.UnmarshalOptions{AllowPartial: true}).Unmarshal(data[1:], made); err != nil {
		return m, err
	}
	return made, nil
}
