// Package shapes has keyed methods of wrong shapes.
package shapes

import (
	"context"
	"net/http"
)

// Shapes is wrong.
//
//idem:wrap
type Shapes interface {
	//idem:key k
	NoContext(k string) error
	//idem:key k
	TwoContexts(a, b context.Context, k string) error
	//idem:key k
	NoError(ctx context.Context, k string) int
	//idem:key k
	NothingBack(ctx context.Context, k string)
	//idem:key k
	ErrorFirst(ctx context.Context, k string) (error, int)
	//idem:key k
	Lookalike(ctx http.Handler, k string) error
	Bare(ctx context.Context, k string) error
}
