package idemtest

import (
	"context"
	"runtime"

	"github.com/idemgen/idemgen/idem"
)

// This file is the defects that show only when calls meet, or when contexts end.

var raceDefects = []defect{
	{name: "a claim looks first, and writes then", groups: []string{"races"}, around: func(s *Store) idem.Store { return lookThenWrite{s} }},
	{name: "everybody sees himself as the winner", groups: []string{"races"}, after: func(t *touch) {
		if t.answer != nil && t.step != StepComplete {
			t.answer.Owner = t.owner
		}
	}},
	{name: "a take-over beside a completion wins, too", groups: []string{"races"}, after: at(StepTakeOver, func(t *touch) {
		t.answer.State, t.answer.Owner = idem.StateRunning, t.owner
	})},
	{name: "the second of two equal outcomes is another's", groups: []string{"races"}, after: at(StepComplete, func(t *touch) {
		if t.old.State == idem.StateDone {
			t.answer.Owner = newOwner()
		}
	})},
	{name: "a sweep deletes what was just retaken", groups: []string{"races"}, before: eachRow(StepSweep, func(t *touch, r *row) {
		if r.State == idem.StateRunning && r.Attempt == 1 {
			delete(t.s.rows, r.ID)
		}
	})},
	{name: "a renewal that meets another is lost", groups: []string{"races"}, after: func(t *touch) {
		if len(t.renewed) > 1 {
			t.renewed[1] = idem.RenewalLost
		}
	}},
	{name: "claims and reads wait for locks", groups: []string{"locks"}, before: func(t *touch) {
		if t.row != nil && t.row.locked != nil && (t.step == StepClaim || t.step == StepRead) {
			t.row.Owner = newOwner()
		}
	}},
	{name: "a locked row is lost", groups: []string{"locks"}, after: func(t *touch) {
		for i, a := range t.renewed {
			if a == idem.RenewalLocked {
				t.renewed[i] = idem.RenewalLost
			}
		}
	}},
	{name: "locks do not hold", groups: []string{"locks"}, lock: func(*Store, idem.ID) func() { return func() {} }},
	{name: "contexts are not heeded", groups: []string{"cancellation"}, around: func(s *Store) idem.Store { return heedless{s} }},
	{name: "the second claim of a call is another's", groups: []string{"cancellation"}, after: at(StepClaim, func(t *touch) {
		if t.old.State != idem.StateAbsent {
			t.answer.Owner = newOwner()
		}
	})},
}

// lookThenWrite is the check-then-act race, for each of the steps by which a row is won.
type lookThenWrite struct{ *Store }

func (s lookThenWrite) Claim(ctx context.Context, c idem.Claim) (idem.Row, error) {
	if r := s.Row(c.ID); r.State != idem.StateAbsent {
		return r, nil
	}
	runtime.Gosched()
	s.Edit(c.ID, func(r *idem.Row) { r.State = idem.StateAbsent })
	return s.Store.Claim(ctx, c)
}

// heedless is a store that takes no notice of contexts.
type heedless struct{ *Store }

func (s heedless) Claim(ctx context.Context, c idem.Claim) (idem.Row, error) {
	return s.Store.Claim(context.WithoutCancel(ctx), c)
}
