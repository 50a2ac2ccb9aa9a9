// Package txs asks for transactions that can't be had.
package txs

import (
	"context"
	"database/sql"

	"github.com/jackc/pgx/v5"
)

// Req is a context that is a type of its own.
type Req struct{ context.Context }

//idem:wrap
//idem:takeover hold maxattempts 3
type Books interface {
	//idem:key id
	//idem:tx
	InheritsHold(ctx context.Context, id string) error
	//idem:key id
	//idem:takeover hold
	//idem:tx join
	Holds(ctx context.Context, tx pgx.Tx, id string) error
	//idem:key id
	//idem:takeover recover FindBook
	//idem:tx optimistic
	Recovers(ctx context.Context, id string) error
	FindBook(ctx context.Context, id string) (bool, error)
	//idem:key id
	//idem:takeover rerun
	//idem:tx mine
	Unknown(ctx context.Context, id string) error
	//idem:key id
	//idem:takeover rerun
	//idem:tx own please
	Polite(ctx context.Context, id string) error
	//idem:key id
	//idem:takeover rerun
	//idem:tx join
	NoTx(ctx context.Context, id string) error
	//idem:key id
	//idem:takeover rerun
	//idem:tx join
	Pointer(ctx context.Context, tx *pgx.Tx, id string) error
	//idem:key id
	//idem:takeover rerun
	//idem:tx join
	Value(ctx context.Context, id string, tx ...*sql.Tx) error
	//idem:key id
	//idem:takeover rerun
	//idem:tx join
	TwoTx(ctx context.Context, tx pgx.Tx, old *sql.Tx, id string) error
	//idem:key id
	//idem:takeover rerun
	//idem:tx
	OwnWithTx(ctx context.Context, tx pgx.Tx, id string) error
	//idem:key id
	//idem:takeover rerun
	//idem:tx optimistic
	OptimisticWithTx(ctx context.Context, tx *sql.Tx, id string) error
	//idem:key id
	//idem:takeover rerun
	//idem:tx own
	Concrete(ctx *Req, id string) error
	//idem:key id
	//idem:takeover rerun
	//idem:tx join
	//idem:detach
	Detached(ctx context.Context, tx pgx.Tx, id string) error
	//idem:key id
	//idem:detach
	DetachedConcrete(ctx *Req, id string) error
	//idem:key id
	//idem:detach now
	//idem:detach
	Twice(ctx context.Context, id string) error
	//idem:skip
	//idem:tx
	//idem:detach
	Skipped(ctx context.Context, id string) error
}

// On an interface they are in the wrong place.
//
//idem:wrap
//idem:tx own
//idem:detach
type Others interface {
	//idem:skip
	Do()
}
