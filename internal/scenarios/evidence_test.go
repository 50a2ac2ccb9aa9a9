package scenarios

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
	"github.com/idemgen/idemgen/idem/postgres"
)

// This file is what a sweep must leave: rows that are all that is known of an effect that may have happened, and rows that
// somebody is getting or settling at that moment.

// sweeper is another process's engine that sweeps without any grace.
func (s *stage) sweeper() *idem.Engine {
	s.Helper()
	return newEngine(s.TB, postgres.NewStore(s.pool), idem.WithSweepGrace(0))
}

func (s *stage) swept() int {
	s.Helper()
	n, err := s.sweeper().Sweep(context.Background())
	if err != nil {
		s.Errorf("sweeping: %v", err)
	}
	return n
}

func TestI9_ASweepNeverRemovesEvidence(t *testing.T) {
	t.Parallel()
	world := newStage(t)
	for _, st := range binding() {
		t.Run(st.name, func(t *testing.T) {
			s := world.afresh(t)
			s.reached(st)
			before := s.versionOf("k")
			if n := s.swept(); n != 0 {
				t.Errorf("%d rows were swept", n)
			}
			if after := s.versionOf("k"); after != before {
				t.Errorf("the row was\n%s and is\n%s", before, after)
			}
		})
	}
	for _, st := range free() { // else the sweeps above show nothing
		t.Run("expired: "+st.name, func(t *testing.T) {
			s := world.afresh(t)
			s.reached(st)
			if n := s.swept(); n != 1 || s.versionOf("k") != "" {
				t.Errorf("%d rows were swept", n)
			}
		})
	}
}

// TestI9_SweepersLeaveWhatIsRetakenUnderTheirHands has two sweepers without grace go over rows that have all expired, while callers reclaim and
// complete them. A sweeper that deletes what was just retaken shows as a second run, or as an outcome that was acknowledged and is gone.
func TestI9_SweepersLeaveWhatIsRetakenUnderTheirHands(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	const keys, rounds = 100, 4
	for round := range rounds {
		prefix := fmt.Sprintf("round %d, key ", round)
		s.fillExpired(prefix, keys)
		runs := s.runs.Load()
		ctx, stop := context.WithCancel(t.Context())
		var sweepers sync.WaitGroup
		for range 2 {
			e := s.sweeper()
			sweepers.Go(func() {
				for ctx.Err() == nil {
					if _, err := e.Sweep(ctx); err != nil && !errors.Is(err, context.Canceled) {
						t.Errorf("sweeping: %v", err)
					}
				}
			})
		}
		var results [keys]string
		idemtest.Callers(t, 4, func(i int) {
			for k := i; k < keys; k += 4 {
				out, err := s.call(t.Context(), &charge, fmt.Sprint(prefix, k), "new")
				if err != nil {
					t.Errorf("key %d: %v", k, err)
				}
				results[k] = out
			}
		})
		stop()
		sweepers.Wait()
		s.wantRuns(runs + keys)
		for k, want := range results {
			if r := s.charged(fmt.Sprint(prefix, k)); r.String() != "done" || string(r.Result) != fmt.Sprintf("%q", want) {
				t.Errorf("key %d: the outcome %q was acknowledged, and the row is %q %s", k, want, r, r.Result)
			}
		}
	}
	if n := s.events.count(idem.EventReclaimed); n == 0 {
		t.Error("no row was retaken: nothing is shown")
	}
}

// fillExpired makes rows that expired long ago: every third lapsed, the others done.
func (s *stage) fillExpired(prefix string, keys int) {
	s.Helper()
	timeout := errors.New("timeout")
	for k := range keys {
		s.method = func(context.Context, int64) (string, error) {
			if k%3 == 0 {
				return "", idem.Unknown(timeout)
			}
			return "old", nil
		}
		key := fmt.Sprint(prefix, k)
		if _, err := s.call(context.Background(), &charge, key, "old"); err != nil && !errors.Is(err, timeout) {
			s.Fatal(err)
		}
		s.age(key, pastKeep)
	}
	s.method = nil
}
