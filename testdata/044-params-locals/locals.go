// Package locals has parameters named like the variables of a body.
package locals

import "context"

// Key is a key.
type Key struct{ ID *string }

// Locals is busy.
//
//idem:wrap
type Locals interface {
	//idem:key *key.ID
	//idem:scope *scope.ID
	A(ctx context.Context, key, scope *Key, f, res, err, w int) (int, string, error)
	//idem:key *w.ID
	B(f context.Context, w *Key) error
	//idem:key r1
	C(res context.Context, err, r1 string) (key, scope, f string, w int, next error)
	//idem:key callKey
	D(ctx context.Context, callKey, callErr, result string) (res, err string, last error)
}
