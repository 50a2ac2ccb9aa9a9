// Package broken has codecs and errors that do not compile: package idem is missing.
package broken

import (
	"context"

	"github.com/idemgen/idemgen/idem"
)

// Order is a result.
type Order struct{ ID string }

// Codec would be one.
type Codec struct{}

// Name is stored.
func (Codec) Name() string { return "codec" }

// Encode writes.
func (Codec) Encode(idem.Ref, Order) ([]byte, error) { return nil, nil }

// Decode reads.
func (Codec) Decode(idem.Ref, []byte) (Order, error) { return Order{}, nil }

// New makes one.
func New() idem.Codec[Order] { return nil }

// Failure is of a type that is missing.
var Failure missing

//idem:wrap
type Shop interface {
	//idem:key k
	//idem:codec Codec
	A(ctx context.Context, k string) (Order, error)
	//idem:key k
	//idem:codec New
	B(ctx context.Context, k string) (Order, error)
	//idem:key k
	//idem:codec idem.JSON
	//idem:errors release Failure
	C(ctx context.Context, k string) (Order, error)
}
