// Package pay is European.
package pay

import "context"

// Gate charges.
//
//idem:wrap
type Gate interface {
	//idem:key k
	Charge(ctx context.Context, k string) (int, error)
}

// Again is the same under another name.
//
//idem:wrap
type Again = Gate
