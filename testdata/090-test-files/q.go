// Package q has interfaces in its tests.
package q

import "context"

// T is a type.
type T struct{ A int }

// Plain is in the package.
//
//idem:wrap
type Plain interface {
	//idem:key k
	Do(ctx context.Context, k string) (T, string, error)
}
