// Package wrong has errors that can't be outcomes, or would not come back as they were.
package wrong

import (
	"context"
	"errors"
	"net"

	"github.com/idemgen/idemgen/idem"
)

// ErrSoldOut could be one.
var ErrSoldOut = errors.New("sold out")

var _ = idem.ErrInFlight

type (
	// Declined has data that json can't see.
	Declined struct {
		Code  string
		Meta  map[string]any
		Lines []Line
		why   error
	}
	// Line is a part of it.
	Line struct {
		Cause error
		Do    func() `json:"-"`
	}
	// Several holds several.
	Several struct{ Errs []error }
	// Tagged is marked with a slip.
	Tagged struct {
		Card string `idem:"secert"`
	}
	// Plain is as it should be.
	Plain struct{ Code string }
	// Nested keeps an error of its own kind.
	Nested struct {
		Err   error
		Outer *Nested
	}
	// Loose has a list that may be empty.
	Loose struct {
		List []int `json:",omitempty"`
	}
)

func (*Declined) Error() string { return "declined" }
func (Several) Error() string   { return "several" }
func (Tagged) Error() string    { return "tagged" }
func (Plain) Error() string     { return "plain" }
func (*Nested) Error() string   { return "nested" }
func (Loose) Error() string     { return "loose" }

// Shop sells.
//
//idem:wrap
//idem:errors final *Declined, context.Canceled
type Shop interface {
	//idem:key id
	//idem:errors final Several, net.Error, idem.ErrLeaseLost
	//idem:errors final context.DeadlineExceeded
	Sell(ctx context.Context, id string) (int, error)
	//idem:key id
	//idem:errors unknown context.Canceled
	//idem:errors final Tagged, *net.OpError
	Lend(ctx context.Context, id string) error
	//idem:key id
	//idem:errors final *Nested, Loose
	Give(ctx context.Context, id string) error
}

// Other has nothing to lose.
//
//idem:wrap
type Other interface {
	//idem:key id
	//idem:errors final Plain, ErrSoldOut
	//idem:lossy who knows
	Sell(ctx context.Context, id string) (int, error)
}
