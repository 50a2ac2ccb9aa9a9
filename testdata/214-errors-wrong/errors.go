// Package errs classifies what is no error, or not so.
package errs

import (
	"context"
	"errors"
	"io"

	"example.com/cases/214-errors-wrong/failure"
)

// ErrDeclined and ErrBusy are values.
var (
	ErrDeclined = errors.New("declined")
	ErrBusy     = failure.ErrBusy
	Limit       = 3
	All         = struct{ Busy error }{failure.ErrBusy}
	_           = io.EOF
)

// Name is a constant, and no error.
const Name = "name"

type (
	// NotFound is generic.
	NotFound[T any] struct{ What T }
	// Declined is an error by its pointer.
	Declined struct{}
	// Coded is one by itself.
	Coded struct{}
	// Timeout has not what an error has.
	Timeout interface{ Timeout() bool }
)

func (NotFound[T]) Error() string { return "not found" }
func (*Declined) Error() string   { return "declined" }
func (Coded) Error() string       { return "coded" }

// IsBusy is a function.
func IsBusy(error) bool { return true }

//idem:wrap
type Shop[T error] interface {
	//idem:key k
	//idem:errors
	//idem:errors fatal ErrDeclined
	//idem:errors release
	//idem:errors release ErrDeclined
	//idem:errors unknown ErrBusy,, io.EOF
	A(ctx context.Context, k string) error
	//idem:key k
	//idem:errors release Limit, Name, IsBusy, nil, Declined, *Coded, NotFound, NotFound[int, int], T, Timeout
	//idem:errors unknown *ErrBusy, *error, All.Busy, errors.New("x"), ErrBusy + 1, len, k
	B(ctx context.Context, k string) error
	//idem:key k
	//idem:errors release ErrDeclin, filure.ErrBusy, failure.ErrBusi, failure.errQuiet, io.EOF io.EOF, x/y
	C(ctx context.Context, k string) error
	//idem:key k
	//idem:errors release ErrDeclined, ErrBusy, ErrDeclined
	//idem:errors unknown ErrBusy, error, io.EOF, Coded, *Declined
	D(ctx context.Context, k string) error
	//idem:key k
	//idem:errors final ErrDeclined, Coded
	E(ctx context.Context, k string) error
	//idem:key k
	//idem:errors final ErrDeclined, Limit
	F(ctx context.Context, k string) error
	//idem:skip
	//idem:errors release ErrDeclined
	G()
}

type (
	// First says one thing.
	First interface {
		//idem:key k
		//idem:errors release ErrBusy
		//idem:errors unknown io.EOF
		Same(ctx context.Context, k string) error
		//idem:key k
		//idem:errors release ErrBusy
		More(ctx context.Context, k string) error
		//idem:key k
		//idem:errors release ErrBusy
		Other(ctx context.Context, k string) error
	}
	// Second says another.
	Second interface {
		//idem:key k
		//idem:errors release ErrBusy
		//idem:errors unknown io.EOF
		Same(ctx context.Context, k string) error
		//idem:key k
		//idem:errors release ErrBusy
		//idem:errors unknown io.EOF
		More(ctx context.Context, k string) error
		//idem:key k
		//idem:errors release ErrDeclined
		Other(ctx context.Context, k string) error
	}
)

// Both is neither.
//
//idem:wrap
type Both interface {
	First
	Second
}
