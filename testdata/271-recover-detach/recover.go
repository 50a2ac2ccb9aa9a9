// Package recovers asks before it runs again, and outlives its callers.
package recovers

import (
	"context"
)

// Receipt is a result.
type Receipt struct{ ID string }

// Payments moves money.
//
//idem:wrap
type Payments interface {
	//idem:key id
	//idem:takeover recover FindCharge maxattempts 3
	//idem:detach
	Charge(ctx context.Context, id string) (Receipt, error)

	//idem:skip
	FindCharge(ctx context.Context, id string) (Receipt, bool, error)

	//idem:key id
	//idem:takeover recover FindRefund
	Refund(ctx context.Context, id string, lines ...string) (Receipt, []int, error)
	FindRefund(ctx context.Context, id string, lines ...string) (Receipt, []int, bool, error)

	//idem:key id
	//idem:takeover recover FindVoid
	//idem:detach
	Void(ctx context.Context, id string) error
	FindVoid(ctx context.Context, id string) (bool, error)

	//idem:key id
	//idem:takeover hold
	//idem:detach
	Send(ctx context.Context, id string) error
}
