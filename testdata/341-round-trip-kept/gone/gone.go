// Package gone stores nothing any more.
package gone

import "context"

// Store stores nothing.
//
//idem:wrap
type Store interface {
	//idem:key id
	Put(ctx context.Context, id string) error
}
