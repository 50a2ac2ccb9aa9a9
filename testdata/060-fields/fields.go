// Package fields has methods named like a wrapper's fields.
package fields

import "context"

// Fields has all of them.
//
//idem:wrap
//idem:skip *
type Fields interface {
	//idem:key id
	Next(ctx context.Context, id string) error
	next()
	eng() string
	wrapped()
}

// Generic has fields for its operations, too.
//
//idem:wrap
type Generic[T any] interface {
	//idem:key id
	Next(ctx context.Context, id string) (T, error)
	//idem:key id
	Eng(ctx context.Context, id string) error
	//idem:key id
	put(ctx context.Context, id string) (T, error)
	//idem:key id
	Put(ctx context.Context, id string) (T, error)
	//idem:key id
	Range(ctx context.Context, id string) (T, error)
	//idem:key id
	Delete(ctx context.Context, id string) (int, T, error)
}
