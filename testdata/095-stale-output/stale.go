// Package stale has an output that does not compile any more.
package stale

import "context"

// Store has changed since.
//
//idem:wrap
type Store interface {
	//idem:key k
	Put(ctx context.Context, k string, n int) (int, error)
}
