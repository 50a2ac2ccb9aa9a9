// Package codec stores results in all the ways there are.
package codec

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/idemgen/idemgen/idem"

	"example.com/cases/219-codec/codecs"
	dot "example.com/cases/219-codec/codecs"
)

type (
	// Receipt does not survive json.
	Receipt struct{ id string }
	// Order does.
	Order struct{ ID string }
)

// ReceiptCodec stores what json can't; its pointer is the codec.
type ReceiptCodec struct{ prefix string }

// Name is stored.
func (*ReceiptCodec) Name() string { return "receipt" }

// Encode writes the id.
func (c *ReceiptCodec) Encode(_ idem.Ref, r Receipt) ([]byte, error) {
	return []byte(c.prefix + r.id), nil
}

// Decode reads it.
func (c *ReceiptCodec) Decode(_ idem.Ref, data []byte) (Receipt, error) {
	return Receipt{string(data[len(c.prefix):])}, nil
}

// Text is a codec that is no struct.
type Text string

// Name is stored.
func (Text) Name() string { return "text" }

// Encode writes the text.
func (Text) Encode(_ idem.Ref, s string) ([]byte, error) { return []byte(s), nil }

// Decode reads it.
func (Text) Decode(_ idem.Ref, data []byte) (string, error) { return string(data), nil }

// Pair stores what can be told apart by a constraint.
type Pair[T interface{ comparable }] struct{ _ [0]T }

// Name is stored.
func (*Pair[T]) Name() string { return "pair" }

// Encode is json.
func (*Pair[T]) Encode(_ idem.Ref, v T) ([]byte, error) { return json.Marshal(v) }

// Decode is json.
func (*Pair[T]) Decode(_ idem.Ref, data []byte) (v T, err error) {
	if len(data) == 0 {
		return v, errors.New("nothing")
	}
	return v, json.Unmarshal(data, &v)
}

var (
	receipts = &ReceiptCodec{"r:"}
	later    idem.Codec[Order]
	orders         = func() idem.Codec[Order] { return codecs.Sealed[Order]{} }
	_              = dot.Shared[int]{}
	next     error = errors.New("next")
)

func init() { later = idem.JSON[Order]{} }

// NewReceipts makes a codec.
func NewReceipts() *ReceiptCodec { return receipts }

// Types names types only, so its operations need nothing that is made later.
//
//idem:wrap
//idem:codec codecs.Sealed
type Types interface {
	//idem:key id
	Default(ctx context.Context, id string) (Order, error)
	//idem:key id
	Several(ctx context.Context, id string) (Order, int, error)
	//idem:key id
	Nothing(ctx context.Context, id string) error
	//idem:key id
	//idem:codec ReceiptCodec
	Address(ctx context.Context, id string) (Receipt, error)
	//idem:key id
	//idem:codec Text
	Text(ctx context.Context, id string) (string, error)
	//idem:key id
	//idem:codec Pair // comparable
	Pair(ctx context.Context, id string) (Order, int, error)
	//idem:key id
	//idem:codec codecs.Sealed[Order]
	Instance(ctx context.Context, id string) (Order, error)
	//idem:key id
	//idem:codec dot.Shared
	Alias(ctx context.Context, id string) ([]Order, error)
	//idem:key id
	//idem:codec json
	JSON(ctx context.Context, id string) (Order, error)
	//idem:key id
	//idem:codec idem.JSON
	SameJSON(ctx context.Context, id string) (Order, error)
}

// Values names what is made with the wrapper.
//
//idem:wrap
type Values interface {
	//idem:key receipts
	//idem:codec receipts
	Var(ctx context.Context, receipts string) (Receipt, error)
	//idem:key id
	//idem:codec later
	Later(ctx context.Context, id string) (Order, error)
	//idem:key id
	//idem:codec NewReceipts
	Func(ctx context.Context, id string) (Receipt, error)
	//idem:key id
	//idem:codec orders
	FuncVar(ctx context.Context, id string) (Order, error)
	//idem:key id
	//idem:codec codecs.NewSealed
	Generic(ctx context.Context, id string) (Order, int, error)
	//idem:key id
	//idem:codec codecs.NewSealed[Order]
	Instance(ctx context.Context, id string) (Order, error)
	//idem:key id
	//idem:errors release next
	Void(ctx context.Context, id string) error
}

// Box is generic.
//
//idem:wrap
//idem:codec codecs.NewSealed
type Box[K ~string, V any] interface {
	//idem:key k
	Put(ctx context.Context, k K, v V) (V, error)
	//idem:key k
	Both(ctx context.Context, k K) (V, K, error)
	//idem:key k
	//idem:codec codecs.Sealed[map[K]V]
	All(ctx context.Context, k K) (map[K]V, error)
	//idem:key k
	//idem:codec json
	Plain(ctx context.Context, k K) (V, error)
}
