// Package own declares nil and other predeclared names, of which the output needs only nil.
package own

import "context"

var nil = 1

type any struct{ N int }

func len() int { return nil }

const iota = 2

// Store needs a nil only to show what it implements.
//
//idem:wrap
type Store interface {
	//idem:key id
	Put(ctx context.Context, id string, a any) (any, int, error)
	//idem:skip
	Len(iota int) int
}

// Box is generic.
//
//idem:wrap
type Box[T comparable] interface {
	//idem:key id
	Put(ctx context.Context, id string, value T) (T, error)
}

var _, _ = len, iota
