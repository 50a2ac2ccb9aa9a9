// Package codecs has codecs of another package.
package codecs

import "github.com/idemgen/idemgen/idem"

// Sealed is a codec for anything.
type Sealed[T any] struct{ idem.JSON[T] }

// Name is stored.
func (Sealed[T]) Name() string { return "sealed+json" }

// NewSealed makes one.
func NewSealed[T any]() idem.Codec[T] { return Sealed[T]{} }

// Shared is an alias with a parameter.
type Shared[T any] = Sealed[T]
