// Package words has annotations that are none.
package words

import "context"

// Words is misspelt.
//
//idem:warp
//idem:wrap
//idem:skip *
type Words interface {
	//idem:kee k
	A(ctx context.Context, k string) error
	// idem:key k
	B(ctx context.Context, k string) error
	//idem:key
	C(ctx context.Context, k string) error
	//idem:policy wait
	//idem:key k
	D(ctx context.Context, k string) error
	//idem:key k
	//idem:key k
	E(ctx context.Context, k string) error
	//idem:tx own
	//idem:key k
	F(ctx context.Context, k string) error
}
