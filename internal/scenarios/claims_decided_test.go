package scenarios

import (
	"context"
	"testing"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/postgres"
)

// This file is a person who decides about a claim while the run that it was taken from may be alive, and other processes call.

// decides has a person decide about the claim of "k", as it is now, from a process of his own.
func (s *stage) decides(a idem.Action, result string) {
	s.Helper()
	store := postgres.NewStore(s.pool)
	defer store.Close()
	id := idem.RowID(idem.Ref{Operation: charge.Name, Key: "k"})
	l, err := store.List(context.Background(), idem.ClaimFilter{ID: id.String()})
	if err != nil || len(l.Claims) != 1 {
		s.Fatalf("%d claims, %v", len(l.Claims), err)
	}
	c := l.Claims[0]
	d := idem.Decision{ID: id, Seen: idem.Seen{State: c.State, Owner: c.Owner}, Action: a, Force: true, Who: "ann", Why: "looked it up"}
	if a == idem.ActionComplete {
		if d.Result, err = idem.ResultOf(&charge, c.Ref, result); err != nil {
			s.Fatal(err)
		}
	}
	if _, err := idem.Decide(context.Background(), store, d); err != nil {
		s.Fatalf("%s: %v", a, err)
	}
}

// TestDecision_AfterCompleteEverybodyGetsThePersonsResult, the run included that comes back with another one.
func TestDecision_AfterCompleteEverybodyGetsThePersonsResult(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	a := s.beginLate(late(holding), "x")
	s.holdsLapsed(late(holding))
	s.decides(idem.ActionComplete, "found")
	rival := s.anotherProcess()
	for range 2 {
		if out, err := rival.call(t.Context(), late(holding), "k", "x"); out != "found" || err != nil {
			t.Errorf("a duplicate got %q, %v", out, err)
		}
	}
	_, err := rival.call(t.Context(), late(holding), "k", "y")
	wantErr(t, err, idem.ErrMismatch)
	if got := a.ends("A", nil); got != (answer{"found", nil}) || !a.info.Replayed {
		t.Errorf("the run got %q, %v, %+v", got.result, got.err, *a.info)
	}
	a.wantEvents(idem.EventClaimed, idem.EventFenced, idem.EventReplayed)
	rival.wantRuns(0)
}

// TestDecision_AfterNotHappenedTheNextCallIsTheNextAttempt, for its arguments only, and the run that comes back gets its outcome.
func TestDecision_AfterNotHappenedTheNextCallIsTheNextAttempt(t *testing.T) {
	t.Parallel()
	world := newStage(t)
	for name, policy := range map[string]func(*idem.Operation[string]){"hold": holding, "maxattempts": oneLapse} {
		t.Run(name, func(t *testing.T) {
			s := world.afresh(t)
			a := s.beginLate(late(policy), "x")
			s.holdsLapsed(late(policy))
			s.decides(idem.ActionNotHappened, "")
			next := s.anotherProcess()
			_, err := next.call(t.Context(), late(policy), "k", "y")
			wantErr(t, err, idem.ErrMismatch)
			ctx, info := idem.WithInfo(t.Context())
			if out, err := next.call(ctx, late(policy), "k", "x"); out != "ran 1" || err != nil || info.Attempt != 2 {
				t.Errorf("the next call got %q, %v, %+v", out, err, *info)
			}
			next.wantRuns(1)
			if got := a.ends("A", nil); got != (answer{"ran 1", nil}) {
				t.Errorf("the run got %q, %v", got.result, got.err)
			}
			if r := s.charged("k"); r.counted() != "done 2 0" || string(r.Result) != `"ran 1"` {
				t.Errorf("the row is %+v", r)
			}
		})
	}
}

// TestDecision_ALiveRunWhoseClaimIsHeldIsToldAndStoresNothing: its renewal says so before it has ended.
func TestDecision_ALiveRunWhoseClaimIsHeldIsToldAndStoresNothing(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	a := s.beginLate(late(holding), "x")
	s.decides(idem.ActionHold, "")
	if got := s.renewAs("k", a.owner); got != idem.RenewalLost {
		t.Errorf("its renewal is answered %d", got)
	}
	got := a.ends("A", nil)
	wantErr(t, got.err, idem.ErrLeaseLost)
	if lost, ok := idem.LostResult[string](got.err); !ok || lost != "A" {
		t.Errorf("its result is %q, %v", lost, ok)
	}
	if r := s.charged("k"); r.String() != "unknown" || r.Result != nil {
		t.Errorf("the row is %+v", r)
	}
	s.decides(idem.ActionNotHappened, "")
	next := s.anotherProcess()
	if out, err := next.call(t.Context(), late(holding), "k", "x"); out != "ran 1" || err != nil {
		t.Errorf("the next call got %q, %v", out, err)
	}
}
