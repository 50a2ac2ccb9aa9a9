// Package sys has interfaces for all systems and for one.
package sys

import "context"

// All is everywhere.
//
//idem:wrap
type All interface {
	//idem:key k
	Do(ctx context.Context, k string) error
}
