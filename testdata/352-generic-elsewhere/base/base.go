// Package base has generic things that annotations name.
package base

import (
	"context"

	"github.com/idemgen/idemgen/idem"
)

// Missing is an error.
type Missing[T any] struct{ Value T }

func (*Missing[T]) Error() string { return "missing" }

// Codec is one of any type.
type Codec[T any] struct{ idem.JSON[T] }

// Key is the key of a value.
func Key[T any](T) string { return "key" }

// Repo is wrapped elsewhere.
//
//idem:errors release *Missing[T]
type Repo[T any] interface {
	//idem:key Key(v)
	//idem:codec Codec
	//idem:fingerprint Key([]T{v})
	Put(ctx context.Context, v T) (T, error)
}
