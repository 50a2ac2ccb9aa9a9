package scenarios

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
	"github.com/idemgen/idemgen/idem/postgres"
	"github.com/idemgen/idemgen/internal/pgtest"
)

// This file is about trouble with one key, or with one kind of step, and everybody else: they share the pool's connections, and must
// get theirs.

// TestCrowd_AKeyThatSomebodyHoldsDoesNotEmptyThePool has many duplicates of a key that is just being changed by an open transaction, and
// calls of other keys beside them.
func TestCrowd_AKeyThatSomebodyHoldsDoesNotEmptyThePool(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		hold func(*stage) (release func())
	}{
		{"a claim that is not committed", func(s *stage) func() { return s.holdEntry("k") }},
		{"a lapsed claim whose row is locked", func(s *stage) func() {
			lapse(s, "k")
			return s.holdRow("k")
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s, _ := apart(t, pgtest.Database(t), conns(4))
			release := c.hold(s)
			defer release()
			s.method = nil
			ctx, cancel := context.WithCancel(t.Context())
			const crowd = 100
			var all sync.WaitGroup
			for range crowd {
				all.Go(func() { _, _ = s.call(ctx, &charge, "k", "a") })
			}
			s.await(idem.EventWaited, crowd)
			var slowest time.Duration
			var failed int
			for i := range 10 {
				began := time.Now()
				if _, err := s.call(t.Context(), &charge, fmt.Sprint("other ", i), "a"); err != nil {
					failed++
					t.Logf("another key: %v", err)
				}
				slowest = max(slowest, time.Since(began))
			}
			t.Logf("the slowest call of another key took %v", slowest)
			if slowest > 3*time.Second || failed > 0 {
				t.Errorf("calls of other keys took up to %v, and %d failed, because of %d duplicates of one key", slowest, failed, crowd)
			}
			cancel()
			all.Wait()
		})
	}
}

// TestCrowd_RenewalsThatHangDoNotEmptyThePool hangs renewals (a commit that waits for a standby does): what only reads must go on.
func TestCrowd_RenewalsThatHangDoNotEmptyThePool(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	var pool *pgxpool.Pool
	pool, cut := throughCut(t, s.dsn, conns(4))
	s.engine = newEngine(t, postgres.NewStore(pool), idem.WithObserver(s.events))
	if _, err := s.call(t.Context(), &charge, "done", "a"); err != nil {
		t.Fatal(err)
	}
	gate := s.gated()
	short := with(func(op *idem.Operation[string]) { op.Lease = 6 * time.Second })
	var all sync.WaitGroup
	for i := range 40 {
		all.Go(func() { _, _ = s.call(t.Context(), short, fmt.Sprint("run ", i), "a") })
		time.Sleep(50 * time.Millisecond) // their renewals are spread over the time between two
	}
	gate.Await(t, 40)
	hung := idemtest.NewGate(t)
	hang := cut.Inject(sqlRenew, idemtest.Fault{Do: idemtest.Delay, Gate: hung, Times: idemtest.Always})
	var slowest time.Duration
	for until := time.Now().Add(6 * time.Second); time.Now().Before(until); time.Sleep(50 * time.Millisecond) {
		began := time.Now()
		if out, err := s.call(t.Context(), &charge, "done", "a"); out != "ran 1" || err != nil {
			t.Errorf("a replay got %q, %v", out, err)
			break
		}
		slowest = max(slowest, time.Since(began))
	}
	t.Logf("%d renewals hung; %d of %d connections taken; the slowest replay took %v", hang.Hits(), pool.Stat().AcquiredConns(), pool.Stat().MaxConns(), slowest)
	if slowest > time.Second {
		t.Errorf("a replay took %v, because renewals had the connections", slowest)
	}
	hang.Stop()
	hung.Open()
	gate.Open()
	all.Wait()
}

// TestOrphan_AClaimThatLandsAfterItsRunWasReleasedIsNoRun: the first sending of a claim is held up before it reaches the database, the
// second one wins, the method says that nothing happened. What lands then must not be taken for a run.
func TestOrphan_AClaimThatLandsAfterItsRunWasReleasedIsNoRun(t *testing.T) {
	t.Parallel()
	for name, op := range map[string]*idem.Operation[string]{"rerun": &charge, "hold": with(holding)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWired(t, pgtest.Database(t))
			late := w.cut.Inject(sqlClaim, idemtest.Fault{Do: idemtest.ApplyLate})
			declined := errors.New("declined")
			w.method = func(context.Context, int64) (string, error) { return "", idem.NoEffect(declined) }
			if _, err := w.call(t.Context(), op, "k", "a"); !errors.Is(err, declined) {
				t.Fatal(err)
			}
			w.method = nil
			if n := late.Land(); n != 1 || late.Hits() != 1 {
				t.Fatalf("%d landed", n)
			}
			t.Logf("the row is %q", w.whole("k"))
			out, err := w.other.call(t.Context(), with(func(o *idem.Operation[string]) { *o = *op; conflict(o) }), "k", "a")
			if out != "ran 2" || err != nil {
				t.Errorf("a retry got %q, %v; want a run", out, err)
			}
			if w.whole("k") != "" && err != nil {
				w.age("k", time.Minute)
				out, err := w.other.call(t.Context(), op, "k", "a")
				t.Logf("after a lease a retry got %q, %v", out, err)
			}
		})
	}
}
