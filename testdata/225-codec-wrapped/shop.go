// Package shop encrypts its results.
package shop

import (
	"context"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/codec"
)

// Stored says by its type that json is what results have to survive.
func Stored[T any]() codec.Encrypted[T, idem.JSON[T]] { return codec.Encrypt(keys, idem.JSON[T]{}) }

var keys, _ = codec.NewKeyring("a", map[string][]byte{"a": []byte("0123456789abcdef0123456789abcdef")})

// Twice wraps what wraps.
func Twice[T any]() codec.Encrypted[T, codec.Encrypted[T, idem.JSON[T]]] {
	return codec.Encrypt(keys, Stored[T]())
}

// Opaque does not say what it wraps.
func Opaque[T any]() idem.Codec[T] { return Stored[T]() }

// Receipt is a result.
type Receipt struct {
	ID    string
	Cents int64
}

// Hidden does not survive json.
type Hidden struct{ ID, secret string }

//idem:wrap
//idem:codec Stored
type Shop interface {
	//idem:key id
	Charge(ctx context.Context, id string) (Receipt, error)
	//idem:key id
	//idem:codec Twice
	Refund(ctx context.Context, id string) (Receipt, int, error)
	//idem:key id
	//idem:codec Opaque
	Nobody(ctx context.Context, id string) (Receipt, error)
	//idem:key id
	//idem:codec codec.Gob
	Gob(ctx context.Context, id string) (map[Receipt]complex128, error)
	//idem:key id
	//idem:lossy the secret is not for callers
	Lossy(ctx context.Context, id string) (Hidden, error)
}

//idem:wrap
type Box[T any] interface {
	//idem:key id
	//idem:codec Stored
	Put(ctx context.Context, id string) (T, error)
}
