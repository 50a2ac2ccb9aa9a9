package idemtest

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/idemgen/idemgen/idem"
)

// This file is the rules of what comes after a decision: a run that comes back late, the decision sent again, what is written down, and
// decisions that meet others.

// lateSteps are what a run can send that does not know of the decision; each reports whether it changed something.
var lateSteps = map[string]func(x *trial, c idem.Claim, row idem.Row) bool{
	"complete": func(x *trial, c idem.Claim, row idem.Row) bool { return x.complete(done(c, row)).Owner == c.Owner },
	"fail":     func(x *trial, c idem.Claim, row idem.Row) bool { return x.complete(failed(c, row)).Owner == c.Owner },
	"release":  func(x *trial, c idem.Claim, _ idem.Row) bool { return x.release(c.ID, c.Owner) },
	"renew":    func(x *trial, c idem.Claim, _ idem.Row) bool { return x.renewal(c.ID, c.Owner) != idem.RenewalLost },
	"abandon": func(x *trial, c idem.Claim, _ idem.Row) bool {
		return x.abandon(idem.Abandonment{ID: c.ID, Owner: c.Owner, Next: newOwner(), Lapse: true})
	},
	"take over": func(x *trial, c idem.Claim, _ idem.Row) bool {
		next := rival(c)
		return x.takeOver(next, c.Owner).Owner == next.Owner
	},
	"hold": func(x *trial, c idem.Claim, _ idem.Row) bool { return x.hold(c.ID, c.Owner).Owner == c.Owner },
}

var lateOwnerRules = []rule{
	{"a run that comes back after the decision changes nothing", func(x *trial) {
		for name, step := range lateSteps {
			for _, action := range []idem.Action{idem.ActionComplete, idem.ActionNotHappened} {
				for _, standing := range []idem.Standing{idem.StandingLapsed, idem.StandingUnknown} {
					c := x.standing(ownOperation(), standing)
					row := x.stored(c.ID)
					x.decide(x.decision(action, c.ID))
					decided := x.Row(x, c.ID)
					if step(x, c, row) {
						x.Errorf("%s has undone the decision %s", name, action)
					}
					x.still(decided)
				}
			}
		}
	}},
	{"a live claim that is held by force is its run's no longer", func(x *trial) {
		for name, step := range lateSteps {
			c := x.standing(ownOperation(), idem.StandingRunning)
			row := x.stored(c.ID)
			x.decide(x.decision(idem.ActionHold, c.ID))
			decided := x.Row(x, c.ID)
			check(x, "state", decided.State, idem.StateUnknown)
			if step(x, c, row) {
				x.Errorf("%s has undone the decision", name)
			}
			x.still(decided)
		}
	}},
	{"a lapsed claim that is held is still settled by its run", func(x *trial) {
		for _, force := range []bool{false, true} {
			c := x.standing(ownOperation(), idem.StandingLapsed)
			d := x.decision(idem.ActionHold, c.ID)
			d.Force = force
			x.decide(d)
			check(x, "standing", x.stored(c.ID).Standing(), idem.StandingUnknown)
			o := done(c, x.stored(c.ID))
			x.isOutcome(x.complete(o), o)
		}
	}},
	{"a result whose row was released is stored: it is true", func(x *trial) {
		c := x.standing(ownOperation(), idem.StandingUnknown)
		o := done(c, x.stored(c.ID))
		x.decide(x.decision(idem.ActionRelease, c.ID))
		x.isOutcome(x.complete(o), o)
	}},
}

var sentAgainRules = []rule{
	{"a decision sent again is carried out once, whatever the row has become", func(x *trial) {
		for _, action := range []idem.Action{idem.ActionComplete, idem.ActionNotHappened, idem.ActionHold, idem.ActionRelease} {
			c := x.standing(ownOperation(), idem.StandingLapsed)
			d := x.decision(action, c.ID)
			first := x.decide(d)
			decided := x.Row(x, c.ID)
			check(x, "the entry", x.decide(d), first)
			x.still(decided)
			switch action {
			case idem.ActionNotHappened:
				next := rival(c)
				x.takeOver(next, idem.Owner{})
				x.complete(done(next, x.stored(c.ID)))
			case idem.ActionRelease:
				x.claim(rival(c))
			}
			now := x.Row(x, c.ID)
			check(x, "the entry", x.decide(d), first)
			x.still(now)
			check(x, "decisions written down", len(x.audit(idem.AuditFilter{Claim: c.ID})), 1)
		}
	}},
	{"a decision that was refused may be sent again", func(x *trial) {
		c := x.standing(ownOperation(), idem.StandingRunning)
		d := x.decision(idem.ActionNotHappened, c.ID)
		x.refused(d, idem.RefusedLive)
		x.Age(x, c.ID, lease+time.Minute)
		check(x, "before", x.decide(d).Before, idem.StandingLapsed)
	}},
}

var auditRules = []rule{
	{"it is written down who did what to which claim, when, and why", func(x *trial) {
		c := x.standing(ownOperation(), idem.StandingUnknown)
		now := x.list(idem.ClaimFilter{ID: c.ID.String()}).Now
		d := x.decision(idem.ActionComplete, c.ID)
		d.Force = true
		e := x.decide(d)
		entries := x.audit(idem.AuditFilter{Claim: c.ID})
		if len(entries) != 1 {
			x.Fatalf("%d entries", len(entries))
		}
		check(x, "the entry", entries[0], e)
		x.isRef(e.Ref, c.Ref)
		x.within("since", e.At.Sub(now), 0, patience)
		e.At, e.Ref = time.Time{}, idem.Ref{}
		check(x, "the entry", e, idem.AuditEntry{
			Token: d.Token, Who: d.Who, Why: d.Why, Action: d.Action, Force: true, Claim: c.ID,
			Before: idem.StandingUnknown, After: idem.StandingDone, Owner: c.Owner, Attempt: 1, Codec: "json",
		})
	}},
	{"decisions outlive their claims, are listed the last one in front, and in parts", func(x *trial) {
		operation := ownOperation()
		var tokens []idem.Token
		for range 5 {
			c := x.standing(operation, idem.StandingLapsed)
			d := x.decision(idem.ActionRelease, c.ID)
			x.decide(d)
			tokens = append(tokens, d.Token)
		}
		f := idem.AuditFilter{Operation: operation, Limit: 2}
		for n := len(tokens); n > 0; {
			entries := x.audit(f)
			check(x, "entries in a part", len(entries), min(n, 2))
			if len(entries) == 0 || len(entries) > n {
				break
			}
			for _, e := range entries {
				n--
				check(x, "token", e.Token, tokens[n])
				f.After = idem.AuditCursor{At: e.At, Token: e.Token}
			}
		}
		check(x, "entries behind the last", len(x.audit(f)), 0)
	}},
}

var meetRules = []rule{
	{"of several people who decide at once one succeeds, and the others are told", func(x *trial) {
		for range 8 {
			c := x.standing(ownOperation(), idem.StandingUnknown)
			var won atomic.Int32
			decisions := []idem.Decision{
				x.decision(idem.ActionComplete, c.ID), x.decision(idem.ActionNotHappened, c.ID),
				x.decision(idem.ActionRelease, c.ID), x.decision(idem.ActionComplete, c.ID),
			}
			Callers(x, len(decisions), func(i int) {
				err := unlocked(func() error {
					_, err := x.admin().Decide(x.ctx, decisions[i])
					return err
				})
				switch r, ok := errors.AsType[*idem.Refusal](err); {
				case err == nil:
					won.Add(1)
				case !ok || r.Kind != idem.RefusedChanged && r.Kind != idem.RefusedGone:
					x.Errorf("the slower one: %v", err)
				}
			})
			check(x, "who succeeded", won.Load(), 1)
			check(x, "decisions written down", len(x.audit(idem.AuditFilter{Claim: c.ID})), 1)
		}
	}},
	{"a person and a run that comes back: one of them settles the claim", func(x *trial) {
		for i := range 12 {
			c := x.standing(ownOperation(), idem.StandingUnknown)
			o := done(c, x.stored(c.ID))
			d := x.decision([]idem.Action{idem.ActionComplete, idem.ActionNotHappened}[i%2], c.ID)
			var decided, completed bool
			Callers(x, 2, func(i int) {
				if i == 0 {
					err := unlocked(func() error {
						_, err := x.admin().Decide(x.ctx, d)
						return err
					})
					r, ok := errors.AsType[*idem.Refusal](err)
					if decided = err == nil; !decided && (!ok || r.Kind != idem.RefusedChanged && r.Kind != idem.RefusedSettled) {
						x.Errorf("the person: %v", err)
					}
					return
				}
				row := x.complete(o)
				completed = row.State == idem.StateDone && row.Owner == c.Owner
			})
			check(x, "both or none", decided == completed, false)
			row := x.stored(c.ID)
			check(x, "the run's", row.Owner == c.Owner, completed)
		}
	}},
	{"somebody's open transaction is not waited for forever, and then the decision is carried out", func(x *trial) {
		c := x.standing(ownOperation(), idem.StandingUnknown)
		d := x.decision(idem.ActionNotHappened, c.ID)
		unlock := x.Lock(x, c.ID)
		check(x, "standing", x.listed(c.ID).Standing(), idem.StandingUnknown) // who looks does not wait
		ctx, cancel := context.WithTimeout(x.ctx, 100*time.Millisecond)
		_, err := x.admin().Decide(ctx, d)
		cancel()
		if e, ok := errors.AsType[*idem.StoreError](err); !ok || !e.Temporary {
			x.Errorf("got %v", err)
		}
		unlock()
		x.decide(d)
		check(x, "standing", x.stored(c.ID).Standing(), idem.StandingNotHappened)
		check(x, "decisions written down", len(x.audit(idem.AuditFilter{Claim: c.ID})), 1)
	}},
}
