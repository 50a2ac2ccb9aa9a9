// Package odd has type parameters named like other things.
package odd

import (
	"context"
	"time"
)

type base[V any] interface {
	//idem:key key
	Keep(ctx context.Context, key string, v V, until time.Time) (V, Item, error)
}

// Item has the name of a type parameter below.
type Item struct{ N int }

// Odd hides what its methods need.
//
//idem:wrap
//idem:skip *
type Odd[string any, Item comparable, w any] interface {
	base[Item]
	Hold(a string, b Item, c w)
}

// Blank has a parameter without a name, and those of packages.
//
//idem:wrap
type Blank[_ any, idem ~string, time any] interface {
	//idem:key key
	Stop(ctx context.Context, key idem, at time) (time, error)
}
