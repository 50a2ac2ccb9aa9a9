// Package keys has keys that can't be.
package keys

import "context"

type request struct{ N float64 }

// Keys is keyless.
//
//idem:wrap
type Keys interface {
	//idem:key req..N
	A(ctx context.Context, req request) error
	//idem:key missing
	B(ctx context.Context, k string) error
	//idem:key strings.ToLower(k)
	C(ctx context.Context, k string) error
	//idem:key req.N
	D(ctx context.Context, req request) error
	//idem:key req.M
	E(ctx context.Context, req request) error
	//idem:key "constant"
	F(ctx context.Context, k string) error
	//idem:key k; l
	G(ctx context.Context, k, l string) error
	//idem:key _
	H(ctx context.Context, _ string) error
	//idem:key context
	I(ctx context.Context) error
	//idem:key k,
	J(ctx context.Context, k string) error
}
