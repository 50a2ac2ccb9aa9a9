package postgres_test

import (
	"context"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/postgres"
)

// This file is what the Postgres store has beyond the rules of every store.

func TestWithoutKeysNoKeyIsStored(t *testing.T) {
	t.Parallel()
	b := newBench(t, setup{options: []postgres.Option{postgres.WithoutKeys()}})
	c, row := b.won(t)
	expect := func(what string, row idem.Row, err error) {
		t.Helper()
		if err != nil || row.Owner != c.Owner || row.Ref != (idem.Ref{Operation: c.Ref.Operation, Scope: c.Ref.Scope}) {
			t.Errorf("%s: %v", what, err)
		}
		b.hides(t, c.Ref.Key)
	}
	expect("claim", row, nil)
	row, err := b.Complete(t.Context(), outcome(c, row))
	expect("complete", row, err)
	b.exec(t, "DELETE FROM idem_claims")
	row, err = b.Complete(t.Context(), outcome(c, row))
	expect("complete of a row that is gone", row, err)
}

func TestWithoutKeysAReclaimedRowForgetsItsKey(t *testing.T) {
	t.Parallel()
	b := newBench(t, setup{})
	c, _ := b.done(t)
	b.age(t, c.ID, 2*ttl)
	secretive := postgres.NewStore(b.pool, postgres.WithoutKeys())
	defer secretive.Close()
	next := rival(c)
	if row, err := secretive.Reclaim(t.Context(), next, c.Owner); err != nil || row.Owner != next.Owner {
		t.Fatalf("not reclaimed: %v", err)
	}
	b.hides(t, c.Ref.Key)
}

// hides checks that the table says nothing of a key.
func (b *bench) hides(t *testing.T, key string) {
	t.Helper()
	var all string
	b.get(t, "SELECT string_agg(c::text, ' ') FROM idem_claims c", &all)
	if strings.Contains(all, key) {
		t.Error("the key is stored")
	}
}

func TestLongDurationsAreStoredAndRead(t *testing.T) {
	t.Parallel()
	b := newBench(t, setup{})
	c := fresh()
	c.Lease, c.Keep = idem.Forever, idem.Forever
	row, err := b.Claim(t.Context(), c)
	if err != nil || row.Lapsed || row.Expired || row.LeaseLeft < 99*365*24*time.Hour {
		t.Fatalf("claimed with %v left: %v", row.LeaseLeft, err)
	}
	o := outcome(c, row)
	o.TTL = idem.Forever
	if row, err = b.Complete(t.Context(), o); err != nil || !row.ExpiresAt.IsZero() {
		t.Errorf("expires at %v: %v", row.ExpiresAt, err)
	}
	if row, err = b.Claim(t.Context(), rival(c)); err != nil || row.State != idem.StateDone || row.LeaseLeft != 0 {
		t.Errorf("an outcome has %v of a lease left: %v", row.LeaseLeft, err)
	}
}

func TestASweepThatStartsPastTheEndEnds(t *testing.T) {
	t.Parallel()
	b := newBench(t, setup{})
	b.done(t)
	for _, from := range []int64{1, 1 << 31, 1 << 40, math.MaxInt64} {
		r, err := b.Sweep(t.Context(), idem.SweepBatch{From: from, Limit: 1_000})
		if err != nil || r != (idem.SweepResult{}) {
			t.Errorf("from %d: %+v, %v", from, r, err)
		}
	}
}

// TestARunIsStoredOnceAndReplayed goes through the engine: claim, run, complete, replay.
func TestARunIsStoredOnceAndReplayed(t *testing.T) {
	t.Parallel()
	b := newBench(t, setup{})
	engine, err := idem.New(b.Store)
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	op := &idem.Operation[string]{Name: "example.com/shop.Payments.Charge"}
	runs := 0
	for i := range 3 {
		ctx, info := idem.WithInfo(t.Context())
		got, err := idem.Do(ctx, engine, op, idem.Call[string]{Key: idem.StringKey("k"), Run: func(context.Context) (string, error) {
			runs++
			return "receipt", nil
		}})
		if err != nil || got != "receipt" || info.Replayed != (i > 0) || !info.Stored {
			t.Errorf("call %d: %q, %v, %+v", i, got, err, info)
		}
	}
	if runs != 1 {
		t.Errorf("%d runs", runs)
	}
}
