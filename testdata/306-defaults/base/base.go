// Package base sets defaults of its own.
package base

import "context"

// Store has defaults for its methods, wherever they are embedded.
//
//idem:policy conflict
//idem:stale 20s
type Store interface {
	//idem:key id
	//idem:stale 30s
	Put(ctx context.Context, id string) error
	//idem:key id
	Delete(ctx context.Context, id string) error
}
