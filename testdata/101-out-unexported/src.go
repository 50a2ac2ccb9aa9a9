// Package src has parts that another package can't name.
package src

import "context"

type hidden struct{ N int }

func digest(s string) string { return s }

var _ = digest

// Pay pays.
//
//idem:wrap
type Pay interface {
	//idem:key digest(id)
	A(ctx context.Context, id string) error
	//idem:key id
	B(ctx context.Context, id string) (hidden, error)
	//idem:skip
	c()
}
