// Package sum has variadic parameters.
package sum

import (
	"context"
	"strings"
)

// List is a slice.
type List []int

// Option adjusts.
type Option func(*int)

// Sum adds.
//
//idem:wrap
type Sum interface {
	//idem:key id
	Any(ctx context.Context, id string, values ...any) (int, error)
	//idem:key id
	Lists(ctx context.Context, id string, lists ...List) (int, error)
	//idem:key strings.Join(ids, ",")
	Join(ctx context.Context, ids ...string) (n int, err error)
	//idem:key id
	//idem:fingerprint except options
	Tune(ctx context.Context, id string, options ...Option) error
	//idem:skip
	Each(f func(...string) error, rest ...func(prefix string, values ...int) int)
	//idem:skip
	Bytes(...[]byte)
}

var _ = strings.Join
