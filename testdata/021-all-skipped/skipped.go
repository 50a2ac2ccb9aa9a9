// Package skipped forwards everything.
package skipped

import "context"

// Reader reads.
//
//idem:wrap
type Reader interface {
	//idem:skip
	Get(ctx context.Context, id string) (int, error)
	//idem:skip
	List() []string
}
