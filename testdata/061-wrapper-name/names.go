// Package names chooses the names of its wrappers.
package names

import "context"

// Store is wrapped under two names, one of them by an alias.
//
//idem:wrap SafeStore
type Store interface {
	//idem:key id
	Put(ctx context.Context, id string) error
}

//idem:wrap onceStore
type alias = Store
