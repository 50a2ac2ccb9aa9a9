// Package unused imports more than its interface needs.
package unused

import (
	"context"
	_ "embed"
	"image"
	"sort"
)

var _ = sort.Ints

// Draw draws.
//
//idem:wrap
type Draw interface {
	//idem:key id
	Dot(ctx context.Context, id string, at image.Point) error
}
