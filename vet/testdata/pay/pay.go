// Package pay has interfaces whose methods find their keys in different places.
package pay

import (
	"context"

	"github.com/google/uuid"
)

// Request has a key on the way.
type Request struct {
	Meta   Meta
	Amount int
}

// Meta is part of a request.
type Meta struct{ Key string }

// Receipt is a result.
type Receipt struct{ ID string }

// Payments moves money.
//
//idem:wrap
type Payments interface {
	//idem:key req.Meta.Key
	Charge(ctx context.Context, req *Request) (Receipt, error)

	//idem:key id
	Refund(ctx context.Context, id uuid.UUID, amount int) error

	//idem:key merchant, number
	//idem:scope merchant
	Payout(ctx context.Context, merchant, number string) error

	//idem:key context
	//idem:scope none
	Void(ctx context.Context, amount int) error

	//idem:skip
	Balance(ctx context.Context) (int, error)
}

// Log keeps anything; nothing in its methods says whose they are.
//
//idem:wrap
type Log interface {
	//idem:key key
	Put(ctx context.Context, key, value string) error
}
