package scenarios

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
	"github.com/idemgen/idemgen/idem/postgres"
	"github.com/idemgen/idemgen/internal/pgtest"
)

// This file is about whose clock decides. The database of its stages has a clock that is not this process's, and that a test can
// stop and set: a function in a schema that is searched before the server's own. To a store that asks another clock it would be as if
// nothing had been moved.

// clockStage is a stage whose database has a clock of its own. A first attempt does not return before the gate is opened.
type clockStage struct {
	*stage
	gate *idemtest.Gate
}

const clockSQL = `
CREATE TABLE database_clock (stopped timestamptz, ahead interval NOT NULL);
INSERT INTO database_clock (ahead) VALUES ('0');
CREATE FUNCTION public.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS
	'SELECT coalesce(stopped, pg_catalog.clock_timestamp() + ahead) FROM public.database_clock'`

// newClockStage makes the database's clock run ahead of this process's.
func newClockStage(t testing.TB, ahead time.Duration, opts ...idem.Option) *clockStage {
	t.Helper()
	x := &clockStage{stage: stageOn(t, pgtest.Database(t), func(c *pgxpool.Config) {
		c.ConnConfig.RuntimeParams["search_path"] = "public, pg_catalog"
	}, opts...)}
	x.gate = idemtest.NewGate(t) // after the engine, whose shutdown waits for runs
	x.exec(clockSQL)
	x.setClock("ahead = $1::interval", ahead)
	x.method = func(ctx context.Context, run int64) (string, error) {
		if r, _ := idem.FromContext(ctx); r.Attempt == 1 {
			_ = x.gate.Enter(context.WithoutCancel(ctx))
		}
		return fmt.Sprintf("ran %d", run), nil
	}
	return x
}

func (x *clockStage) setClock(set string, arg any) {
	x.Helper()
	x.exec("UPDATE database_clock SET "+set, arg)
}

// stopAt stops the database's clock.
func (x *clockStage) stopAt(at time.Time) { x.setClock("stopped = $1::timestamptz", at) }

// now is the database's time.
func (x *clockStage) now() time.Time {
	x.Helper()
	return ask[time.Time](x.stage, "SELECT clock_timestamp()")
}

// moments are the times around an end, and whether it is over by then.
var moments = []struct {
	offset time.Duration
	over   bool
}{{-time.Millisecond, false}, {-time.Microsecond, false}, {0, true}, {time.Microsecond, true}, {time.Millisecond, true}}

func TestB3_AClaimIsTakenFromTheMomentItsLeaseEndsAndNotBefore(t *testing.T) {
	t.Parallel()
	x := newClockStage(t, 0)
	store := postgres.NewStore(x.pool)
	defer store.Close()
	began := x.now()
	x.stopAt(began)
	norenew := with(func(op *idem.Operation[string]) { op.NoRenew = true })
	for i, m := range moments {
		for j, policy := range []string{"rerun ", "hold "} {
			x.async(context.Background(), norenew, policy+m.offset.String(), "a")
			x.gate.Await(t, 2*i+j+1)
		}
	}
	for _, m := range moments {
		x.stopAt(began.Add(charge.Lease + m.offset))
		x.takesOver(store, "rerun "+m.offset.String(), m.over)
		_, err := x.call(t.Context(), with(func(op *idem.Operation[string]) { conflict(op); holding(op) }), "hold "+m.offset.String(), "a")
		if m.over {
			wantErr(t, err, idem.ErrOutcomeUnknown)
		} else {
			wantErr(t, err, idem.ErrInFlight)
		}
	}
}

// takesOver checks that a lapsed claim is taken over by a call, and a live one neither by a call nor by the step itself, for whoever
// asks for it without having looked.
func (x *clockStage) takesOver(store *postgres.Store, key string, lapsed bool) {
	x.Helper()
	ref := idem.Ref{Operation: charge.Name, Key: key}
	if !lapsed {
		rows, err := store.Read(context.Background(), []idem.ID{idem.RowID(ref)})
		if err != nil {
			x.Fatal(err)
		}
		thief := idem.Claim{ID: rows[0].ID, Ref: ref, Owner: idem.Owner{7}, Fingerprint: rows[0].Fingerprint, Lease: time.Hour}
		if r, err := store.TakeOver(context.Background(), thief, rows[0].Owner); err != nil || r.Owner != rows[0].Owner || r.Attempt != 1 || r.Lapsed {
			x.Errorf("%s: taken over: %+v, %v", key, r, err)
		}
	}
	ctx, info := idem.WithInfo(context.Background())
	_, err := x.call(ctx, with(conflict), key, "a")
	switch {
	case lapsed && (err != nil || info.Attempt != 2):
		x.Errorf("%s: %v, %+v; want it taken over", key, err, info)
	case !lapsed:
		wantErr(x, err, idem.ErrInFlight)
	}
}

func TestB3_AnOutcomeExpiresAtItsMomentForCallsAndSweeps(t *testing.T) {
	t.Parallel()
	const ttl, grace = time.Hour, time.Minute
	x := newClockStage(t, 0, idem.WithSweepGrace(grace))
	x.gate.Open()
	began := x.now()
	x.stopAt(began)
	op := with(func(op *idem.Operation[string]) { op.TTL = ttl })
	for _, m := range moments {
		for _, use := range []string{"call ", "sweep "} {
			if _, err := x.call(t.Context(), op, use+m.offset.String(), "a"); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, m := range moments {
		x.stopAt(began.Add(ttl + m.offset))
		ctx, info := idem.WithInfo(t.Context())
		if _, err := x.call(ctx, op, "call "+m.offset.String(), "a"); err != nil || info.Replayed == m.over {
			t.Errorf("%v from its expiry a call got %v, %+v", m.offset, err, info)
		}
	}
	x.exec("DELETE FROM idem_claims WHERE key LIKE 'call %'")
	for i, m := range moments {
		x.stopAt(began.Add(ttl + grace + m.offset))
		deleted, err := x.engine.Sweep(t.Context())
		if want := map[bool]int{true: len(moments)}[m.over && !moments[i-1].over]; deleted != want || err != nil {
			t.Errorf("%v from the end of the grace a sweep deleted %d rows, %v; want %d", m.offset, deleted, err, want)
		}
	}
}

// skews are how far the database's clock is ahead of the callers'.
var skews = []time.Duration{-10 * time.Minute, 10 * time.Minute}

// TestPA9 has a taker whose clock is wrong by ten minutes, and a lease of five.
func TestPA9_ATakerWithAWrongClockStealsNothing(t *testing.T) {
	t.Parallel()
	for _, skew := range skews {
		t.Run(skew.String(), func(t *testing.T) {
			t.Parallel()
			x := newClockStage(t, skew)
			op := with(func(op *idem.Operation[string]) { op.Lease, op.Policy = 5*time.Minute, idem.PolicyConflict })
			first := x.async(t.Context(), op, "k", "a")
			x.gate.Await(t, 1)
			_, err := x.call(t.Context(), op, "k", "a")
			if e := wantErr(t, err, idem.ErrInFlight); e.RetryAfter < time.Minute || e.RetryAfter > op.Lease || e.Since.Sub(x.now()).Abs() > time.Minute {
				t.Errorf("the refusal says %v, since %v; the database's time is %v", e.RetryAfter, e.Since, x.now())
			}
			x.age("k", op.Lease)
			ctx, info := idem.WithInfo(t.Context())
			if out, err := x.call(ctx, op, "k", "a"); out != "ran 2" || err != nil || info.Attempt != 2 {
				t.Errorf("after the lease the call got %q, %v, %+v", out, err, info)
			}
			if at := info.CompletedAt.Sub(x.now()); at.Abs() > time.Minute || info.ExpiresAt.Sub(info.CompletedAt).Round(time.Second) != 24*time.Hour {
				t.Errorf("completed at %v, kept until %v; the database's time is %v", info.CompletedAt, info.ExpiresAt, x.now())
			}
			x.gate.Open()
			if a := <-first; a != (answer{"ran 2", nil}) {
				t.Errorf("the first got %v", a)
			}
		})
	}
}

// TestB16: neither side compares its own time with the other's. An owner renews and goes on, and is not told that it lost its lease;
// the outcome is kept for its time, no more and no less. That no statement carries a time of the client's is shown in idem/postgres.
func TestB16_ClocksThatDifferHurtNoOwnerAndNoOutcome(t *testing.T) {
	t.Parallel()
	for _, skew := range skews {
		t.Run(skew.String(), func(t *testing.T) {
			t.Parallel()
			c := newClockStage(t, skew)
			x := c.behindSeam(postgres.NewStore(c.pool))
			op := with(func(op *idem.Operation[string]) { op.Lease, op.TTL = time.Minute, 5*time.Minute })
			x.lateClaim("k", 21*time.Second)
			x.method = func(ctx context.Context, run int64) (string, error) {
				x.eventually("a renewal", func() bool { return x.leaseLeft("k") > 50*time.Second })
				return fmt.Sprintf("ran %d", run), ctx.Err()
			}
			for _, want := range []string{"ran 1", "ran 1"} {
				if out, err := x.call(t.Context(), op, "k", "a"); out != want || err != nil {
					t.Errorf("got %q, %v", out, err)
				}
			}
			if n := x.events.count(idem.EventLeaseLost); n != 0 {
				t.Errorf("%d leases were lost", n)
			}
			x.method = nil
			x.age("k", op.TTL-time.Minute)
			if out, err := x.call(t.Context(), op, "k", "a"); out != "ran 1" || err != nil {
				t.Errorf("a minute before its expiry: %q, %v", out, err)
			}
			x.age("k", time.Minute)
			if out, err := x.call(t.Context(), op, "k", "a"); out != "ran 2" || err != nil {
				t.Errorf("after its expiry: %q, %v", out, err)
			}
		})
	}
}
