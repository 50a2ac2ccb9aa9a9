package idemtest

import (
	"bytes"
	"context"
	"errors"
	"time"

	"github.com/idemgen/idemgen/idem"
)

// This file is the rules of Decide: what a person may decide about which claim, and that it holds.

// verdicts are, for each action and standing, the refusals without and with Force; 0: it is carried out.
var verdicts = map[idem.Action]map[idem.Standing][2]idem.RefusalKind{
	idem.ActionComplete: {
		idem.StandingRunning: {idem.RefusedLive, idem.RefusedLive}, idem.StandingLapsed: {}, idem.StandingNotHappened: {}, idem.StandingUnknown: {},
		idem.StandingDone: {idem.RefusedSettled, idem.RefusedSettled}, idem.StandingFailed: {idem.RefusedSettled, idem.RefusedSettled},
	},
	idem.ActionNotHappened: {
		idem.StandingRunning: {idem.RefusedLive, idem.RefusedLive}, idem.StandingLapsed: {}, idem.StandingUnknown: {},
		idem.StandingNotHappened: {idem.RefusedAlready, idem.RefusedAlready},
		idem.StandingDone:        {idem.RefusedSettled, idem.RefusedSettled}, idem.StandingFailed: {idem.RefusedSettled, idem.RefusedSettled},
	},
	idem.ActionHold: {
		idem.StandingRunning: {idem.RefusedForce, 0}, idem.StandingLapsed: {}, idem.StandingNotHappened: {},
		idem.StandingUnknown: {idem.RefusedAlready, idem.RefusedAlready},
		idem.StandingDone:    {idem.RefusedSettled, idem.RefusedSettled}, idem.StandingFailed: {idem.RefusedSettled, idem.RefusedSettled},
	},
	idem.ActionRelease: {
		idem.StandingRunning: {idem.RefusedLive, idem.RefusedLive}, idem.StandingLapsed: {idem.RefusedForce, 0},
		idem.StandingNotHappened: {idem.RefusedForce, 0}, idem.StandingUnknown: {idem.RefusedForce, 0},
		idem.StandingDone: {idem.RefusedForce, 0}, idem.StandingFailed: {idem.RefusedForce, 0},
	},
}

var decideRules = []rule{
	{"each action is for some claims only, and some need force", func(x *trial) {
		for action, of := range verdicts {
			for standing, refusals := range of {
				for i, refusal := range refusals {
					// how it came to stand so is a decision for one of them
					c := x.standing(ownOperation(), standing)
					d := x.decision(action, c.ID)
					d.Force = i == 1
					if standing == idem.StandingNotHappened && refusal != 0 {
						_, err := x.admin().Decide(x.ctx, d)
						if r, ok := errors.AsType[*idem.Refusal](err); !ok || r.Kind != refusal {
							x.Errorf("%s of a claim that is %s: %v", action, standing, err)
						}
						continue
					}
					if refusal != 0 {
						x.refused(d, refusal)
						continue
					}
					e := x.decide(d)
					check(x, "before", e.Before, standing)
					check(x, "after", e.After, x.stored(c.ID).Standing())
					check(x, "after", e.After, d.Becomes())
				}
			}
		}
	}},
	{"what was seen must still be so", func(x *trial) {
		for _, action := range []idem.Action{idem.ActionComplete, idem.ActionNotHappened, idem.ActionHold, idem.ActionRelease} {
			c := x.standing(ownOperation(), idem.StandingLapsed)
			d := x.decision(action, c.ID)
			other := d
			other.Seen.Owner = newOwner()
			x.refused(other, idem.RefusedChanged)
			other = d
			other.Seen.State = idem.StateUnknown
			x.refused(other, idem.RefusedChanged)
			check(x, "renewal", x.renewal(c.ID, c.Owner), idem.RenewalDone)
			if action != idem.ActionHold {
				x.refused(d, idem.RefusedLive) // a lease that is live again is no longer what was seen
			}
			check(x, "released", x.release(c.ID, c.Owner), true)
			x.refused(d, idem.RefusedGone)
		}
	}},
	{"a decision that says too little or too much changes nothing", func(x *trial) {
		for name, spoil := range map[string]func(*idem.Decision){
			"no token":       func(d *idem.Decision) { d.Token = idem.Token{} },
			"nobody":         func(d *idem.Decision) { d.Who = "" },
			"no reason":      func(d *idem.Decision) { d.Why = "" },
			"a long reason":  func(d *idem.Decision) { d.Why = string(bytes.Repeat([]byte("x"), 1001)) },
			"odd reason":     func(d *idem.Decision) { d.Why = "a\x00b" },
			"no codec":       func(d *idem.Decision) { d.Result.Codec = "" },
			"void and bytes": func(d *idem.Decision) { d.Result.Codec = "void" },
			"no action":      func(d *idem.Decision) { d.Action = "" },
			"a negative ttl": func(d *idem.Decision) { d.TTL = -1 },
			"a result":       func(d *idem.Decision) { d.Action = idem.ActionNotHappened },
		} {
			c := x.standing(ownOperation(), idem.StandingUnknown)
			d := x.decision(idem.ActionComplete, c.ID)
			spoil(&d)
			before := x.Row(x, c.ID)
			_, err := x.admin().Decide(x.ctx, d)
			if e, ok := errors.AsType[*idem.StoreError](err); !ok || e.Temporary || !e.NotApplied {
				x.Errorf("%s: %v", name, err)
			}
			x.still(before)
			check(x, "decisions written down", len(x.audit(idem.AuditFilter{Claim: c.ID})), 0)
		}
	}},
	{"a result that a person gives is an outcome like any other", func(x *trial) {
		for _, standing := range []idem.Standing{idem.StandingLapsed, idem.StandingUnknown, idem.StandingNotHappened} {
			c := x.standing(ownOperation(), standing)
			before := x.stored(c.ID)
			d := x.decision(idem.ActionComplete, c.ID)
			x.decide(d)
			row := x.claim(rival(c))
			x.isOutcome(row, idem.Outcome{
				Claim: idem.Claim{Owner: idem.Owner(d.Token)}, Attempt: before.Attempt, Fence: before.Fence, State: idem.StateDone, TTL: ttl,
				Codec: d.Result.Codec, Schema: d.Result.Schema, Result: d.Result.Data,
			})
			checkBytes(x, "fingerprint", row.Fingerprint, before.Fingerprint)
			x.within("kept", row.ExpiresAt.Sub(row.CompletedAt), ttl-time.Second, ttl+time.Second)
			x.Age(x, c.ID, ttl)
			check(x, "expired", x.stored(c.ID).Expired, true)
		}
	}},
	{"any bytes can be a result, and none; some are kept for good", func(x *trial) {
		for _, r := range []idem.StoredResult{
			{Codec: "void"}, {Codec: "none"}, {Codec: "json", Data: []byte("null")}, {Codec: "x", Schema: []byte{}, Data: []byte{0, 0xff, 0xfe}},
		} {
			c := x.standing(ownOperation(), idem.StandingUnknown)
			d := x.decision(idem.ActionComplete, c.ID)
			d.Result, d.TTL = r, idem.Forever
			x.decide(d)
			row := x.stored(c.ID)
			check(x, "state", row.State, idem.StateDone)
			check(x, "codec", row.Codec, r.Codec)
			checkBytes(x, "schema", row.Schema, r.Schema)
			checkBytes(x, "result", row.Result, r.Data)
			check(x, "expires at", row.ExpiresAt, time.Time{})
		}
	}},
	{"what did not happen is taken over by the next call, as one more attempt", func(x *trial) {
		for _, standing := range []idem.Standing{idem.StandingLapsed, idem.StandingUnknown} {
			c := x.standing(ownOperation(), standing)
			before := x.stored(c.ID)
			x.decide(x.decision(idem.ActionNotHappened, c.ID))
			free := x.stored(c.ID)
			check(x, "owner", free.Owner, idem.Owner{})
			check(x, "abandoned", free.Abandoned, true)
			check(x, "lapses", free.Lapses, 0)
			check(x, "attempt", free.Attempt, before.Attempt)
			checkBytes(x, "fingerprint", free.Fingerprint, before.Fingerprint)
			x.unchanged(free, x.claim(rival(c))) // a claim sees it
			next := rival(c)
			row := x.takeOver(next, free.Owner)
			check(x, "owner", row.Owner, next.Owner)
			check(x, "attempt", row.Attempt, before.Attempt+1)
			check(x, "lapses", row.Lapses, 0)
			check(x, "abandoned", row.Abandoned, false)
			checkBytes(x, "fingerprint", row.Fingerprint, before.Fingerprint)
			x.greater("fence", row.Fence, before.Fence)
			check(x, "owner", x.takeOver(rival(c), free.Owner).Owner, next.Owner) // it was only for one
		}
	}},
	{"what did not happen binds its key for the TTL, and no longer", func(x *trial) {
		c := x.standing(ownOperation(), idem.StandingUnknown)
		x.decide(x.decision(idem.ActionNotHappened, c.ID))
		x.Age(x, c.ID, ttl-time.Minute)
		check(x, "expired", x.stored(c.ID).Expired, false)
		x.Age(x, c.ID, time.Minute)
		check(x, "expired", x.stored(c.ID).Expired, true)
		next := rival(c)
		row := x.reclaim(next, idem.Owner{})
		check(x, "owner", row.Owner, next.Owner)
		check(x, "attempt", row.Attempt, 1)

		forever := x.standing(ownOperation(), idem.StandingUnknown)
		d := x.decision(idem.ActionNotHappened, forever.ID)
		d.TTL = idem.Forever
		x.decide(d)
		x.Age(x, forever.ID, century)
		check(x, "expired", x.stored(forever.ID).Expired, false)
	}},
	{"a released claim is gone, and the next call is the first", func(x *trial) {
		c := x.standing(ownOperation(), idem.StandingDone)
		x.decide(x.decision(idem.ActionRelease, c.ID))
		check(x, "state", x.Row(x, c.ID).State, idem.StateAbsent)
		next := rival(c)
		row := x.claim(next)
		check(x, "owner", row.Owner, next.Owner)
		check(x, "attempt", row.Attempt, 1)
		checkBytes(x, "fingerprint", row.Fingerprint, next.Fingerprint)
	}},
	{"a cancelled decision ends, and nothing is half done", func(x *trial) {
		c := x.standing(ownOperation(), idem.StandingUnknown)
		ctx, cancel := context.WithCancel(x.ctx)
		cancel()
		if _, err := x.admin().Decide(ctx, x.decision(idem.ActionNotHappened, c.ID)); err == nil {
			x.Error("it was carried out")
		}
		check(x, "state", x.Row(x, c.ID).State, idem.StateUnknown)
		check(x, "decisions written down", len(x.audit(idem.AuditFilter{Claim: c.ID})), 0)
	}},
}
