// Package told makes mistakes that have consequences, of which nothing is said.
package told

import (
	"context"
	"io"
)

// Decided has a key or a skip for each method, all refused: none of them is a method without either.
//
//idem:wrap
type Decided interface {
	// idem:key k
	Spaced(ctx context.Context, k string) error
	//idem:kye k
	Misspelt(ctx context.Context, k string) error
	Trailing(ctx context.Context, k string) error //idem:key k
	//idem:key
	Empty(ctx context.Context, k string) error
	//idem:key k

	Detached(ctx context.Context, k string) error
	/*idem:key k*/
	Block(ctx context.Context, k string) error
	//idem:idempotent
	Unknown(ctx context.Context, k string) error
	//idem:skip
	io.Closer
	//idem:policy conflict
	Bare(ctx context.Context, k string) error
}

// Settled has settings for a method whose key is refused, and would have a key.
//
//idem:wrap
//idem:skip *
//idem:ttl 3h
type Settled interface {
	//idem:kye k
	//idem:stale 30s
	Misspelt(ctx context.Context, k string) error
}

// Forwarding forwards the rest.
//
//idem:wrap
//idem:skipp *
type Forwarding interface {
	Bare(ctx context.Context, k string) error
}

//idem:warp
type misspelt interface {
	//idem:key k
	Do(ctx context.Context, k string) error
}

// idem:wrap
type spaced interface {
	//idem:key k
	Do(ctx context.Context, k string) error
}

//idem:wrap

type detached interface {
	//idem:key k
	Do(ctx context.Context, k string) error
}

type trailing interface { //idem:wrap
	//idem:key k
	Do(ctx context.Context, k string) error
}

//idem:wrap
type lookup map[string]interface {
	//idem:key k
	Do(ctx context.Context, k string) error
}

//idem:wrap
type (
	grouped interface {
		//idem:key k
		Do(ctx context.Context, k string) error
	}
	other struct{ grouped }
)

// Idle is said to have no effect all the same: nobody meant to wrap it.
type Idle interface {
	//idem:key k
	Do(ctx context.Context, k string) error
}
