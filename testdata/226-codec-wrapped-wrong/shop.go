// Package shop encrypts results that do not survive json within.
package shop

import (
	"context"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/codec"
)

// Stored says by its type that json is what results have to survive.
func Stored[T any]() codec.Encrypted[T, idem.JSON[T]] {
	return codec.Encrypt[T](nil, idem.JSON[T]{})
}

// Succeeding stores json, and reads gobs.
func Succeeding[T any]() codec.Succeeding[T, idem.JSON[T]] {
	return codec.Succeed[T](idem.JSON[T]{}, codec.Gob[T]{})
}

// Gobs are not json.
func Gobs[T any]() codec.Encrypted[T, codec.Gob[T]] { return codec.Encrypt[T](nil, codec.Gob[T]{}) }

// Hidden does not survive json.
type Hidden struct{ ID, secret string }

//idem:wrap
//idem:codec Stored
type Shop interface {
	//idem:key id
	Charge(ctx context.Context, id string) (Hidden, error)
	//idem:key id
	//idem:codec Succeeding
	Refund(ctx context.Context, id string) (map[string]any, error)
	//idem:key id
	//idem:lossy it is not
	Fine(ctx context.Context, id string) (string, error)
	//idem:key id
	//idem:codec Gobs
	//idem:lossy nobody knows
	Gob(ctx context.Context, id string) (Hidden, error)
}
