// Package broken needs what is not there.
package broken

import (
	"context"

	"example.com/cases/nowhere"
)

// Store is broken.
//
//idem:wrap
//idem:skip *
type Store interface {
	//idem:key k
	Put(ctx context.Context, k string, v Missing) error
	Get(ctx context.Context) (nowhere.Thing, error)
	Own(w *IdempotentStore)
}
