// Package taken declares what the generator would call its variables and types.
package taken

import "context"

var (
	moverMove        = 1
	moverMoveResults = 2
)

var _ = moverMove + moverMoveResults

// Mover moves.
//
//idem:wrap
type Mover interface {
	//idem:key id
	Move(ctx context.Context, id string) (int, int, error)
	//idem:key id
	MoveResults(ctx context.Context, id string) (int, error)
}
