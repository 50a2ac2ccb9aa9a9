package scenarios

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/internal/pgtest"
)

// This file takes the server down and up again while calls are in every phase: before the claim, with a step on its way (a lock holds
// it in the server), in the method, in a wait. What was acknowledged stays, the method runs once, every caller has
// an answer, and the outcome is stored in the end.

// phases are what calls can be in the middle of. Each begins on a stage and a key of its own, and returns what has to be so after the restart.
var phases = []struct {
	name  string
	begin func(*stage) (after func())
}{
	{"stored outcome", storedOutcome},
	{"run with waiters", runWithWaiters},
	{"claim", claimOnItsWay},
	{"outcome", outcomeOnItsWay},
	{"release", releaseOnItsWay},
	{"abandonment", abandonmentOnItsWay},
	{"take-over", takeOverOnItsWay},
}

func TestRestart_ACallThatTheServerWentDownUnderIsAnsweredAndRunsOnce(t *testing.T) {
	t.Parallel()
	// The server answers a commit only when it is in the log, which a crash of its processes leaves alone.
	server := privateServer(t, nil)
	for _, outage := range []struct {
		name string
		how  pgtest.Shutdown
		down func(*testing.T, *stage) // while it is down
	}{
		{"fast", pgtest.Fast, nil},
		{"immediate", pgtest.Immediate, nil},
		{"immediate, down for a while", pgtest.Immediate, refusedWhileDown},
	} {
		t.Run(outage.name, func(t *testing.T) {
			s, _ := apart(t, server.Database(t), conns(20))
			scenes, after := make([]*stage, len(phases)), make([]func(), len(phases))
			for i, phase := range phases {
				scenes[i] = s.beside()
				after[i] = phase.begin(scenes[i])
			}
			if err := server.Down(outage.how); err != nil {
				t.Fatal(err)
			}
			if outage.down != nil {
				outage.down(t, s.beside())
			}
			if err := server.Up(t.Context()); err != nil {
				t.Fatal(err)
			}
			s.pool.Reset()
			for i, phase := range phases {
				t.Run(phase.name, func(t *testing.T) {
					scenes[i].TB = t
					after[i]()
				})
			}
		})
	}
}

// refusedWhileDown calls where nothing was claimed yet: the answer is an error that invites to try again.
func refusedWhileDown(t *testing.T, s *stage) {
	s.TB = t
	_, err := s.call(t.Context(), &charge, "down", "a")
	e := wantErr(t, err, idem.ErrStore)
	if e.RetryAfter <= 0 || e.Reason == "" {
		t.Errorf("the error says too little: %+v", e)
	}
	s.wantRuns(0)
}

func storedOutcome(s *stage) func() {
	if a := s.insist(&charge, "stored", "a"); a.err != nil {
		s.Fatal(a)
	}
	return func() {
		s.wantAnswer(s.insist(&charge, "stored", "a"), "ran 1", nil)
		s.wantRuns(1)
	}
}

func runWithWaiters(s *stage) func() {
	gate := s.gated()
	first := s.async(context.Background(), &charge, "run", "a")
	gate.Await(s, 1)
	waiters := make([]<-chan answer, 5)
	for i := range waiters {
		waiters[i] = s.async(context.Background(), &charge, "run", "a")
	}
	s.await(idem.EventWaited, len(waiters))
	return func() {
		gate.Open()
		s.wantAnswer(<-first, "charged", nil)
		for _, w := range waiters {
			s.wantAnswer(s.orInsist(<-w, "run"), "charged", nil)
		}
		s.wantRuns(1)
		s.wantRow("run", "done")
	}
}

func claimOnItsWay(s *stage) func() {
	s.holdEntry("claim")
	call := s.async(context.Background(), &charge, "claim", "a")
	s.awaitHeld(1, "INSERT INTO idem_claims")
	return func() {
		s.wantAnswer(s.orInsist(<-call, "claim"), "ran 1", nil)
		s.wantRuns(1)
		s.wantRow("claim", "done")
	}
}

func outcomeOnItsWay(s *stage) func() {
	call := s.endHeld("outcome", "SET state =", "charged", nil)
	return func() {
		s.wantAnswer(<-call, "charged", nil)
		s.eventually("the outcome stored", func() bool { return s.charged("outcome").State == int(idem.StateDone) })
		s.wantAnswer(s.insist(&charge, "outcome", "a"), "charged", nil)
		s.wantRuns(1)
	}
}

var errNoFunds = errors.New("no funds")

func releaseOnItsWay(s *stage) func() {
	call := s.endHeld("release", "DELETE FROM idem_claims", "", errNoFunds)
	return func() {
		s.wantAnswer(<-call, "", errNoFunds)
		s.wantRow("release", "absent")
		s.wantRuns(1)
	}
}

func abandonmentOnItsWay(s *stage) func() {
	unknown := idem.Unknown(errNoFunds)
	call := s.endHeld("abandonment", "SET owner =", "", unknown)
	return func() {
		s.wantAnswer(<-call, "", unknown)
		s.wantRow("abandonment", "running lapsed abandoned")
		s.wantRuns(1)
	}
}

// endHeld makes a call whose method has ended, and whose last step, which contains sql, is held by a lock on its row.
func (s *stage) endHeld(key, sql, result string, err error) <-chan answer {
	gate := s.gated()
	method := s.method
	s.method = func(ctx context.Context, run int64) (string, error) {
		_, _ = method(ctx, run)
		return result, err
	}
	call := s.async(context.Background(), &charge, key, "a")
	gate.Await(s, 1)
	s.holdRow(key)
	gate.Open()
	s.awaitHeld(1, sql)
	return call
}

// takeOverOnItsWay has a run that is as good as dead, and a call that takes its claim over. That step waits for a second and no longer, so
// it may have been sent again by the time the server goes down.
func takeOverOnItsWay(s *stage) func() {
	gate := s.gated()
	method := s.method
	s.method = func(ctx context.Context, run int64) (string, error) {
		if run == 1 {
			return method(ctx, run)
		}
		return "second attempt", nil
	}
	dead := s.async(context.Background(), &charge, "take-over", "a")
	gate.Await(s, 1)
	s.age("take-over", time.Minute)
	s.holdRow("take-over")
	call := s.async(context.Background(), &charge, "take-over", "a")
	s.awaitHeld(1, "attempt = attempt + 1")
	return func() {
		s.wantAnswer(s.orInsist(<-call, "take-over"), "second attempt", nil)
		gate.Open()
		s.wantAnswer(<-dead, "second attempt", nil)
		s.wantRuns(2)
		s.wantRow("take-over", "done")
	}
}
