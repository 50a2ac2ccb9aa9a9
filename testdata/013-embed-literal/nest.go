// Package nest embeds an interface literal in another.
package nest

import "context"

// Nest is deep.
//
//idem:wrap
type Nest interface {
	interface {
		//idem:skip
		Close() error
		interface {
			//idem:key egg
			Lay(ctx context.Context, egg string) error
		}
	}
}
