// Package pay is American.
package pay

import "context"

// Gate charges.
//
//idem:wrap
type Gate interface {
	//idem:key k
	Charge(ctx context.Context, k string) (string, error)
	//idem:key k
	//idem:op pay.refund
	Refund(ctx context.Context, k string) error
}
