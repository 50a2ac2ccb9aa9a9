package scenarios

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
)

func TestA1_ConcurrentCallersRunOnce(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	gate := s.gatedInContext()
	const callers = 32
	go func() { // the winner is let go when all others have seen that they are not
		s.await(idem.EventWaited, callers-1)
		gate.Open()
	}()
	idemtest.Callers(t, callers, func(i int) {
		out, err := s.call(t.Context(), &charge, "k", "a")
		if out != "charged" || err != nil {
			t.Errorf("caller %d got %q, %v", i, out, err)
		}
	})
	s.wantRuns(1)
	if n := s.events.count(idem.EventReplayed); n != callers-1 {
		t.Errorf("%d replays, want %d", n, callers-1)
	}
}

func TestA2_TheSecondCallIsRefusedBeforeTheFirstEnds(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	gate := s.gatedInContext()
	first := s.async(t.Context(), &charge, "k", "a")
	gate.Await(t, 1)

	_, err := s.call(t.Context(), with(conflict), "k", "a")
	e := wantErr(t, err, idem.ErrInFlight)
	if e.State != idem.StateRunning || e.Attempt != 1 || e.RetryAfter <= 0 || e.Since.IsZero() {
		t.Errorf("the refusal says too little: %+v", e)
	}
	gate.Open()
	if a := <-first; a.result != "charged" || a.err != nil {
		t.Errorf("the first call got %v", a)
	}
	s.wantRuns(1)
}

func TestA3_ALostRaceIsAnOrdinaryAnswer(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	for round := range 40 {
		key := fmt.Sprint("k", round)
		idemtest.Callers(t, 8, func(i int) {
			op := &charge
			if i%2 == 1 {
				op = with(conflict)
			}
			if _, err := s.call(t.Context(), op, key, "a"); err != nil && (op == &charge || !errors.Is(err, idem.ErrInFlight)) {
				t.Errorf("round %d: %v", round, err)
			}
		})
	}
	s.wantRuns(40)
}

// TestA9 is the claim under every isolation level a database can have as its default, in every way pgx can send a statement.
func TestA9_OneWinnerAndNoLoserWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	const callers, keys = 16, 150
	for _, isolation := range isolations {
		dsn := isolated(t, isolation)
		for _, mode := range execModes {
			t.Run(string(isolation)+"/"+mode.String(), func(t *testing.T) {
				s := stageOn(t, dsn, sendingAs(mode))
				var answers atomic.Int64
				var results sync.Map
				idemtest.Callers(t, callers, func(i int) {
					for k := range keys {
						key := fmt.Sprintf("%s-%d", mode, k)
						out, err := s.call(t.Context(), &charge, key, "a")
						if err != nil {
							t.Errorf("%s: %v", key, err)
							continue
						}
						if first, _ := results.LoadOrStore(key, out); first != out {
							t.Errorf("%s: two answers, %q and %q", key, first, out)
						}
						answers.Add(1)
					}
				})
				s.wantRuns(keys)
				if n := answers.Load(); n != callers*keys {
					t.Errorf("%d answers, want %d", n, callers*keys)
				}
				if n := s.events.count(idem.EventClaimed); n != keys {
					t.Errorf("%d claims won, want %d", n, keys)
				}
			})
		}
	}
}

func TestA12_AFailedRunLetsARetryRun(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	refused := errors.New("card declined")
	var declining atomic.Bool
	declining.Store(true)
	s.method = func(context.Context, int64) (string, error) {
		if declining.Load() {
			return "", refused
		}
		return "charged", nil
	}
	idemtest.Callers(t, 12, func(i int) {
		if _, err := s.call(t.Context(), &charge, "k", "a"); err != refused { //nolint:errorlint // the method's error comes back unchanged
			t.Errorf("caller %d: %v", i, err)
		}
	})
	if r := s.charged("k"); r.State != 0 {
		t.Errorf("a run without effect left %+v", r)
	}
	declining.Store(false)
	before := s.runs.Load()
	if out, err := s.call(t.Context(), &charge, "k", "other arguments"); out != "charged" || err != nil {
		t.Errorf("the corrected retry got %q, %v", out, err)
	}
	s.wantRuns(before + 1)
}
