// Package ranking has constraints of every form.
package ranking

import (
	"cmp"
	"context"

	"example.com/cases/002-generic-constraints/score"
)

// Points is a named constraint.
type Points interface{ ~int | ~int64 }

// Table has a named constraint that refers to another parameter.
//
//idem:wrap
type Table[K cmp.Ordered, V score.By[K]] interface {
	//idem:key match
	Enter(ctx context.Context, match string, k K, v V) error
}

// Counter has a union, a named constraint and a predeclared one.
//
//idem:wrap
type Counter[N ~int8 | ~int16, P Points, C comparable] interface {
	//idem:key match
	Add(ctx context.Context, match string, n N, p P) (map[C]N, error)
}

// Pointers has a constraint that reads like an array's length without its braces.
//
//idem:wrap
type Pointers[T any, P interface{ *T }] interface {
	//idem:key id
	Fill(ctx context.Context, id string, p P) error
}

type player int

func (p player) Rank(string) int { return int(p) }
