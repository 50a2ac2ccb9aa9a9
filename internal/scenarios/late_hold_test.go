package scenarios

import (
	"context"
	"errors"
	"testing"

	"github.com/idemgen/idemgen/idem"
)

// This file is about owners who are alive after all: somebody moved their lapsed claim to unknown, and they renew it or end
// it. Nobody replaced them, so what they say counts.

// oneLapse lets a claim lapse a single time: the next call moves it to unknown.
func oneLapse(op *idem.Operation[string]) { op.MaxAttempts = 1 }

// holdsLapsed lets the claim of a run lapse and another process move it to unknown.
func (s *stage) holdsLapsed(op *idem.Operation[string]) {
	s.Helper()
	s.age("k", pastLease)
	rival := s.anotherProcess()
	_, err := rival.call(context.Background(), op, "k", "x")
	wantErr(s, err, idem.ErrOutcomeUnknown)
	rival.wantEvents(idem.EventHeld, idem.EventUnknown)
	if r := s.charged("k"); r.String() != "unknown" {
		s.Fatalf("the row is %+v", r)
	}
}

func TestLate_ARenewalAfterHoldRunsAgain(t *testing.T) {
	t.Parallel()
	world := newStage(t)
	for name, policy := range map[string]func(*idem.Operation[string]){"hold": holding, "maxattempts": oneLapse} {
		t.Run(name, func(t *testing.T) {
			s := world.afresh(t)
			a := s.beginLate(late(policy), "x")
			s.holdsLapsed(late(policy))
			if got := s.renewAs("k", a.owner); got != idem.RenewalDone {
				t.Fatalf("its owner's renewal is answered %d", got)
			}
			if r := s.charged("k"); r.String() != "running" || r.Attempt != 1 || s.ownerOf("k") != a.owner {
				t.Errorf("the renewed row is %+v; want it running, A's", r)
			}
			rival := s.anotherProcess()
			_, err := rival.call(t.Context(), late(policy, conflict), "k", "x")
			wantErr(t, err, idem.ErrInFlight)
			if got := a.ends("A", nil); got != (answer{"A", nil}) || !a.info.Stored {
				t.Errorf("A got %q, %v, %+v", got.result, got.err, *a.info)
			}
			a.wantEvents(idem.EventClaimed, idem.EventCompleted)
			if out, err := rival.call(t.Context(), late(policy), "k", "x"); out != "A" || err != nil {
				t.Errorf("the rival got %q, %v", out, err)
			}
			rival.wantRuns(0)
		})
	}
}

// TestLate_AHeldRunEndsAsItsOwnerSays: every ending, of a run whose claim was moved to unknown by a policy or for its many attempts.
func TestLate_AHeldRunEndsAsItsOwnerSays(t *testing.T) {
	t.Parallel()
	world := newStage(t)
	declined := errors.New("declined")
	for _, c := range []struct {
		name   string
		policy func(*idem.Operation[string])
		err    error
		row    string
		event  idem.EventKind
		next   error // what the next call gets; nil: an outcome
		runs   int64 // of the next call
	}{
		{"complete under hold", holding, nil, "done", idem.EventCompleted, nil, 0},
		{"complete under maxattempts", oneLapse, nil, "done", idem.EventCompleted, nil, 0},
		{"release under hold", holding, idem.NoEffect(declined), "absent", idem.EventReleased, nil, 1},
		{"release under maxattempts", oneLapse, declined, "absent", idem.EventReleased, nil, 1},
		{"a plain error under hold", holding, declined, "unknown", idem.EventHeld, idem.ErrOutcomeUnknown, 0},
		{"abandon under hold", holding, idem.Unknown(declined), "unknown", idem.EventHeld, idem.ErrOutcomeUnknown, 0},
		{"abandon under maxattempts", oneLapse, idem.Unknown(declined), "unknown", idem.EventAbandoned, idem.ErrOutcomeUnknown, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := world.afresh(t)
			a := s.beginLate(late(c.policy), "x")
			s.holdsLapsed(late(c.policy))
			want := answer{"A", nil}
			if c.err != nil {
				want = answer{"", c.err}
			}
			if got := a.ends("A", c.err); got != want || a.info.Stored != (c.err == nil) || a.info.Replayed {
				t.Errorf("A got %q, %v, %+v; want %v", got.result, got.err, *a.info, want)
			}
			a.wantEvents(idem.EventClaimed, c.event)
			s.wantRowNow("k", c.row)
			next := s.anotherProcess()
			_, err := next.call(t.Context(), late(c.policy), "k", "x")
			if !errors.Is(err, c.next) {
				t.Errorf("the next call got %v, want %v", err, c.next)
			}
			next.wantRuns(c.runs)
		})
	}
}
