// Package base has generic interfaces without annotations.
package base

import "context"

// ID is a string.
type ID string

// Table is generic.
type Table[I ~string, E any] interface {
	Put(ctx context.Context, id I, e E) (E, error)
	Table(ctx context.Context, key string) error
}

// Box is, too.
type Box[T any] interface {
	Take(ctx context.Context, id string) (int, error)
}

// Text is what stands in expressions.
func Text[T ~string](t T) string { return string(t) }
