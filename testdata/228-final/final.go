// Package final has methods whose errors are outcomes.
package final

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net/url"
)

// What is final.
var (
	ErrSoldOut = errors.New("sold out")
	_          = io.ErrUnexpectedEOF // annotations do not use an import
	_          url.Error
	_          fs.PathError
)

type (
	// Declined has data.
	Declined struct {
		Code  string `json:"code"`
		Card  string `idem:"secret"`
		Lines []Line
		Cause error
	}
	// Line is a part of it.
	Line struct{ Text string }
	// Limit is an error by its value.
	Limit struct{ Left int64 }
	// Missing is generic.
	Missing[T any] struct{ What T }
	// Hidden keeps its data to itself.
	Hidden struct{ why string }
	// Masked marshals itself.
	Masked struct{ why string }
)

func (d *Declined) Error() string             { return "declined: " + d.Code }
func (d *Declined) Unwrap() error             { return d.Cause }
func (Limit) Error() string                   { return "limit" }
func (*Missing[T]) Error() string             { return "missing" }
func (h Hidden) Error() string                { return h.why }
func (m Masked) Error() string                { return m.why }
func (m Masked) MarshalText() ([]byte, error) { return []byte(m.why), nil }

// UnmarshalText reads it again.
func (m *Masked) UnmarshalText(text []byte) error {
	m.why = string(text)
	return nil
}

// Shop sells.
//
//idem:wrap
//idem:errors final ErrSoldOut, *Declined
type Shop interface {
	//idem:key id
	//idem:errors final Limit, *Missing[string], *Missing[map[string]Line], Masked
	//idem:errors release io.ErrUnexpectedEOF
	Sell(ctx context.Context, id string) (int, error)
	// Lend has errors of others.
	//
	//idem:key id
	//idem:errors final *url.Error, *fs.PathError, io.EOF
	//idem:errors unknown error
	Lend(ctx context.Context, id string) error
	// Give has all errors as outcomes but one.
	//
	//idem:key id
	//idem:errors release ErrSoldOut
	//idem:errors final error
	Give(ctx context.Context, id string) error
	// Take knows that not all of an error survives.
	//
	//idem:key id
	//idem:errors final Hidden
	//idem:lossy its text says all
	Take(ctx context.Context, id string) error
}

// Box is generic.
//
//idem:wrap
//idem:errors final *Missing[V], *Missing[int], ErrSoldOut
type Box[K ~string, V any] interface {
	//idem:key k
	Put(ctx context.Context, k K, v V) (int, error)
	//idem:key k
	//idem:lossy whatever V is
	Get(ctx context.Context, k K) (V, error)
}
