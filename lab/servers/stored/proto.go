// Package stored has a codec for what Connect puts around messages.
package stored

import (
	"connectrpc.com/connect"
	"google.golang.org/protobuf/proto"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/codec/protobuf"
)

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
	return protobuf.Codec[M]{}.Encode(ref, r.Msg)
}

// Decode is idem.Codec's.
func (Response[T, M]) Decode(ref idem.Ref, data []byte) (*connect.Response[T], error) {
	if len(data) == 0 {
		return nil, nil
	}
	m, err := protobuf.Codec[M]{}.Decode(ref, data)
	if err != nil {
		return nil, err
	}
	return connect.NewResponse((*T)(m)), nil
}
