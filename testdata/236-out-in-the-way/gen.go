// Package gen had the wrappers of another package before it had an interface of its own.
package gen

import "context"

// Local is wrapped here.
//
//idem:wrap
type Local interface {
	//idem:key id
	Put(ctx context.Context, id string) error
}
