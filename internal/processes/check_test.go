//go:build unix

package processes

import "fmt"

// This file is the judgement. Each check compares witnesses and returns what is wrong, in words; none asks the runtime what
// it thinks it did.

// checks are all of them, by the promise they hold the run to.
var checks = []struct {
	promise string
	check   func(*evidence) []complaint
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

// complaint is one thing that is wrong with a key.
type complaint struct{ key, text string }

type complaints []complaint

func (c *complaints) add(key, format string, args ...any) {
	*c = append(*c, complaint{key, fmt.Sprintf(format, args...)})
}

func (e *evidence) oneOutcome() []complaint {
	var wrong complaints
	for key, n := range e.saw(sawOutcome) {
		if n > 1 {
			wrong.add(key, "%d outcomes were stored", n)
		}
	}
	for _, kind := range []what{sawRewriting, sawLoss, sawElse} {
		for key, n := range e.saw(kind) {
			wrong.add(key, "%d × %s", n, kind)
		}
	}
	return wrong
}

func (e *evidence) nothingStuck() []complaint {
	var wrong complaints
	for _, o := range e.issued {
		if _, ok := e.stored[o.Key]; !ok {
			wrong.add(o.Key, "there is no outcome in the end")
		}
	}
	return wrong
}

func (e *evidence) answersAgree() []complaint {
	var wrong complaints
	for _, m := range e.moves {
		if m.Stored && m.Receipt != e.stored[m.Key] {
			wrong.add(m.Key, "call %s was told (%s) that %v is stored; it is %v", m.Call, m.Answer, m.Receipt, e.stored[m.Key])
		}
	}
	return wrong
}

func (e *evidence) noTheft() []complaint {
	var wrong complaints
	for key, n := range e.saw(sawTheft) {
		wrong.add(key, "the owner changed %d × within the lease", n)
	}
	return wrong
}

// ownEndings holds each ending of a claim that the witness saw against what the run under that claim has written in the ledger: who is
// late must not end his successor's. A claim without a start was given back, or was taken to store what had happened before.
func (e *evidence) ownEndings() []complaint {
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
			wrong.add(s.Key, "the claim of fence %d was released, and its run had not refused", s.Fence)
		case s.What == sawAbandon && !p[phaseRefused] && !p[phaseSilent]:
			wrong.add(s.Key, "the claim of fence %d was abandoned, and its run had not failed", s.Fence)
		case s.What == sawOutcome && made[r] != e.stored[s.Key]:
			wrong.add(s.Key, "the claim of fence %d was completed with %v; its run had made %v", s.Fence, e.stored[s.Key], made[r])
		}
	}
	return wrong
}

// startsExplained allows one start for each time that a claim could be had: by the first caller, and after each expired lease, release
// and abandonment. It takes these from the database's witness, not from those who ran.
func (e *evidence) startsExplained() []complaint {
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
			wrong.add(key, "it was started %d ×, and %d can be explained", n, most)
		}
	}
	for r, n := range claims {
		if n > 1 {
			wrong.add(r.key, "it was started %d × under one claim, of fence %d", n, r.fence)
		}
	}
	return wrong
}

func (e *evidence) outcomesHappened() []complaint {
	var wrong complaints
	done := map[receipt]string{}
	for _, l := range e.effects {
		if l.Phase == phaseDone {
			done[l.Receipt] = l.Key
		}
	}
	for key, r := range e.stored {
		if done[r] != key {
			wrong.add(key, "%v is stored, and never happened", r)
		}
	}
	for _, m := range e.moves {
		if m.Answer == ranUnstored && done[m.Receipt] != m.Key {
			wrong.add(m.Key, "call %s was given %v, which never happened", m.Call, m.Receipt)
		}
	}
	return wrong
}

// answersAreFinal looks at calls that were made after another one had its stored answer: there is nothing to run any more, and
// nobody to wait for.
func (e *evidence) answersAreFinal() []complaint {
	var wrong complaints
	given := map[string]bool{} // keys of which somebody has a stored answer
	late := map[string]bool{}  // calls that were made after that
	for _, m := range e.moves {
		switch {
		case m.Answer == "":
			late[m.Call] = given[m.Key]
		case late[m.Call] && m.Answer != replayed && m.Answer != gaveUp && m.Answer != storeFailed:
			wrong.add(m.Key, "call %s came after the outcome was given, and was answered %q", m.Call, m.Answer)
		case m.Stored:
			given[m.Key] = true
		}
	}
	return wrong
}

func (e *evidence) allAnswered() []complaint {
	var wrong complaints
	open := map[string]move{}
	for _, m := range e.moves {
		if m.Answer == "" {
			open[m.Call] = m
			continue
		}
		delete(open, m.Call)
		if m.Answer == unexpected {
			wrong.add(m.Key, "call %s was told: %s", m.Call, m.Detail)
		}
	}
	for _, m := range open {
		if _, killed := e.killed[m.Worker]; !killed {
			wrong.add(m.Key, "call %s of %s was never answered", m.Call, m.Worker)
		}
	}
	if e.torn > len(e.killed) {
		wrong.add("all keys", "%d lines were broken off by %d kills", e.torn, len(e.killed))
	}
	return wrong
}
