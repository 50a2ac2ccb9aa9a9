// Package recovers asks before it runs again, which the runtime can't do yet.
package recovers

import "context"

//idem:wrap
type Payments interface {
	//idem:key id
	//idem:takeover recover FindCharge
	Charge(ctx context.Context, id string) (int, error)
	FindCharge(ctx context.Context, id string) (int, bool, error)
	//idem:key id
	//idem:detach
	Send(ctx context.Context, id string) error
	//idem:key id
	//idem:tx optimistic
	Book(ctx context.Context, id string) error
}
