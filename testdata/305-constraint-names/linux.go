//go:build linux || !linux

package constraints

import "context"

// L is in a file whose output would only be built for one system.
//
//idem:wrap
type L interface {
	//idem:key id
	Do(ctx context.Context, id string) error
}
