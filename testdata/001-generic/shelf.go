// Package shelf has a generic interface with one keyed method.
package shelf

import "context"

// Shelf keeps items of one type.
//
//idem:wrap
type Shelf[I any] interface {
	// Place puts an item on the shelf and returns what was there.
	//
	//idem:key slot
	Place(ctx context.Context, slot string, item I) (I, error)

	//idem:skip
	Look(ctx context.Context, slot string) (item I, ok bool)
}
