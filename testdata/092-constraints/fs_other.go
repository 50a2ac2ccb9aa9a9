//go:build !linux

package sys

import "context"

// FS is for the rest.
//
//idem:wrap
type FS interface {
	//idem:key k
	Attach(ctx context.Context, k string) error
}
