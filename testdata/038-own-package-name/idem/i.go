// Package idem has the runtime's name.
package idem

import "context"

// Do has a name of the runtime's.
type Do struct{ N int }

// Engine too.
//
//idem:wrap
type Engine interface {
	//idem:key id
	Operation(ctx context.Context, id string) (Do, error)
}
