// Package kept is annotated.
package kept

import "context"

// Kept is wrapped.
//
//idem:wrap
type Kept interface {
	//idem:key k
	Do(ctx context.Context, k string) error
}
