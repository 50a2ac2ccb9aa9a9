// Package several joins keys.
package several

import (
	"context"
	"strings"
)

var _ = strings.Join

// Several has keys of several parts.
//
//idem:wrap
type Several interface {
	//idem:key shop, strings.Join([]string{a, b}, ","), n
	A(ctx context.Context, shop, a, b string, n int64) error
	//idem:key func(s string) string { return s + "," + a }(b), a
	B(ctx context.Context, a, b string) error
	//idem:key a,b
	C(ctx context.Context, a, b string) error
}
