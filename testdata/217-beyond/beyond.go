// Package beyond is annotated with what the runtime can't do yet: it shows what will be written then.
package beyond

import (
	"context"
	"database/sql"
	"errors"
	"io"

	"github.com/jackc/pgx/v5"
)

type (
	// Receipt is a result.
	Receipt struct{ ID string }
	// NotFound is an error of a type.
	NotFound[T any] struct{ What T }
)

func (*NotFound[T]) Error() string { return "not found" }

var _ = io.EOF // annotations do not use an import

// ErrSoldOut is final.
var ErrSoldOut = errors.New("sold out")

// Context is more than a context.
type Context interface {
	context.Context
	Tenant() string
}

// Payments moves money.
//
//idem:wrap
//idem:errors final ErrSoldOut, io.EOF
type Payments interface {
	Finder
	// Charge is looked for before it is tried again.
	//
	//idem:key id
	//idem:takeover recover FindCharge maxattempts 3
	//idem:errors final *NotFound[Receipt], *NotFound[map[string]int]
	//idem:errors release context.Canceled
	Charge(ctx context.Context, id string) (Receipt, error)
	FindCharge(c context.Context, what string) (receipt Receipt, happened bool, err error)
	//idem:key id
	//idem:takeover recover FindVoid
	Void(ctx context.Context, id string, happened ...bool) error
	// FindVoid is named, and skipped besides.
	//
	//idem:skip
	FindVoid(ctx context.Context, id string, happened ...bool) (bool, error)
	//idem:key res
	//idem:takeover recover findQuote
	Quote(ctx context.Context, res string, bool int, lines ...string) (Receipt, []int, error)
	findQuote(ctx context.Context, res string, bool int, lines ...string) (Receipt, []int, bool, error)
	//idem:key id
	//idem:takeover recover FindLater
	Later(ctx Context, id string) (int, error)
	//idem:key id
	//idem:tx
	//idem:stale 5s norenew
	Own(ctx context.Context, id string) error
	// Join works in two worlds.
	//
	//idem:key id
	//idem:tx join
	Join(ctx context.Context, db pgx.Tx, id string) (Receipt, error)
	//idem:key id
	//idem:tx join
	JoinSQL(ctx context.Context, id string, _ *sql.Tx) error
	//idem:key id
	//idem:tx optimistic
	//idem:detach
	Optimistic(ctx context.Context, id string) error
	//idem:key id
	//idem:detach
	//idem:takeover hold
	Detach(ctx Context, id string) error
}

// Finder is embedded.
type Finder interface {
	FindLater(ctx Context, id string) (int, bool, error)
}

// Box is generic.
//
//idem:wrap
//idem:takeover recover Find
//idem:errors final *NotFound[V], io.EOF
type Box[K ~string, V any] interface {
	//idem:key k
	Put(ctx context.Context, k K, v V) (V, error)
	Find(ctx context.Context, k K, v V) (V, bool, error)
	//idem:key k
	//idem:takeover recover FindPair
	Pair(ctx context.Context, k K) (V, K, error)
	FindPair(ctx context.Context, k K) (V, K, bool, error)
}
