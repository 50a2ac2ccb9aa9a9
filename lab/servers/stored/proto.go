// Package stored has codecs for results that json can't keep: protobuf messages, and what Connect puts around them.
package stored

import (
	"errors"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/proto"

	"github.com/idemgen/idemgen/idem"
)

// Proto stores a message in protobuf's own form. A byte in front tells no message from an empty one.
type Proto[M proto.Message] struct{}

// Name is what rows say of their codec.
func (Proto[M]) Name() string { return "lab-proto" }

// Encode is idem.Codec's.
func (Proto[M]) Encode(_ idem.Ref, m M) ([]byte, error) {
	if !m.ProtoReflect().IsValid() {
		return []byte{0}, nil
	}
	return proto.MarshalOptions{Deterministic: true}.MarshalAppend([]byte{1}, m)
}

// Decode is idem.Codec's.
func (Proto[M]) Decode(_ idem.Ref, data []byte) (m M, err error) {
	switch {
	case len(data) == 0 || data[0] > 1:
		return m, errors.New("no stored message")
	case data[0] == 0:
		return m, nil
	}
	m = m.ProtoReflect().New().Interface().(M)
	return m, proto.Unmarshal(data[1:], m)
}

// Response stores the message of a Connect response, and not its headers. No bytes are no response.
type Response[T any, M interface {
	*T
	proto.Message
}] struct{}

// Name is what rows say of their codec.
func (Response[T, M]) Name() string { return "lab-connect" }

// Encode is idem.Codec's.
func (Response[T, M]) Encode(ref idem.Ref, r *connect.Response[T]) ([]byte, error) {
	if r == nil {
		return nil, nil
	}
	return Proto[M]{}.Encode(ref, r.Msg)
}

// Decode is idem.Codec's.
func (Response[T, M]) Decode(ref idem.Ref, data []byte) (*connect.Response[T], error) {
	if len(data) == 0 {
		return nil, nil
	}
	m, err := Proto[M]{}.Decode(ref, data)
	if err != nil {
		return nil, err
	}
	return connect.NewResponse((*T)(m)), nil
}
