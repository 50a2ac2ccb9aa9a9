// Package effects has settings that do nothing, and methods nobody decided about.
package effects

import (
	"context"
	"io"
)

// Effects is undecided.
//
//idem:wrap
type Effects interface {
	io.Closer
	//idem:policy poll
	A(ctx context.Context) error
	//idem:skip
	//idem:stale 5s
	B(ctx context.Context) error
	//idem:key k
	C(ctx context.Context, k string) error
	d()
}

// Unused is not wrapped.
type Unused interface {
	//idem:key k
	A(ctx context.Context, k string) error
}
