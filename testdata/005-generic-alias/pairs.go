// Package pairs wraps a generic alias whose parameters are not those of what it stands for.
package pairs

import "context"

// Pair relates two types.
type Pair[A comparable, B any] interface {
	//idem:key op
	Join(ctx context.Context, op string, a A, b B) (before A, after B, err error)
}

// ToCount fixes the first and renames the second.
//
//idem:wrap
type ToCount[N ~int] = Pair[string, N]
