// Package box has a generic interface.
package box

import "context"

// Item has a key.
type Item[T any] struct {
	Key   string
	Value T
}

// Box keeps items.
//
//idem:wrap
type Box[T any] interface {
	//idem:key item.Key
	Put(ctx context.Context, item Item[T]) (T, error)
}

// Memory implements Box.
type Memory[T any] struct{ items map[string]T }

// Put implements it.
func (m *Memory[T]) Put(ctx context.Context, item Item[T]) (T, error) { return item.Value, nil }
