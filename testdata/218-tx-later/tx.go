// Package transactions asks for one, which the runtime can't do yet.
package transactions

import "context"

//idem:wrap
type Payments interface {
	//idem:key id
	//idem:tx optimistic
	Book(ctx context.Context, id string) error
}
