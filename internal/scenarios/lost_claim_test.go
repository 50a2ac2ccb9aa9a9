package scenarios

import (
	"context"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
	"github.com/idemgen/idemgen/internal/pgtest"
)

// This file is about claims whose caller did not wait for their answer. An INSERT that nobody waits for any more is still on its
// way, and what was deleted before it arrives was not there to be deleted.

// TestD9_AnInsertThatLandsBeforeItsRetryIsTheCallsOwn: the first INSERT is applied after its error, and before the second one.
func TestD9_AnInsertThatLandsBeforeItsRetryIsTheCallsOwn(t *testing.T) {
	t.Parallel()
	w := newWired(t, pgtest.Database(t))
	gate := idemtest.NewGate(t)
	late := w.cut.Inject(sqlClaim, idemtest.Fault{Do: idemtest.ApplyLate})
	w.cut.Inject(sqlClaim, idemtest.Fault{Do: idemtest.Delay, Gate: gate})
	call := w.async(t.Context(), with(conflict), "k", "a")
	gate.Await(t, 1)
	if n := late.Land(); n != 1 {
		t.Fatalf("%d inserts landed", n)
	}
	w.refusesOthers("k", "once it landed,")
	w.wantRuns(0)
	gate.Open()
	if a := <-call; a != (answer{"ran 1", nil}) {
		t.Errorf("got %v", a)
	}
	if r := w.charged("k"); r.String() != "done" || r.Attempt != 1 {
		t.Errorf("the row is %+v", r)
	}
}

// TestD9_AnInsertThatLandsAfterItsGiveBackFindsItsRow: what was given back is expired and stays there, in the way of INSERTs that
// come later. For everybody else the key is free, with whatever arguments, and nothing has happened that a person had to look at.
func TestD9_AnInsertThatLandsAfterItsGiveBackFindsItsRow(t *testing.T) {
	t.Parallel()
	dsn := pgtest.Database(t)
	for name, takeover := range map[string]idem.Takeover{"rerun": idem.TakeoverRerun, "hold": idem.TakeoverHold} {
		for late := 1; late <= 2; late++ {
			t.Run(fmt.Sprint(name, late), func(t *testing.T) {
				t.Parallel()
				w, key := newWired(t, dsn), fmt.Sprint(name, late)
				op := with(func(op *idem.Operation[string]) { op.Takeover = takeover })
				land := w.giveUp(op, key, late)
				before := w.whole(key)
				land()
				if after := w.whole(key); after != before {
					t.Error("the late insert changed the row")
				}
				ctx, info := idem.WithInfo(t.Context())
				out, err := w.other.call(ctx, op, key, "other arguments")
				if out != "ran 1" || err != nil || info.Attempt != 1 {
					t.Errorf("the next caller got %q, %v, %+v", out, err, info)
				}
			})
		}
	}
}

// TestD9_AnInsertThatLandsAfterAllLeavesAnOrphanUntilItsLeaseEnds: the INSERTs land when the row that was to be in their way has
// been swept. Nobody can know of them; the lease is what ends them.
func TestD9_AnInsertThatLandsAfterAllLeavesAnOrphanUntilItsLeaseEnds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		late     int // how many inserts land late: with two, the claim had been sent again by then
		takeover idem.Takeover
		then     string // what the next call returns when the lease is over
		row      string
		runs     int64
	}{
		{"one", 1, idem.TakeoverRerun, "ran 1", "done", 1},
		{"one, hold", 1, idem.TakeoverHold, idem.ErrOutcomeUnknown.Error(), "unknown", 0},
		{"a retry too", 2, idem.TakeoverRerun, "ran 1", "done", 1},
		{"a retry too, hold", 2, idem.TakeoverHold, idem.ErrOutcomeUnknown.Error(), "unknown", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWired(t, pgtest.Database(t)) // it is swept
			op := with(func(op *idem.Operation[string]) { op.Takeover = c.takeover })
			land := w.giveUp(op, c.name, c.late)
			if n := w.swept(); n != 1 || w.charged(c.name).State != 0 {
				t.Fatalf("%d rows were swept; the row is %v", n, w.charged(c.name))
			}
			land()
			if r := w.charged(c.name); r.String() != "running" || r.Attempt != 1 {
				t.Fatalf("the row is %+v; the test shows nothing", r)
			}
			w.refusesOthers(c.name, "while the lease of the orphan runs,")
			w.age(c.name, charge.Lease)
			out, err := w.other.call(t.Context(), op, c.name, "a")
			if got := said(out, err); got != c.then {
				t.Errorf("then a caller got %q, want %q (%v)", got, c.then, err)
			}
			w.wantRowNow(c.name, c.row)
			w.wantRuns(c.runs)
		})
	}
}

// giveUp plays a call that is cancelled while its claim is on its way, and given back. When its process is gone, and the returned
// function is called, the late ones of the claims land.
func (w *wired) giveUp(op *idem.Operation[string], key string, late int) (land func()) {
	w.Helper()
	gate := idemtest.NewGate(w)
	var inserts []*idemtest.Injection
	for range late - 1 {
		inserts = append(inserts, w.cut.Inject(sqlClaim, idemtest.Fault{Do: idemtest.ApplyLate}))
	}
	inserts = append(inserts, w.cut.Inject(sqlClaim, idemtest.Fault{Do: idemtest.ApplyLate, Gate: gate}))
	ctx, cancel := context.WithCancel(w.Context())
	call := w.async(ctx, op, key, "a")
	gate.Await(w, 1)
	cancel()
	wantErr(w, (<-call).err, context.Canceled)
	w.await(idem.EventReleased, 1)
	w.wantRowNow(key, "given back")
	if err := w.engine.Shutdown(w.Context()); err != nil {
		w.Error(err)
	}
	w.wantRuns(0)
	return func() {
		gate.Open()
		landed := 0
		w.eventually("the late inserts", func() bool {
			for _, i := range inserts {
				landed += i.Land()
			}
			return landed == late
		})
		w.wantRuns(0)
	}
}

// TestD8_AGiveBackWaitsForTheInsertInFlight: a rival holds the call's INSERT up in the database itself (by the whole table, for which
// a claim waits however long it takes), its caller gives up, and the request to cancel it gets lost. A DELETE sent now would find
// nothing, and the row come after it.
func TestD8_AGiveBackWaitsForTheInsertInFlight(t *testing.T) {
	t.Parallel()
	for name, rolledBack := range map[string]bool{"the rival rolls back": true, "the rival commits": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWired(t, pgtest.Database(t))
			rival, owner := w.rivalInsert("k")
			dropped, gate := w.cut.DropCancels(), idemtest.NewGate(t)
			release := w.cut.Inject(sqlAbandon, idemtest.Fault{Do: idemtest.Delay, Gate: gate})
			ctx, cancel := context.WithCancel(t.Context())
			call := w.async(ctx, &charge, "k", "a")
			w.awaitHeld(1, "")
			cancel()
			wantErr(t, (<-call).err, context.Canceled)
			w.awaitHeld(2, "") // the give-back, behind it
			w.eventually("a dropped request to cancel", func() bool { return dropped.Hits() > 0 })

			if rolledBack {
				_ = rival.Rollback(t.Context())
				gate.Await(t, 1)
				// which of the two the database lets go first is its affair; the row goes when both are through
				w.eventually("the inserts end", func() bool { return w.backends("state <> 'idle'") == 0 })
				gate.Open()
				w.await(idem.EventReleased, 1)
			} else if err := rival.Commit(t.Context()); err != nil {
				t.Error(err)
			}
			if err := w.engine.Shutdown(t.Context()); err != nil { // and all that it does in the background
				t.Error(err)
			}
			if (release.Hits() == 1) != rolledBack {
				t.Errorf("it was given back %d times", release.Hits())
			}
			if !rolledBack && w.ownerOf("k") != owner {
				t.Errorf("the row's owner is %v, want %v", w.ownerOf("k"), owner)
			}
			w.wantRuns(0)
			if out, err := w.other.call(t.Context(), with(conflict), "k", "other"); rolledBack && (out != "ran 1" || err != nil) {
				t.Errorf("the next caller got %q, %v", out, err)
			}
		})
	}
}

// rivalInsert inserts a row for charge's key in a transaction that stays open, and lets nobody else write.
func (w *wired) rivalInsert(key string) (tx pgx.Tx, owner idem.Owner) {
	w.Helper()
	tx, err := w.pool.Begin(w.Context())
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() { _ = tx.Rollback(context.Background()) })
	if _, err := tx.Exec(w.Context(), "LOCK TABLE idem_claims IN SHARE MODE"); err != nil {
		w.Fatal(err)
	}
	err = tx.QueryRow(w.Context(), `INSERT INTO idem_claims (id, owner, fence, lease_until, claimed_at, attempt, lapses, state, abandoned, fingerprint, operation, scope)
		VALUES ($1, gen_random_uuid(), 1, clock_timestamp() + interval '1 hour', clock_timestamp(), 1, 0, 1, false, '\x01', $2, '') RETURNING owner`,
		rowID(key), charge.Name).Scan((*[16]byte)(&owner))
	if err != nil {
		w.Fatal(err)
	}
	return tx, owner
}
