// Package text has keys that are awkward to read.
package text

import "context"

// Text is awkward.
//
//idem:wrap
type Text interface {
	//idem:key "https://" + k
	A(ctx context.Context, k string) error
	//idem:key `//idem:skip "` + k   
	B(ctx context.Context, k string) error
	//idem:key	"\"\\" + k
	C(ctx context.Context, k string) error
	//idem:key k /* the key */
	D(ctx context.Context, k string) error
	//idem:key k+ /* and */"x"
	E(ctx context.Context, k string) error
}
