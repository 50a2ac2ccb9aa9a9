// Package ctx has a context under other names and in other places.
package ctx

import "context"

// Late takes its context late.
//
//idem:wrap
type Late interface {
	//idem:key id
	A(id string, ctx context.Context) error
	//idem:key ctx
	B(ctx string, c context.Context, n int) (int, error)
	//idem:key id
	C(id string, n int, idem context.Context, more ...int) (int, int, error)
}
