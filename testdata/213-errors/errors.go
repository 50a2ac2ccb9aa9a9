// Package errs classifies errors in all the ways there are.
package errs

import (
	"context"
	"errors"
	"io"
	"net"
	"syscall"

	"example.com/cases/213-errors/failure"
	. "example.com/cases/213-errors/failure"
)

var (
	// ErrSoldOut is a value.
	ErrSoldOut = errors.New("sold out")
	errQuiet   = errors.New("quiet")
	// ErrTyped is of a type of its own.
	ErrTyped = &NotFound[Order]{}
)

// Order is something to be found.
type Order struct{ ID string }

// NotFound is generic.
type NotFound[T any] struct{ What T }

func (*NotFound[T]) Error() string { return "not found" }

// Missing is an alias.
type Missing = NotFound[Order]

// Temporary is an interface with more than an error has.
type Temporary interface {
	error
	Temporary() bool
}

var (
	_ net.Error
	_ = io.EOF
	_ = syscall.ETIMEDOUT
	_ failure.Code
	_ Code
)

// Shop sells. What its methods say comes before what it says itself.
//
//idem:wrap
//idem:errors unknown io.EOF, net.Error
//idem:errors release failure.ErrBusy
type Shop interface {
	// Buy names values: of this package, of another, of the standard library, a constant, one of a dot import.
	//
	//idem:key id
	//idem:errors release ErrSoldOut, errQuiet,	failure.ErrBusy, Gone
	//idem:errors unknown syscall.ETIMEDOUT
	Buy(ctx context.Context, id string) error
	// Sell names types: by their pointers, by themselves, instances, aliases, interfaces; error stands for all that is left.
	//
	//idem:key id
	//idem:errors release *failure.Declined, Code, *NotFound[Order], *NotFound[map[string]*Order], Temporary
	//idem:errors unknown error
	Sell(ctx context.Context, id string) (Order, error)
	// Lend decides otherwise than the interface, whose other rules stay.
	//
	//idem:key ErrSoldOut
	//idem:errors release io.EOF // it was at its end before
	Lend(ctx context.Context, ErrSoldOut string) error
	// Find says nothing of its own.
	//
	//idem:key id
	Find(ctx context.Context, id string) (*Order, error)
}

// Shelf is generic, and so are errors of it.
//
//idem:wrap
//idem:errors release *NotFound[T]
type Shelf[T any] interface {
	//idem:key id
	//idem:errors unknown *Missing, next
	Put(ctx context.Context, id string) (int, error)
}

// Next and eng are names that the constructor would use.
var next = errors.New("next")

// Inner is embedded in another instance.
type Inner[T any] interface {
	//idem:key id
	//idem:errors unknown *NotFound[T]
	Get(ctx context.Context, id string) (int, error)
}

// Outer has a T of its own.
//
//idem:wrap
//idem:errors release *NotFound[T]
type Outer[T any] interface {
	Inner[string]
}
