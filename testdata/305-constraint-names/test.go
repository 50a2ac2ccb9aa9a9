//go:build linux || !linux

// Package constraints has files whose outputs would be something else.
package constraints

import "context"

// T is in a file whose output would be a test.
//
//idem:wrap
type T interface {
	//idem:key id
	Do(ctx context.Context, id string) error
}
