//go:build unix

package processes

import (
	"slices"
	"testing"
)

// This file judges the judges: evidence of each thing that could go wrong is made up, and the check for it has to object,
// and it alone.

// sound is evidence of a run in which all is well: a run was killed, a later one stored its receipt, and a call got that.
func sound() *evidence {
	stored := receipt{"second", 1}
	return &evidence{
		issued: []order{{Key: "k", Amount: 1}},
		effects: []effect{
			{Worker: "w0.1", Key: "k", Attempt: 1, Fence: 1, Phase: phaseStart},
			{Worker: "w1.2", Key: "k", Attempt: 2, Fence: 2, Phase: phaseStart},
			{Worker: "w1.2", Key: "k", Attempt: 2, Fence: 2, Phase: phaseDone, Receipt: stored},
		},
		moves: []move{
			{Call: "1", Worker: "w0.1", Key: "k"},
			{Call: "2", Worker: "w1.2", Key: "k"},
			{Call: "2", Worker: "w1.2", Key: "k", Answer: ranStored, Stored: true, Receipt: stored},
			{Call: "3", Worker: "w1.2", Key: "k"},
			{Call: "3", Worker: "w1.2", Key: "k", Answer: replayed, Stored: true, Receipt: stored},
		},
		sights: []sight{{"k", sawClaim, 1}, {"k", sawExpiry, 1}, {"k", sawOutcome, 2}},
		stored: map[string]receipt{"k": stored},
		killed: map[string]point{"w0.1": started},
	}
}

func TestTheChecksObjectToWhatIsWrongAndToNothingElse(t *testing.T) {
	t.Parallel()
	first := receipt{"first", 1}
	for _, c := range []struct {
		what   string
		spoil  func(*evidence)
		object []string
	}{
		{"nothing", func(*evidence) {}, nil},
		{"a second outcome", func(e *evidence) { e.sights = append(e.sights, sight{"k", sawOutcome, 2}) }, []string{"I1_OneOutcomeAKeyIsStoredAndNeverChanges"}},
		{"a rewritten outcome", func(e *evidence) { e.sights = append(e.sights, sight{"k", sawRewriting, 2}) }, []string{"I1_OneOutcomeAKeyIsStoredAndNeverChanges"}},
		{"a lost outcome", func(e *evidence) { e.sights = append(e.sights, sight{"k", sawLoss, 2}) }, []string{"I1_OneOutcomeAKeyIsStoredAndNeverChanges"}},
		{"a stuck key", func(e *evidence) { e.issued = append(e.issued, order{Key: "l"}) }, []string{"I3_NoKeyIsStuck"}},
		{"two answers", func(e *evidence) { e.moves[4].Receipt = first }, []string{"I4_EveryStoredAnswerIsTheOutcome"}},
		{"a theft", func(e *evidence) { e.sights = append(e.sights, sight{"k", sawTheft, 2}) }, []string{"I5_NobodyLosesALiveClaim"}},
		{"a late release", func(e *evidence) { e.sights = append(e.sights, sight{"k", sawRelease, 2}) }, []string{"I5_OnlyItsOwnerEndsAClaim"}},
		{"a late abandonment", func(e *evidence) { e.sights = append(e.sights, sight{"k", sawAbandon, 2}) }, []string{"I5_OnlyItsOwnerEndsAClaim"}},
		{"a late completion", func(e *evidence) {
			e.effects = append(e.effects, effect{Worker: "w0.1", Key: "k", Fence: 1, Phase: phaseDone, Receipt: first})
			e.stored["k"], e.moves[2].Receipt, e.moves[4].Receipt = first, first, first
		}, []string{"I5_OnlyItsOwnerEndsAClaim"}},
		{"a start too many", func(e *evidence) {
			e.effects = append(e.effects, effect{Worker: "w1.2", Key: "k", Fence: 3, Phase: phaseStart})
		}, []string{"I6_EveryStartIsExplained"}},
		{"two starts under one claim", func(e *evidence) {
			e.sights = append(e.sights, sight{"k", sawExpiry, 2})
			e.effects = append(e.effects, effect{Worker: "w1.2", Key: "k", Fence: 2, Phase: phaseStart})
		}, []string{"I6_EveryStartIsExplained"}},
		{"an outcome from nowhere", func(e *evidence) { e.effects = e.effects[:1] }, []string{"P1_WhatIsStoredHasHappened"}},
		{"an answer from nowhere", func(e *evidence) {
			e.moves = append([]move{{Call: "0", Worker: "w1.2", Key: "k"}, {Call: "0", Worker: "w1.2", Key: "k", Answer: ranUnstored, Receipt: first}}, e.moves...)
		}, []string{"P1_WhatIsStoredHasHappened"}},
		{"a run after the outcome", func(e *evidence) { e.moves[4] = move{Call: "3", Worker: "w1.2", Key: "k", Answer: refused} }, []string{"P1_AfterAStoredAnswerThereIsNoOther"}},
		{"a call without an answer", func(e *evidence) { e.moves = e.moves[:4] }, []string{"EveryCallIsAnsweredUnlessItsProcessDied"}},
		{"an odd answer", func(e *evidence) {
			e.moves = append([]move{{Call: "0", Worker: "w1.2", Key: "k"}, {Call: "0", Worker: "w1.2", Key: "k", Answer: unexpected}}, e.moves...)
		}, []string{"EveryCallIsAnsweredUnlessItsProcessDied"}},
		{"broken lines", func(e *evidence) { e.torn = 2 }, []string{"EveryCallIsAnsweredUnlessItsProcessDied"}},
	} {
		e := sound()
		c.spoil(e)
		var object []string
		for _, judge := range checks {
			if len(judge.check(e)) > 0 {
				object = append(object, judge.promise)
			}
		}
		if !slices.Equal(object, c.object) {
			t.Errorf("with %s, these objected: %v; want %v", c.what, object, c.object)
		}
	}
}

func TestWorkersThatDieBetweenClaimAndEndAreCounted(t *testing.T) {
	t.Parallel()
	e := sound()
	if n := e.killedInside(); n != 1 {
		t.Errorf("%d, want 1: killed at a point inside", n)
	}
	e.killed = map[string]point{"w0.1": anywhere, "w1.2": anywhere}
	if n := e.killedInside(); n != 1 {
		t.Errorf("%d, want 1: one had a run open, the other had ended its", n)
	}
	e.killed = map[string]point{"w1.2": completed}
	if n := e.killedInside(); n != 0 {
		t.Errorf("%d, want 0: its run was over", n)
	}
}
