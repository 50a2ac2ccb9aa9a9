// Package ledger books in its caller's transaction. Its output is written by hand until the generator writes such methods.
package ledger

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// Ledger keeps accounts.
type Ledger interface {
	Book(ctx context.Context, tx pgx.Tx, key string, amount int) error
	Note(ctx context.Context, tx pgx.Tx, key string) error
}

func both(ctx context.Context, tx pgx.Tx, l Ledger, w *IdempotentLedger) {
	_ = l.Book(ctx, tx, "k", 1)
	_ = w.Book(ctx, tx, "k", 1)
	_ = l.Note(ctx, tx, "k") // want `Ledger.Note is called while the transaction tx is open`
	_ = w.Note(ctx, tx, "k") // want `IDEM093`
}
