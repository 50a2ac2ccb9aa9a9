// Package codecs has codecs of another package.
package codecs

import "github.com/idemgen/idemgen/idem"

type sealed[T any] struct{ idem.JSON[T] }

// Sealed hides its type.
func Sealed[T any]() sealed[T] { return sealed[T]{} }
