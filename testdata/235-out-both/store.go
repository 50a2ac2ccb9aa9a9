// Package store is to be wrapped in a package that has an interface of its own.
package store

import "context"

//idem:wrap
type Store interface {
	//idem:key id
	Put(ctx context.Context, id string) error
}
