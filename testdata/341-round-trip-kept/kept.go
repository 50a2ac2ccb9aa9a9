// Package kept has round-trip tests from an earlier run, which are kept up to date.
package kept

import "context"

// Store stores.
//
//idem:wrap
type Store interface {
	//idem:key id
	Put(ctx context.Context, id string) (int, error)
}
