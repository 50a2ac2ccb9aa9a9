//go:build !windows && !sys_off

package sys

import "context"

// Tagged is where a tag allows.
//
//idem:wrap
type Tagged interface {
	//idem:key k
	Do(ctx context.Context, k string) (int, string, error)
}
