// Package op names the operations of a generic interface.
package op

import "context"

// Bin stores things.
//
//idem:wrap
type Bin[T any] interface {
	//idem:key id
	//idem:op bin.put
	Put(ctx context.Context, id string, v T) (T, error)
	//idem:key id
	//idem:op storage.Bin.Take
	Take(ctx context.Context, id string) (T, error)
}
