// Package once has mistakes that could be told twice.
package once

import (
	"context"
	"io"

	"github.com/idemgen/idemgen/idem"
)

// Misplaced forwards the rest of its methods from the wrong place.
//
//idem:wrap
type Misplaced interface {
	io.ReadWriter
	//idem:key k
	//idem:skip *
	Put(ctx context.Context, k string) error
}

// Store has mistakes of its own.
//
//idem:wrap
type Store interface {
	//idem:key k
	//idem:takeover recover maxattempts 3
	Put(ctx context.Context, k string) error
	//idem:key k
	//idem:takeover recover Few
	Post(ctx context.Context, k string) error
	//idem:skip
	Few(ctx context.Context) (bool, error)
	//idem:key k
	//idem:codec JSON
	Get(ctx context.Context, k string) (int, error)
	//idem:key k
	//idem:codec Plain
	List(ctx context.Context, k string) (int, error)
	//idem:key k
	//idem:codec Generic
	Both(ctx context.Context, k string) (int, string, error)
}

// Plain has the methods that people guess.
type Plain struct{}

// Name is right.
func (Plain) Name() string { return "plain" }

// Encode lacks the reference.
func (Plain) Encode(n int) ([]byte, error) { return nil, nil }

// Decode is right.
func (Plain) Decode(ref idem.Ref, data []byte) (int, error) { return 0, nil }

// Generic fills what it is given.
type Generic[T any] struct{}

// Name is right.
func (Generic[T]) Name() string { return "generic" }

// Encode is right.
func (Generic[T]) Encode(ref idem.Ref, v T) ([]byte, error) { return nil, nil }

// Decode fills.
func (Generic[T]) Decode(ref idem.Ref, data []byte, v *T) error { return nil }
