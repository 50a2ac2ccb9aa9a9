// Package annotated is an interface whose annotations change what the runtime does with errors and results. Its tests call the wrapper, to
// see that what is written arrives.
package annotated

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"

	"github.com/idemgen/idemgen/idem"
)

//go:generate go run ../../cmd/idemgen .

// What goes wrong.
var (
	ErrDeclined = errors.New("declined")
	ErrGateway  = errors.New("gateway")
	_           = io.EOF // annotations do not use an import
	_           url.Error
)

// Limited is an error with data.
type Limited struct{ Left int64 }

func (*Limited) Error() string { return "limited" }

// Overdrawn is an error with data, that holds another.
type Overdrawn struct {
	Missing int64
	Cause   error
}

func (o Overdrawn) Error() string { return fmt.Sprint(o.Missing, " missing: ", o.Cause) }
func (o Overdrawn) Unwrap() error { return o.Cause }

// NotFound is generic.
type NotFound[T any] struct{ What T }

func (n *NotFound[T]) Error() string { return fmt.Sprint("not found: ", n.What) }

// Receipt keeps to itself what json would need to see.
type Receipt struct{ number string }

// Payments moves money.
//
//idem:wrap
//idem:errors unknown ErrGateway, *Limited
//idem:codec NewSealed
type Payments interface {
	// Charge leaves errors to the interface, and its receipts to a codec of its own.
	//
	//idem:key id
	//idem:codec receipts
	Charge(ctx context.Context, id string) (Receipt, error)
	// Refund knows better than the interface. For an end of file, no runtime would think that nothing happened.
	//
	//idem:key id
	//idem:errors release *Limited, io.EOF
	//idem:errors unknown ErrDeclined
	Refund(ctx context.Context, id string) error
	// Quote has results that are stored as one.
	//
	//idem:key id
	Quote(ctx context.Context, id string) (map[string]int, []string, error)
}

// Desk keeps its refusals.
//
//idem:wrap
//idem:errors final ErrDeclined, Overdrawn
type Desk interface {
	// Pay has errors of others, too.
	//
	//idem:key id
	//idem:errors final *url.Error
	Pay(ctx context.Context, id string) (int, error)
}

// Shelf is generic, and so are its errors.
//
//idem:wrap
//idem:errors final *NotFound[V], *NotFound[int]
type Shelf[V any] interface {
	//idem:key id
	Take(ctx context.Context, id string, like V) (int, error)
}

// receipts is set when the program begins.
var receipts idem.Codec[Receipt]

// Sealed stands for a codec that compresses or encrypts.
type Sealed[T any] struct{ idem.JSON[T] }

// NewSealed makes a codec for any result.
func NewSealed[T any]() idem.Codec[T] { return Sealed[T]{} }

// Name tells it from json.
func (Sealed[T]) Name() string { return "sealed+json" }

// Encode turns every byte round.
func (s Sealed[T]) Encode(ref idem.Ref, v T) ([]byte, error) {
	data, err := s.JSON.Encode(ref, v)
	return turned(data), err
}

// Decode turns them back.
func (s Sealed[T]) Decode(ref idem.Ref, data []byte) (T, error) {
	return s.JSON.Decode(ref, turned(data))
}

func turned(data []byte) []byte {
	out := make([]byte, len(data))
	for i, b := range data {
		out[i] = ^b
	}
	return out
}

// numbers stores receipts by their numbers.
type numbers struct{}

func (numbers) Name() string                                    { return "number" }
func (numbers) Encode(_ idem.Ref, r Receipt) ([]byte, error)    { return []byte(r.number), nil }
func (numbers) Decode(_ idem.Ref, data []byte) (Receipt, error) { return Receipt{string(data)}, nil }
