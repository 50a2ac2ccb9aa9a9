package idemtest

import (
	"time"

	"github.com/idemgen/idemgen/idem"
)

// This file is the rules of TakeOver and HoldLapsed: what may become of a running row whose owner is not the caller.

var takeOverRules = []rule{
	{"a lapsed claim goes to a call that saw its owner", func(x *trial) {
		c, before := x.lapsed()
		next := rival(c)
		row := x.takeOver(next, c.Owner)
		x.isTakenOver(row, next, before)
		check(x, "lapses", row.Lapses, 1)
		x.still(row)
		x.unchanged(row, x.stored(c.ID))
	}},
	{"a claim that is live is not taken over", func(x *trial) {
		c, before := x.won()
		x.unchanged(before, x.takeOver(rival(c), c.Owner))
		x.still(before)
	}},
	{"a take-over that saw another owner changes nothing", func(x *trial) {
		c, before := x.lapsed()
		x.unchanged(before, x.takeOver(rival(c), newOwner()))
		x.still(before)
	}},
	{"a take-over tests again that the lease has lapsed: it may have been renewed since", func(x *trial) {
		c, before := x.lapsed()
		check(x, "renewal", x.renewal(c.ID, c.Owner), idem.RenewalDone)
		x.unchanged(before, x.takeOver(rival(c), c.Owner))
		x.still(before)
	}},
	{"a take-over sent again by its owner is still his, and counted once", func(x *trial) {
		c, _ := x.lapsed()
		next := rival(c)
		row := x.takeOver(next, c.Owner)
		again := x.takeOver(next, c.Owner)
		x.unchanged(row, again)
		check(x, "attempt", again.Attempt, 2)
	}},
	{"every lapse is counted", func(x *trial) {
		c, _ := x.lapsed()
		seen := c.Owner
		for lapses := 1; lapses <= 3; lapses++ {
			next := rival(c)
			row := x.takeOver(next, seen)
			check(x, "attempt", row.Attempt, lapses+1)
			check(x, "lapses", row.Lapses, lapses)
			x.Age(x, c.ID, lease+time.Minute)
			seen = next.Owner
		}
	}},
	{"taking over an abandoned row counts no further lapse, and ends its being abandoned", func(x *trial) {
		for _, lapse := range []bool{false, true} {
			c, before := x.won()
			a := idem.Abandonment{ID: c.ID, Owner: c.Owner, Next: newOwner(), Lapse: lapse}
			check(x, "abandoned", x.abandon(a), true)
			next := rival(c)
			row := x.takeOver(next, a.Next)
			x.isTakenOver(row, next, before)
			check(x, "lapses", row.Lapses, map[bool]int{false: 0, true: 1}[lapse])
			x.Age(x, c.ID, lease+time.Minute)
			check(x, "lapses after the next take-over", x.takeOver(rival(c), next.Owner).Lapses, row.Lapses+1)
		}
	}},
	{"the owner before is late for good", func(x *trial) {
		c, before := x.lapsed()
		next := rival(c)
		row := x.takeOver(next, c.Owner)
		x.unchanged(row, x.complete(done(c, before)))
		check(x, "released", x.release(c.ID, c.Owner), false)
		check(x, "abandoned", x.abandon(idem.Abandonment{ID: c.ID, Owner: c.Owner, Next: newOwner()}), false)
		check(x, "renewal", x.renewal(c.ID, c.Owner), idem.RenewalLost)
		x.unchanged(row, x.hold(c.ID, c.Owner))
		x.still(row)
	}},
	{"what is not running is not taken over", func(x *trial) {
		c, outcome := x.settled()
		x.Age(x, c.ID, century)
		x.unchanged(outcome, x.takeOver(rival(c), c.Owner))
		held := x.held()
		x.Age(x, held.ID, century)
		check(x, "state", x.takeOver(rival(held), held.Owner).State, idem.StateUnknown)
		absent := x.fresh()
		check(x, "state", x.takeOver(absent, newOwner()).State, idem.StateAbsent)
		check(x, "state", x.Row(x, absent.ID).State, idem.StateAbsent)
	}},
	{"the new owner's Keep counts from his own lease", func(x *trial) {
		c, _ := x.lapsed()
		next := rival(c)
		next.Keep = keep
		x.takeOver(next, c.Owner)
		x.Age(x, c.ID, lease+keep-time.Minute)
		check(x, "expired", x.stored(c.ID).Expired, false)
		x.Age(x, c.ID, time.Minute)
		check(x, "expired", x.stored(c.ID).Expired, true)
	}},
}

// isTakenOver checks a row that next has just taken over.
func (x *trial) isTakenOver(row idem.Row, next idem.Claim, before idem.Row) {
	x.Helper()
	check(x, "state", row.State, idem.StateRunning)
	check(x, "owner", row.Owner, next.Owner)
	check(x, "attempt", row.Attempt, before.Attempt+1)
	x.greater("fence", row.Fence, before.Fence)
	checkBytes(x, "fingerprint", row.Fingerprint, before.Fingerprint)
	check(x, "abandoned", row.Abandoned, false)
	check(x, "lapsed", row.Lapsed, false)
	check(x, "expired", row.Expired, false)
	x.within("lease left", row.LeaseLeft, lease-time.Minute, lease)
	if row.ClaimedAt.Before(before.ClaimedAt) {
		x.Error("claimed at is not that of the present attempt")
	}
	x.isRef(row.Ref, next.Ref)
	x.hasNoOutcome(row)
}

var holdRules = []rule{
	{"a lapsed claim is held, and its owner stays", func(x *trial) {
		c, before := x.lapsed()
		row := x.hold(c.ID, c.Owner)
		check(x, "state", row.State, idem.StateUnknown)
		check(x, "owner", row.Owner, c.Owner)
		check(x, "attempt", row.Attempt, before.Attempt)
		check(x, "fence", row.Fence, before.Fence)
		checkBytes(x, "fingerprint", row.Fingerprint, before.Fingerprint)
		check(x, "lapsed", row.Lapsed, false)
		x.hasNoOutcome(row)
		x.still(row)
	}},
	{"a claim that is live is not held", func(x *trial) {
		c, before := x.won()
		x.unchanged(before, x.hold(c.ID, c.Owner))
		x.still(before)
	}},
	{"a hold that saw another owner changes nothing", func(x *trial) {
		c, before := x.lapsed()
		x.unchanged(before, x.hold(c.ID, newOwner()))
		x.still(before)
	}},
	{"a hold tests again that the lease has lapsed", func(x *trial) {
		c, before := x.lapsed()
		check(x, "renewal", x.renewal(c.ID, c.Owner), idem.RenewalDone)
		x.unchanged(before, x.hold(c.ID, c.Owner))
		x.still(before)
	}},
	{"a hold sent again changes nothing more", func(x *trial) {
		c, _ := x.lapsed()
		x.unchanged(x.hold(c.ID, c.Owner), x.hold(c.ID, c.Owner))
	}},
	{"an abandoned claim can be held", func(x *trial) {
		c, _ := x.won()
		a := idem.Abandonment{ID: c.ID, Owner: c.Owner, Next: newOwner()}
		check(x, "abandoned", x.abandon(a), true)
		row := x.hold(c.ID, a.Next)
		check(x, "state", row.State, idem.StateUnknown)
		check(x, "abandoned", row.Abandoned, false)
	}},
	{"what is not running is not held", func(x *trial) {
		c, outcome := x.settled()
		x.Age(x, c.ID, century)
		x.unchanged(outcome, x.hold(c.ID, c.Owner))
		absent := x.fresh()
		check(x, "state", x.hold(absent.ID, newOwner()).State, idem.StateAbsent)
	}},
	{"a held row is evidence: it never expires", func(x *trial) {
		c := x.fresh()
		c.Keep = keep
		x.claim(c)
		x.Age(x, c.ID, lease+time.Minute)
		x.hold(c.ID, c.Owner)
		x.Age(x, c.ID, century)
		row := x.stored(c.ID)
		check(x, "state", row.State, idem.StateUnknown)
		check(x, "expired", row.Expired, false)
	}},
}
