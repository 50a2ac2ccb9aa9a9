package scenarios

import (
	"context"
	"testing"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
	"github.com/idemgen/idemgen/idem/postgres"
)

// This file plays one race against every store there is: with an overwriting claim, or one that looks first and writes then, two would
// run.

func TestA5_OneOfManyRunsOnEveryStore(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(*stage) idem.Store{
		"postgres": func(s *stage) idem.Store { return postgres.NewStore(s.pool) },
		"memory":   func(*stage) idem.Store { return idemtest.NewStore() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			store, gate := open(s), idemtest.NewGate(t)
			engines := []*idem.Engine{ // two processes
				newEngine(t, store, idem.WithObserver(s.events)), newEngine(t, store, idem.WithObserver(s.events)),
			}
			s.method = func(ctx context.Context, run int64) (string, error) { return "charged", gate.Enter(ctx) }
			const callers = 32
			go func() { // the winner is let go when all others have seen that they are not
				s.await(idem.EventWaited, callers-1)
				gate.Open()
			}()
			idemtest.Callers(t, callers, func(i int) {
				out, err := idem.Do(t.Context(), engines[i%2], &charge, s.request("k", "a"))
				if out != "charged" || err != nil {
					t.Errorf("caller %d got %q, %v", i, out, err)
				}
			})
			s.wantRuns(1)
			if won, replayed := s.events.count(idem.EventClaimed), s.events.count(idem.EventReplayed); won != 1 || replayed != callers-1 {
				t.Errorf("%d claims were won and %d calls replayed", won, replayed)
			}
		})
	}
}
