package postgres_test

import (
	"context"
	"errors"
	"testing"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
	"github.com/idemgen/idemgen/idem/postgres"
	"github.com/jackc/pgx/v5/pgxpool"
)

// This file is about what the store does to connections that others use, too, and to rows that others have locked: nothing that
// lasts, and no waiting.

// stepsOf is every step of the store, each finding what it is for.
func stepsOf(t *testing.T, b *bench) map[string]func() error {
	t.Helper()
	running, row := b.won(t)
	released, _ := b.won(t)
	abandoned, _ := b.won(t)
	lapsed, _ := b.won(t)
	b.age(t, lapsed.ID, 2*lease)
	toHold, _ := b.won(t)
	b.age(t, toHold.ID, 2*lease)
	expired, _ := b.done(t)
	b.age(t, expired.ID, 2*ttl)
	gone := fresh()
	ctx := t.Context()
	return map[string]func() error{
		"claim":           func() error { _, err := b.Claim(ctx, fresh()); return err },
		"claim again":     func() error { _, err := b.Claim(ctx, running); return err },
		"take over":       func() error { _, err := b.TakeOver(ctx, rival(lapsed), lapsed.Owner); return err },
		"reclaim":         func() error { _, err := b.Reclaim(ctx, rival(expired), expired.Owner); return err },
		"hold":            func() error { _, err := b.HoldLapsed(ctx, toHold.ID, toHold.Owner); return err },
		"complete":        func() error { _, err := b.Complete(ctx, outcome(running, row)); return err },
		"complete absent": func() error { _, err := b.Complete(ctx, outcome(gone, row)); return err },
		"release":         func() error { _, err := b.Release(ctx, released.ID, released.Owner); return err },
		"abandon": func() error {
			_, err := b.Abandon(ctx, idem.Abandonment{ID: abandoned.ID, Owner: abandoned.Owner, Next: newOwner()})
			return err
		},
		"renew": func() error {
			_, err := b.Renew(ctx, []idem.Lease{{ID: running.ID, Owner: running.Owner, Lease: lease}})
			return err
		},
		"read":      func() error { _, err := b.Read(ctx, []idem.ID{running.ID}); return err },
		"read many": func() error { _, err := b.Read(ctx, []idem.ID{running.ID, lapsed.ID}); return err },
		"sweep":     func() error { _, err := b.Sweep(ctx, idem.SweepBatch{Limit: 100}); return err },
	}
}

// TestNoStepLeavesASettingBehind: the pool's connections are the application's, and a pooler's are anybody's.
func TestNoStepLeavesASettingBehind(t *testing.T) {
	t.Parallel()
	b := newBench(t, setup{pool: func(c *pgxpool.Config) { c.MaxConns = 1 }})
	steps := stepsOf(t, b)
	_ = b.Close() // so that renewals take the pool's connection
	for name, step := range steps {
		if err := step(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		var set string
		err := b.pool.QueryRow(t.Context(), "SELECT coalesce(string_agg(name || ' = ' || setting, ', '), '') FROM pg_settings WHERE source = 'session'").Scan(&set)
		if err != nil || set != "" {
			t.Errorf("after %s: %s, %v", name, set, err)
		}
	}
	if n := b.pool.Stat().NewConnsCount(); n != 1 {
		t.Errorf("%d connections were made, and only the last was looked at", n)
	}
}

// TestAStepThatWantsALockedRowGivesItUpInTime: it holds a connection meanwhile, and says that it was a lock.
func TestAStepThatWantsALockedRowGivesItUpInTime(t *testing.T) {
	t.Parallel()
	b := newBench(t, setup{})
	lapsed := func(t *testing.T) idem.Claim {
		c, _ := b.won(t)
		b.age(t, c.ID, 2*lease)
		return c
	}
	for name, tt := range map[string]struct {
		row  func(*testing.T) idem.Claim
		step func(context.Context, idem.Claim) error
	}{
		"a take-over": {lapsed, func(ctx context.Context, c idem.Claim) error {
			_, err := b.TakeOver(ctx, rival(c), c.Owner)
			return err
		}},
		"a reclaim": {func(t *testing.T) idem.Claim {
			c, _ := b.done(t)
			b.age(t, c.ID, 2*ttl)
			return c
		}, func(ctx context.Context, c idem.Claim) error {
			_, err := b.Reclaim(ctx, rival(c), c.Owner)
			return err
		}},
		"a hold": {lapsed, func(ctx context.Context, c idem.Claim) error {
			_, err := b.HoldLapsed(ctx, c.ID, c.Owner)
			return err
		}},
		"a claim of its own, to confirm it": {lapsed, func(ctx context.Context, c idem.Claim) error {
			_, err := b.Claim(ctx, c)
			return err
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := tt.row(t)
			defer b.lock(t, c.ID)()
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			err := tt.step(ctx, c)
			is(t, err, true, true, "locked", c)
			if e, ok := errors.AsType[*idem.StoreError](err); !ok || !e.Locked || ctx.Err() != nil {
				t.Errorf("got %+v", e)
			}
		})
	}
}

// TestAnOutcomeFindsTheClaimThatLandsMeanwhile: complete finds no row, and before it inserts one the call's own claim, on its way for long,
// is there after all.
func TestAnOutcomeFindsTheClaimThatLandsMeanwhile(t *testing.T) {
	t.Parallel()
	var cut *idemtest.Cut
	b := newBench(t, setup{pool: through(t, &cut)})
	other := postgres.NewStore(b.look)
	defer other.Close()
	if _, err := b.Read(t.Context(), []idem.ID{{}}); err != nil { // so that what a store asks first is asked
		t.Fatal(err)
	}
	gate := idemtest.NewGate(t)
	held := cut.Inject("INSERT INTO idem_claims", idemtest.Fault{Do: idemtest.Delay, Gate: gate})
	c := fresh()
	o := outcome(c, idem.Row{Attempt: 1, Fence: 1})
	landed := make(chan error, 1)
	go func() {
		defer gate.Open()
		gate.Await(t, 1)
		_, err := other.Claim(context.WithoutCancel(t.Context()), c)
		landed <- err
	}()
	row, err := b.Complete(t.Context(), o)
	if err != nil || row.State != idem.StateDone || row.Owner != c.Owner || held.Hits() != 1 {
		t.Errorf("the row is in state %d, after %d inserts: %v", row.State, held.Hits(), err)
	}
	if err := <-landed; err != nil {
		t.Error(err)
	}
	if row := b.row(t, c.ID); row.State != idem.StateDone || string(row.Result) != string(o.Result) {
		t.Errorf("stored is %+v", row)
	}
}
