// Package gen has an interface of its own.
package gen

import "context"

// Local is wrapped here.
//
//idem:wrap
type Local interface {
	//idem:key id
	Put(ctx context.Context, id string) error
}
