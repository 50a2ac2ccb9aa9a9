//go:build unix

package processes

import "fmt"

// This file is the judgement. Each check compares witnesses and returns what is wrong, in words; none asks the runtime what
// it thinks it did.

// checks are all of them, by the promise they hold the run to.
var checks = []struct {
	promise string
	check   func(*evidence) []string
}{
	{"I1_OneOutcomeAKeyIsStoredAndNeverChanges", (*evidence).oneOutcome},
	{"I3_NoKeyIsStuck", (*evidence).nothingStuck},
	{"I4_EveryStoredAnswerIsTheOutcome", (*evidence).answersAgree},
	{"I5_NobodyLosesALiveClaim", (*evidence).noTheft},
	{"I5_OnlyItsOwnerEndsAClaim", (*evidence).ownEndings},
	{"I6_EveryStartIsExplained", (*evidence).startsExplained},
	{"P1_WhatIsStoredHasHappened", (*evidence).outcomesHappened},
	{"P1_AfterAStoredAnswerThereIsNoOther", (*evidence).answersAreFinal},
	{"EveryCallIsAnsweredUnlessItsProcessDied", (*evidence).allAnswered},
}

// complaints collects what is wrong.
type complaints []string

func (c *complaints) add(format string, args ...any) { *c = append(*c, fmt.Sprintf(format, args...)) }

func (e *evidence) oneOutcome() []string {
	var wrong complaints
	for key, n := range e.saw(sawOutcome) {
		if n > 1 {
			wrong.add("%s: %d outcomes were stored", key, n)
		}
	}
	for _, kind := range []what{sawRewriting, sawLoss, sawElse} {
		for key, n := range e.saw(kind) {
			wrong.add("%s: %d × %s", key, n, kind)
		}
	}
	return wrong
}

func (e *evidence) nothingStuck() []string {
	var wrong complaints
	for _, o := range e.issued {
		if _, ok := e.stored[o.Key]; !ok {
			wrong.add("%s has no outcome in the end", o.Key)
		}
	}
	return wrong
}

func (e *evidence) answersAgree() []string {
	var wrong complaints
	for _, m := range e.moves {
		if m.Stored && m.Receipt != e.stored[m.Key] {
			wrong.add("%s: call %s was told (%s) that %v is stored; it is %v", m.Key, m.Call, m.Answer, m.Receipt, e.stored[m.Key])
		}
	}
	return wrong
}

func (e *evidence) noTheft() []string {
	var wrong complaints
	for key, n := range e.saw(sawTheft) {
		wrong.add("%s: its owner changed %d × within the lease", key, n)
	}
	return wrong
}

// ownEndings holds each ending of a claim that the witness saw against what the run under that claim has written in the ledger: who is
// late must not end his successor's. A claim without a start was given back, or was taken to store what had happened before.
func (e *evidence) ownEndings() []string {
	var wrong complaints
	phases, made := map[run]map[phase]bool{}, map[run]receipt{}
	for _, l := range e.effects {
		if phases[l.run()] == nil {
			phases[l.run()] = map[phase]bool{}
		}
		phases[l.run()][l.Phase] = true
		if l.Phase == phaseDone {
			made[l.run()] = l.Receipt
		}
	}
	for _, s := range e.sights {
		r := run{s.Key, s.Fence}
		p := phases[r]
		switch {
		case !p[phaseStart]:
		case s.What == sawRelease && !p[phaseRefused]:
			wrong.add("%s: the claim of fence %d was released, and its run had not refused", s.Key, s.Fence)
		case s.What == sawAbandon && !p[phaseRefused] && !p[phaseSilent]:
			wrong.add("%s: the claim of fence %d was abandoned, and its run had not failed", s.Key, s.Fence)
		case s.What == sawOutcome && made[r] != e.stored[s.Key]:
			wrong.add("%s: the claim of fence %d was completed with %v; its run had made %v", s.Key, s.Fence, e.stored[s.Key], made[r])
		}
	}
	return wrong
}

// startsExplained allows one start for each time that a claim could be had: by the first caller, and after each expired lease, release
// and abandonment. It takes these from the database's witness, not from those who ran.
func (e *evidence) startsExplained() []string {
	var wrong complaints
	allowed := e.saw(sawExpiry, sawRelease, sawAbandon)
	starts, claims := map[string]int{}, map[run]int{}
	for _, l := range e.effects {
		if l.Phase == phaseStart {
			starts[l.Key]++
			claims[l.run()]++
		}
	}
	for key, n := range starts {
		if most := 1 + allowed[key]; n > most {
			wrong.add("%s was started %d ×, and %d can be explained", key, n, most)
		}
	}
	for r, n := range claims {
		if n > 1 {
			wrong.add("%s was started %d × under one claim, of fence %d", r.key, n, r.fence)
		}
	}
	return wrong
}

func (e *evidence) outcomesHappened() []string {
	var wrong complaints
	done := map[receipt]string{}
	for _, l := range e.effects {
		if l.Phase == phaseDone {
			done[l.Receipt] = l.Key
		}
	}
	for key, r := range e.stored {
		if done[r] != key {
			wrong.add("%s: %v is stored, and never happened", key, r)
		}
	}
	for _, m := range e.moves {
		if m.Answer == ranUnstored && done[m.Receipt] != m.Key {
			wrong.add("%s: call %s was given %v, which never happened", m.Key, m.Call, m.Receipt)
		}
	}
	return wrong
}

// answersAreFinal looks at calls that were made after another one had its stored answer: there is nothing to run any more, and
// nobody to wait for.
func (e *evidence) answersAreFinal() []string {
	var wrong complaints
	given := map[string]bool{} // keys of which somebody has a stored answer
	late := map[string]bool{}  // calls that were made after that
	for _, m := range e.moves {
		switch {
		case m.Answer == "":
			late[m.Call] = given[m.Key]
		case late[m.Call] && m.Answer != replayed && m.Answer != gaveUp && m.Answer != storeFailed:
			wrong.add("%s: call %s came after the outcome was given, and was answered %q", m.Key, m.Call, m.Answer)
		case m.Stored:
			given[m.Key] = true
		}
	}
	return wrong
}

func (e *evidence) allAnswered() []string {
	var wrong complaints
	open := map[string]move{}
	for _, m := range e.moves {
		if m.Answer == "" {
			open[m.Call] = m
			continue
		}
		delete(open, m.Call)
		if m.Answer == unexpected {
			wrong.add("%s: call %s was told: %s", m.Key, m.Call, m.Detail)
		}
	}
	for _, m := range open {
		if _, killed := e.killed[m.Worker]; !killed {
			wrong.add("%s: call %s of %s was never answered", m.Key, m.Call, m.Worker)
		}
	}
	if e.torn > len(e.killed) {
		wrong.add("%d lines were broken off by %d kills", e.torn, len(e.killed))
	}
	return wrong
}
