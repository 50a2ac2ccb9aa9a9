package sys

import "context"

// FS is for Linux.
//
//idem:wrap
type FS interface {
	//idem:key k
	Mount(ctx context.Context, k string) error
}
