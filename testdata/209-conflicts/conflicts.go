// Package conflicts has two meanings for one thing.
package conflicts

import "context"

type left interface {
	//idem:key a
	Flush(ctx context.Context, a, b string) error
}

type right interface {
	//idem:key b
	Flush(ctx context.Context, a, b string) error
}

// Both can't decide.
//
//idem:wrap
type Both interface {
	left
	right
}
