// Package table has expressions that name type parameters, which are other things where they are written again.
package table

import "context"

// Table keys by K.
type Table[K comparable, V any] interface {
	//idem:key text[K](k), op
	//idem:fingerprint any(k).(K), v
	Put(ctx context.Context, op string, k K, v V) (old V, err error)
}

func text[T any](T) string { return "text" }

// ByName swaps and fills in.
//
//idem:wrap
type ByName[V any] = Table[string, V]

// Numbers is no longer generic.
//
//idem:wrap
type Numbers interface{ Table[int64, []byte] }

// Own names its own.
//
//idem:wrap
type Own[T ~string, U any] interface {
	//idem:key text[U](u), T("x") + t
	Put(ctx context.Context, t T, u U) error
}
