package scenarios

import (
	"context"
	"testing"
	"time"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
	"github.com/idemgen/idemgen/internal/pgtest"
)

// This file is about keys that somebody's open transaction is just changing: what they will be, nobody can say, and who
// waits for it in the database holds a connection.

// TestPC3 has more duplicates than the pool has connections, of both policies, beside an unrelated query.
func TestPC3_AKeyThatIsJustBeingChangedIsInFlight(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		hold func(*stage) (release func())
	}{
		{"a lapsed claim whose row is locked", func(s *stage) func() {
			lapse(s, "k")
			return s.holdRow("k")
		}},
		{"a claim that is not committed", func(s *stage) func() { return s.holdEntry("k") }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s, pool := apart(t, pgtest.Database(t), conns(5))
			release := c.hold(s)
			s.runs.Store(0)
			s.method = nil
			waiters := make([]<-chan answer, 6)
			for i := range waiters {
				waiters[i] = s.async(t.Context(), &charge, "k", "a")
			}
			ctx, cancel := context.WithTimeout(t.Context(), enough)
			defer cancel()
			var slowest time.Duration
			idemtest.Callers(t, 7, func(i int) {
				if i == 6 {
					for range 20 {
						began := time.Now()
						if _, err := pool.Exec(ctx, "SELECT 1"); err != nil {
							t.Errorf("an unrelated query: %v", err)
						}
						slowest = max(slowest, time.Since(began))
					}
					return
				}
				_, err := s.call(ctx, with(conflict), "k", "a")
				if e := wantErr(t, err, idem.ErrInFlight); e.RetryAfter <= 0 {
					t.Errorf("it does not say when to come back: %+v", e)
				}
			})
			t.Logf("the slowest of 20 unrelated queries took %v", slowest)
			if n := s.events.count(idem.EventStoreFailed); n != 0 {
				t.Errorf("%d steps failed", n)
			}
			s.wantRuns(0)
			release()
			for _, w := range waiters {
				s.wantAnswer(<-w, "ran 1", nil)
			}
			s.wantRuns(1)
		})
	}
}

// TestLocked_AWaitForALockEndsLikeAnyOther: with its time, and with its caller.
func TestLocked_AWaitForALockEndsLikeAnyOther(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	defer s.holdEntry("k")()
	_, err := s.call(t.Context(), with(func(op *idem.Operation[string]) { op.MaxWait = 50 * time.Millisecond }), "k", "a")
	wantErr(t, err, idem.ErrInFlight)

	ctx, cancel := context.WithCancel(t.Context())
	waiter := s.async(ctx, &charge, "k", "a")
	s.await(idem.EventWaited, 2)
	cancel()
	a := <-waiter
	wantErr(t, a.err, context.Canceled)
	s.wantRuns(0)
}

// lapse leaves a claim of a run that was cut off.
func lapse(s *stage, key string) {
	s.Helper()
	s.method = func(context.Context, int64) (string, error) { return "", idem.Unknown(errClassified) }
	if _, err := s.call(s.Context(), &charge, key, "a"); err == nil {
		s.Fatal("no error")
	}
}
