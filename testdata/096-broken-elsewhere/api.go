// Package broken has errors that do not matter.
package broken

import "context"

// Store is wrapped.
//
//idem:wrap
type Store interface {
	//idem:key k
	Put(ctx context.Context, k string) (*Record, error)
}

// Record is stored.
type Record struct{ ID string }
