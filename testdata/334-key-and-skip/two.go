// Package two declares methods twice, with a key and a skip, or with one more setting.
package two

import "context"

type left interface {
	//idem:key id
	Do(ctx context.Context, id string) error
}

type right interface {
	//idem:skip
	Do(ctx context.Context, id string) error
}

type strict interface {
	//idem:key id
	//idem:policy conflict
	Put(ctx context.Context, id string) error
}

type plain interface {
	//idem:key id
	Put(ctx context.Context, id string) error
}

type bare interface {
	Put(ctx context.Context, other string) error
}

// Both contradict each other.
//
//idem:wrap
type Both interface {
	left
	right
}

// Turned does, in the other order.
//
//idem:wrap
type Turned interface {
	right
	left
}

// More is stricter on one side.
//
//idem:wrap
type More interface {
	strict
	plain
}

// Fine is said once, whatever the parameters are called.
//
//idem:wrap
type Fine interface {
	bare
	plain
	Put(ctx context.Context, _ string) error
}
