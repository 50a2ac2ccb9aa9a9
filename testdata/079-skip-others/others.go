// Package others forwards what has no key on purpose.
package others

import (
	"context"
	"io"
)

// Others has both.
//
//idem:wrap
//idem:skip *
type Others interface {
	io.Closer
	//idem:key id
	Do(ctx context.Context, id string) error
	// Undo has no annotation.
	Undo(ctx context.Context, id string) error
	//idem:skip
	Len() int
}
