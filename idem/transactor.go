package idem

import (
	"context"
	"time"
)

// This file is the seam to stores whose database holds the effects of methods too, so that effect and outcome can commit together. What
// a transaction means for a call is in transaction.go.

// Transactor is what a Store is besides, if operations with a transaction mode can run on it. With any other store they are ErrBadOperation.
type Transactor interface {
	// CheckTx says why the store can't run an operation in a mode; empty: it can. Renewed is whether its leases are renewed while the
	// method runs.
	CheckTx(mode TxMode, renewed bool) (reason string)

	// Begin opens a transaction for one run of a method (TxOwn, TxOptimistic). The store ends it by itself, without effect, when nothing
	// is sent in it for as long as idle: a process that can't be reached must not keep the row for ever. A store that has no room for it says so
	// within a bounded time.
	Begin(ctx context.Context, idle time.Duration) (Transaction, error)

	// Reown gives a running or unknown row that is still seen's to c's owner, with a new fence and lease; attempt and fingerprint stay. It
	// waits for whoever has the row locked, for a moment (see StoreError.Locked). It returns the row as it is then: c's owner has it, and
	// what seen had not committed by then never will be; or seen has settled it.
	Reown(ctx context.Context, c Claim, seen Owner) (Row, error)

	// Join makes steps that work in a caller's transaction (TxJoin). An error is about the transaction: not one of this store's, say.
	Join(ctx context.Context, tx any) (Steps, error)
}

// Transaction is an open transaction of a store. It is used by one goroutine at a time, and ended by Commit or Rollback, exactly once.
type Transaction interface {
	// Context is ctx with the transaction in it, where the method finds it by the store's own means.
	Context(ctx context.Context) context.Context

	// Complete stores an outcome in a running or unknown row of o.Claim.Owner, whatever its lease, and returns the row as it is then; an
	// absent row when the owner has none, or when the row can't be got. Nothing of it counts before Commit. An error that is not NotApplied
	// says that the method ended the transaction itself, so that its effect may be there without an outcome.
	Complete(ctx context.Context, o Outcome) (Row, error)

	// Insert is Complete where nothing was claimed: it inserts the row complete. An absent row is returned when there is a row.
	Insert(ctx context.Context, o Outcome) (Row, error)

	// Commit makes effect and outcome durable. After an error that is not NotApplied they may be.
	Commit(ctx context.Context) error

	// Rollback undoes all of it. Should the database not answer until ctx ends, the connection is given up, which undoes it too. Not undone is
	// what the method ended itself: its effect may be there.
	Rollback(ctx context.Context) (undone bool)
}

// Steps are those of a Store's that a call makes in its caller's transaction, each as documented there. A step that fails leaves
// the transaction as it was, where it was usable. NotApplied is about the transaction as it is, not about what becomes of it.
type Steps interface {
	Claim(ctx context.Context, c Claim) (Row, error)
	TakeOver(ctx context.Context, c Claim, seen Owner) (Row, error)
	Reclaim(ctx context.Context, c Claim, seen Owner) (Row, error)
	Complete(ctx context.Context, o Outcome) (Row, error)
	Release(ctx context.Context, id ID, owner Owner) (changed bool, err error)
	Abandon(ctx context.Context, a Abandonment) (changed bool, err error)
}
