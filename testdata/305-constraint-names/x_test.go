//go:build linux || !linux

package constraints

import "context"

// X is in a file whose output would be that of the external tests.
//
//idem:wrap
type X interface {
	//idem:key id
	Do(ctx context.Context, id string) error
}
