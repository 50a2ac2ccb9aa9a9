// Package values has values out of range.
package values

import "context"

// Values is out of range.
//
//idem:wrap 1st
//idem:skip *
type Values interface {
	//idem:key k
	//idem:stale 15
	A(ctx context.Context, k string) error
	//idem:key k
	//idem:stale 50ms
	B(ctx context.Context, k string) error
	//idem:key k
	//idem:stale 500ms
	C(ctx context.Context, k string) error
	//idem:key k
	//idem:ttl -1h
	D(ctx context.Context, k string) error
	//idem:key k
	//idem:takeover retry
	E(ctx context.Context, k string) error
	//idem:key k
	//idem:takeover hold maxattempts many
	F(ctx context.Context, k string) error
	//idem:skip this
	G(ctx context.Context, k string) error
}
