package scenarios

import (
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
			store, processes := open(s), []*stage{s, s.twin()}
			for _, p := range processes {
				p.worksOn(store)
			}
			gate := s.gatedInContext()
			const callers = 32
			go func() { // the winner is let go when all others have seen that they are not
				s.await(idem.EventWaited, callers-1)
				gate.Open()
			}()
			idemtest.Callers(t, callers, func(i int) {
				out, err := processes[i%2].call(t.Context(), &charge, "k", "a")
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
