// Package base uses a predeclared type.
package base

import "context"

// Base is annotated.
type Base interface {
	//idem:key id
	Flag(ctx context.Context, id string, on bool) error
}
