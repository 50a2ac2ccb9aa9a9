// Package base declares an annotated interface and the types it uses.
package base

import (
	"context"
	"strings"
)

// Name is an alias.
type Name = string

type label = string

// Normal makes names equal.
func Normal(n Name) string { return strings.ToLower(n) }

// Store is annotated here and wrapped elsewhere.
type Store interface {
	//idem:key Normal(name), prefix
	Put(ctx context.Context, name Name, prefix label, at Point) (Point, error)
}

// Point is a point.
type Point struct{ X, Y int }

// Pages is generic.
type Pages[T any] interface {
	//idem:key strings.ToUpper(id)
	Turn(ctx context.Context, id string, to T) (T, error)
}
