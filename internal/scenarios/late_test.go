package scenarios

import (
	"errors"
	"testing"

	"github.com/idemgen/idemgen/idem"
)

// This file plays three calls of one key, one after the other, where the row was deleted between the last two: what the
// first one sends in the end must not touch what is the third one's. Numbers that start over with the row would let it in.

// TestB8_ALateRunLeavesLaterGenerationsAlone: A is slow, B takes over and releases, C claims anew. A and C are both first attempts.
func TestB8_ALateRunLeavesLaterGenerationsAlone(t *testing.T) {
	t.Parallel()
	world := newStage(t)
	declined := errors.New("declined")
	for _, ending := range []struct {
		name string
		err  error
	}{
		{"complete", nil},
		{"release", declined},
		{"release by a mark", idem.NoEffect(declined)},
		{"abandon", idem.Unknown(declined)},
	} {
		t.Run(ending.name, func(t *testing.T) {
			s := world.afresh(t)
			a := s.beginLate(late(), "x")
			s.age("k", pastLease)
			b := s.beginLate(late(), "x")
			b.ends("", idem.NoEffect(declined))
			b.wantEvents(idem.EventTakenOver, idem.EventReleased)
			c := s.beginLate(late(), "x")
			before := s.versionOf("k")
			if r := s.charged("k"); r.Attempt != 1 || r.Lapses != 0 {
				t.Fatalf("C's row is %+v: not a new generation", r)
			}

			a.returns("A", ending.err)
			a.fenced()
			if after := s.versionOf("k"); after != before {
				t.Errorf("A's late %s made C's row\n%s of\n%s", ending.name, after, before)
			}
			d := s.anotherProcess()
			_, err := d.call(t.Context(), late(conflict), "k", "x")
			wantErr(t, err, idem.ErrInFlight)

			if got := c.ends("C", nil); got != (answer{"C", nil}) {
				t.Errorf("C got %q, %v", got.result, got.err)
			}
			c.wantEvents(idem.EventClaimed, idem.EventCompleted)
			a.wantLate(ending.err, "C")
			if r := s.charged("k"); r.String() != "done" || r.Attempt != 1 || string(r.Result) != `"C"` {
				t.Errorf("in the end the row is %+v", r)
			}
		})
	}
}

// wantLate is what a late call gets: its method's error unchanged, or the outcome that is stored.
func (r *lateRun) wantLate(err error, stored string) {
	r.Helper()
	got := r.got()
	if err != nil {
		if got != (answer{"", err}) || r.info.Stored || r.info.Replayed {
			r.Errorf("the late call got %q, %v, %+v; want its method's error", got.result, got.err, *r.info)
		}
		r.wantEvents(idem.EventClaimed, idem.EventFenced)
		return
	}
	if got != (answer{stored, nil}) || !r.info.Stored || !r.info.Replayed || r.info.CompletedAt.IsZero() || r.info.ExpiresAt.IsZero() {
		r.Errorf("the late call got %q, %v, %+v; want %q, replayed", got.result, got.err, *r.info, stored)
	}
	r.wantEvents(idem.EventClaimed, idem.EventFenced, idem.EventReplayed)
}

// TestLate_ARenewalRevivesNoEarlierGeneration: renewals of A and of B arrive in each of the generations after theirs.
func TestLate_ARenewalRevivesNoEarlierGeneration(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	refused := func(of string, r *lateRun) {
		t.Helper()
		before := s.versionOf("k")
		if got := s.renewAs("k", r.owner); got != idem.RenewalLost {
			t.Errorf("the late renewal of %s is answered %d, want lost", of, got)
		}
		if after := s.versionOf("k"); after != before {
			t.Errorf("the late renewal of %s made the row\n%s of\n%s", of, after, before)
		}
	}
	a := s.beginLate(late(), "x")
	s.age("k", pastLease)
	b := s.beginLate(late(), "x")
	refused("A while B runs", a)
	s.age("k", pastLease)
	refused("A after B lapsed", a)
	if r := s.charged("k"); !r.Lapsed {
		t.Error("B's lapsed lease lives again")
	}
	b.ends("", idem.NoEffect(errors.New("declined")))
	refused("A when the row is gone", a)
	refused("B when the row is gone", b)
	c := s.beginLate(late(), "x")
	refused("A while C runs", a)
	refused("B while C runs", b)
	if got := s.renewAs("k", c.owner); got != idem.RenewalDone {
		t.Errorf("C's own renewal is answered %d", got)
	}
	c.ends("C", nil)
	refused("A when C is done", a)
	refused("C when C is done", c)
	a.returns("A", nil)
	a.wantLate(nil, "C")
}

// TestLate_ARenewalAfterAbandonRevivesNothing: the run was given up, and a renewal of its was still on its way.
func TestLate_ARenewalAfterAbandonRevivesNothing(t *testing.T) {
	t.Parallel()
	world := newStage(t)
	timeout := idem.Unknown(errors.New("timeout"))
	for name, c := range map[string]struct {
		op    *idem.Operation[string]
		row   string
		event idem.EventKind
	}{
		"abandoned": {late(), "running lapsed abandoned", idem.EventAbandoned},
		"held":      {late(holding), "unknown", idem.EventHeld},
	} {
		t.Run(name, func(t *testing.T) {
			s := world.afresh(t)
			a := s.beginLate(c.op, "x")
			if got := a.ends("A", timeout); got != (answer{"", timeout}) {
				t.Errorf("A got %q, %v", got.result, got.err)
			}
			a.wantEvents(idem.EventClaimed, c.event)
			before := s.versionOf("k")
			if got := s.renewAs("k", a.owner); got != idem.RenewalLost {
				t.Errorf("the renewal is answered %d, want lost", got)
			}
			if after := s.versionOf("k"); after != before || s.charged("k").String() != c.row {
				t.Errorf("the renewal made the row\n%s of\n%s", after, before)
			}
		})
	}
}
