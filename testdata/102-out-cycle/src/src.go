// Package src imports the package its wrapper should go to.
package src

import (
	"context"

	"example.com/cases/102-out-cycle/wrapped"
)

// S is wrapped.
//
//idem:wrap
type S interface {
	//idem:key id
	Do(ctx context.Context, id string) error
}

var _ = wrapped.N
