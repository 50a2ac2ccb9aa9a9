// Package codec names codecs that are none, or do not fit.
package codec

import (
	"context"

	"github.com/idemgen/idemgen/idem"

	"example.com/cases/220-codec-wrong/codecs"
)

type (
	// Order is a result.
	Order struct{ ID string }
	// Half lacks Decode.
	Half struct{}
	// Other has methods of other signatures.
	Other struct{ idem.JSON[Order] }
	// Pointer is a codec by its pointer.
	Pointer struct{}
	// Two has two parameters.
	Two[A, B any] struct{ idem.JSON[A] }
	// Few is for some results only.
	Few[T ~int] struct{ idem.JSON[T] }
	// Seal is any codec.
	Seal = idem.Codec[Order]
)

func (Half) Name() string { return "half" }

func (Half) Encode(idem.Ref, Order) ([]byte, error) { return nil, nil }

func (Other) Encode(Order) ([]byte, error) { return nil, nil }

func (*Pointer) Name() string { return "pointer" }

func (*Pointer) Encode(idem.Ref, Order) ([]byte, error) { return nil, nil }

func (*Pointer) Decode(idem.Ref, []byte) (Order, error) { return Order{}, nil }

var (
	value  Pointer
	number = 3
	group  = struct{ Orders idem.JSON[Order] }{}
)

// Keyed takes an argument.
func Keyed(key []byte) idem.Codec[Order] { return nil }

// Failing may fail.
func Failing() (idem.Codec[Order], error) { return nil, nil }

// Nothing returns nothing.
func Nothing() {}

// NewOther stores something else.
func NewOther[T any]() idem.Codec[[]T] { return nil }

//idem:wrap
type Shop[T any] interface {
	//idem:key k
	//idem:codec
	A(ctx context.Context, k string) (Order, error)
	//idem:key k
	//idem:codec Half
	B(ctx context.Context, k string) (Order, error)
	//idem:key k
	//idem:codec Other
	C(ctx context.Context, k string) (Order, error)
	//idem:key k
	//idem:codec Pointer
	D(ctx context.Context, k string) (*Order, error)
	//idem:key k
	//idem:codec value
	E(ctx context.Context, k string) (Order, error)
	//idem:key k
	//idem:codec Two
	F(ctx context.Context, k string) (Order, error)
	//idem:key k
	//idem:codec Few
	G(ctx context.Context, k string) (Order, error)
	//idem:key k
	//idem:codec Seal
	H(ctx context.Context, k string) (Order, error)
	//idem:key k
	//idem:codec number
	I(ctx context.Context, k string) (Order, error)
	//idem:key k
	//idem:codec group.Orders
	J(ctx context.Context, k string) (Order, error)
	//idem:key k
	//idem:codec Keyed
	K(ctx context.Context, k string) (Order, error)
	//idem:key k
	//idem:codec Failing
	L(ctx context.Context, k string) (Order, error)
	//idem:key k
	//idem:codec Nothing
	M(ctx context.Context, k string) (Order, error)
	//idem:key k
	//idem:codec NewOther
	N(ctx context.Context, k string) (Order, error)
	//idem:key k
	//idem:codec &Pointer{}
	O(ctx context.Context, k string) (Order, error)
	//idem:key k
	//idem:codec Keyed(nil)
	P(ctx context.Context, k string) (Order, error)
	//idem:key k
	//idem:codec Pointer, Other
	Q(ctx context.Context, k string) (Order, error)
	//idem:key k
	//idem:codec Pointr
	R(ctx context.Context, k string) (Order, error)
	//idem:key k
	//idem:codec codecs.Seeled
	S(ctx context.Context, k string) (Order, error)
	//idem:key k
	//idem:codec gob
	U(ctx context.Context, k string) (Order, error)
	//idem:key k
	//idem:codec idem.JSON
	V(ctx context.Context, k string) (func(), error)
	//idem:key k
	//idem:codec Pointer
	W(ctx context.Context, k string) (Order, int, error)
	//idem:key k
	//idem:codec Pointer
	X(ctx context.Context, k string) error
	//idem:key k
	//idem:codec Pointer
	//idem:lossy never mind
	Y(ctx context.Context, k string) (Order, error)
	//idem:key k
	//idem:codec proto
	Z(ctx context.Context, k string) (Order, error)
	//idem:key k
	//idem:codec proto
	ZZ(ctx context.Context, k string) (Order, int, error)
	//idem:key k
	//idem:codec json strictly
	ZZZ(ctx context.Context, k string) (Order, error)
	//idem:key k
	//idem:codec len
	Len(ctx context.Context, k string) (Order, error)
	//idem:key k
	//idem:codec T
	Param(ctx context.Context, k string) (Order, error)
	//idem:key k
	//idem:codec codecs.Sealed
	Fine(ctx context.Context, k string) (T, error)
}

// None has nothing to store.
//
//idem:wrap
//idem:codec idem.JSON
type None interface {
	//idem:key k
	A(ctx context.Context, k string) error
}
