// Package matrix has several results that depend on several type parameters.
package matrix

import "context"

// Matrix is wide.
//
//idem:wrap
type Matrix[Row, Col comparable, Cell any] interface {
	//idem:key id
	Set(ctx context.Context, id string, r Row, c Col, v Cell) (old Cell, row []Row, cols map[string]Col, err error)
	//idem:key id
	Drop(ctx context.Context, id string) error
	//idem:key id
	Count(ctx context.Context, id string) (int, error)
	//idem:key id
	Both(ctx context.Context, id string) (int, string, error)
}
