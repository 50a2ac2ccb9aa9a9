// Package recovers names recover methods that are none, or do not fit.
package recovers

import (
	"context"
	"io"
)

type (
	// Receipt is a result.
	Receipt struct{ ID string }
	// Happened is not the predeclared bool.
	Happened bool
)

// Finder has a method that fits.
type Finder interface {
	FindLater(ctx context.Context, id string) (Receipt, bool, error)
}

//idem:wrap
type Payments interface {
	Finder
	io.Closer
	//idem:key id
	//idem:takeover recover
	NoName(ctx context.Context, id string) (Receipt, error)
	//idem:key id
	//idem:takeover recover Payments.FindCharge
	Dotted(ctx context.Context, id string) (Receipt, error)
	//idem:key id
	//idem:takeover recover FindChrage
	Misspelt(ctx context.Context, id string) (Receipt, error)
	//idem:key id
	//idem:takeover recover LookUpElsewhere maxattempts 3
	Missing(ctx context.Context, id string, notes ...string) (Receipt, []int, error)
	//idem:key id
	//idem:takeover recover Itself
	Itself(ctx context.Context, id string) (Receipt, error)
	//idem:key id
	//idem:takeover recover Itself
	Keyed(ctx context.Context, id string) (Receipt, error)
	//idem:key id
	//idem:takeover recover FindMore
	FewerParams(ctx context.Context, id string) (Receipt, error)
	//idem:key id
	//idem:takeover recover FindByNumber
	OtherParam(ctx context.Context, id string) (Receipt, error)
	//idem:key id[0]
	//idem:takeover recover FindSlice
	Variadic(ctx context.Context, id ...string) (Receipt, error)
	//idem:key id[0]
	//idem:takeover recover FindAny
	NotVariadic(ctx context.Context, id []string) (Receipt, error)
	//idem:key id
	//idem:takeover recover FindQuietly
	NoError(ctx context.Context, id string) (Receipt, error)
	//idem:key id
	//idem:takeover recover FindCharge
	FindOther(ctx context.Context, id string) (*Receipt, error)
	//idem:key id
	//idem:takeover recover FindFor
	NoBool(ctx context.Context, id string) (Receipt, error)
	//idem:key id
	//idem:takeover recover FindHappened
	OwnBool(ctx context.Context, id string) (Receipt, error)
	//idem:key id
	//idem:takeover recover FindCharge
	OnlyError(ctx context.Context, id string) error
	//idem:key id
	//idem:takeover recover FindCharge maxattempts 0
	NoAttempts(ctx context.Context, id string) (Receipt, error)
	//idem:key id
	//idem:takeover recover FindLater
	NoContext(id string) (Receipt, error)

	FindCharge(ctx context.Context, id string) (Receipt, bool, error)
	FindMore(ctx context.Context, id string, more int) (Receipt, bool, error)
	FindByNumber(ctx context.Context, id int) (Receipt, bool, error)
	FindSlice(ctx context.Context, id []string) (Receipt, bool, error)
	FindAny(ctx context.Context, id ...string) (Receipt, bool, error)
	FindQuietly(ctx context.Context, id string) (Receipt, bool)
	FindFor(ctx context.Context, id string) (Receipt, error)
	FindHappened(ctx context.Context, id string) (Receipt, Happened, error)
	// Balance is decided by nothing.
	Balance(ctx context.Context) (int, error)
	// Ask is named by a method that is forwarded.
	//
	//idem:skip
	//idem:takeover recover FindAsked
	Ask(ctx context.Context) error
	FindAsked(ctx context.Context) (bool, error)
}

// Box has type parameters in the way.
//
//idem:wrap
//idem:takeover recover Find
type Box[K ~string, V any] interface {
	//idem:key k
	Put(ctx context.Context, k K, v V) (V, error)
	//idem:key k
	Swap(ctx context.Context, k K, v K) (V, error)
	//idem:key k
	//idem:takeover rerun
	Drop(ctx context.Context, k K) error
	Find(ctx context.Context, k K, v V) (V, bool, error)
}
