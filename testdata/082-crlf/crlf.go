// Package crlf has line ends of another system.
package crlf

import "context"

// C is wrapped.
//
//idem:wrap
type C interface {
	// Do does.
	//
	//	code
	//
	//idem:key k
	//idem:stale 30s
	Do(ctx context.Context, k string) error
}
