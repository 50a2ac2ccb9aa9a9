// Package till has parameters spelled like types.
package till

import "context"

type coin struct{ Cents int }

//idem:wrap
type till interface {
	//idem:key coin.id()
	take(ctx context.Context, coin noted) (*coin, error)
	//idem:key coin.id()
	swap(ctx context.Context, coin noted, noted int) (a, b coin, err error)
	//idem:skip
	give(coin coin, till till) (idempotentTill error)
}

type noted string

func (n noted) id() string { return string(n) }
