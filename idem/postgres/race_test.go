package postgres_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
	"github.com/idemgen/idemgen/idem/postgres/internal/db"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"
)

// This file is about steps that meet an open transaction in the database itself. That of steps which meet each other is in
// the conformance suite.

// patience is for what must not wait at all.
const patience = 30 * time.Second

// TestPA1_ARowThatIsBeingRetakenIsNotSwept sweeps while a transaction has reclaimed an expired row and not committed yet.
func TestPA1_ARowThatIsBeingRetakenIsNotSwept(t *testing.T) {
	t.Parallel()
	b := newBench(t, setup{})
	c, _ := b.done(t)
	b.age(t, c.ID, 2*ttl)
	next := rival(c)
	tx, err := b.look.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback(t.Context())
	n, err := new(db.Queries).Reclaim(t.Context(), tx, db.ReclaimParams{
		ID: pgtype.UUID{Bytes: c.ID, Valid: true}, Seen: pgtype.UUID{Bytes: c.Owner, Valid: true}, Owner: pgtype.UUID{Bytes: next.Owner, Valid: true},
		LeaseUs: lease.Microseconds(), Fingerprint: c.Fingerprint,
	})
	if n != 1 || err != nil {
		t.Fatalf("%d rows reclaimed: %v", n, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if r, err := b.Sweep(ctx, idem.SweepBatch{Limit: 100}); err != nil || r.Deleted != 0 {
		t.Errorf("%d rows deleted: %v", r.Deleted, err)
	}
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if row := b.row(t, c.ID); row.Owner != next.Owner || row.State != idem.StateRunning {
		t.Errorf("the reclaimed row is now in state %d", row.State)
	}
}

// TestPC3_DuplicatesDoNotWaitBehindAnOpenTransaction has more duplicates than the pool has connections, while a
// transaction holds the row.
func TestPC3_DuplicatesDoNotWaitBehindAnOpenTransaction(t *testing.T) {
	t.Parallel()
	const conns = 3
	b := newBench(t, setup{pool: func(c *pgxpool.Config) { c.MaxConns = conns }})
	c, _ := b.won(t)
	defer b.lock(t, c.ID)()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	idemtest.Callers(t, 4*conns, func(int) {
		row, err := b.Claim(ctx, rival(c))
		if err != nil || row.Owner != c.Owner {
			t.Errorf("a duplicate got %v", err)
		}
	})
}

// TestAStepCutShortByItsContextMayStillBeApplied: the server may have got the lock when the news reaches it.
func TestAStepCutShortByItsContextMayStillBeApplied(t *testing.T) {
	t.Parallel()
	b := newBench(t, setup{})
	c, row := b.won(t)
	defer b.lock(t, c.ID)()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := b.Complete(ctx, outcome(c, row))
	e, ok := errors.AsType[*idem.StoreError](err)
	if !ok || e.NotApplied || !e.Temporary || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %+v", e)
	}
}
