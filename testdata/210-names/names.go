// Package names declares what would be generated.
package names

import "context"

// Store is wrapped.
//
//idem:wrap
type Store interface {
	//idem:key k
	Put(ctx context.Context, k string) error
}

// IdempotentStore was here first.
type IdempotentStore struct{}

// Other has a taken constructor.
//
//idem:wrap Safe
type Other interface {
	//idem:key k
	//idem:op names.put
	Put(ctx context.Context, k string) error
	//idem:key k
	//idem:op names.put
	Add(ctx context.Context, k string) error
}

// NewSafe is taken.
func NewSafe() {}
