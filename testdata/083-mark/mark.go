// Package mark begins with a byte order mark.
package mark

import "context"

// M is wrapped.
//
//idem:wrap
type M interface {
	//idem:key k
	Do(ctx context.Context, k string) error
}
