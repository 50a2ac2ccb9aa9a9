package idemtest

import (
	"time"

	"github.com/idemgen/idemgen/idem"
)

// This file is the rules of Release and Abandon: how a run ends that has no outcome.

var releaseRules = []rule{
	{"a running row is released by its owner, and gone", func(x *trial) {
		c, _ := x.won()
		rows := x.Count(x)
		check(x, "released", x.release(c.ID, c.Owner), true)
		check(x, "state", x.stored(c.ID).State, idem.StateAbsent)
		check(x, "state", x.Row(x, c.ID).State, idem.StateAbsent)
		check(x, "rows", x.Count(x), rows-1)
	}},
	{"a lapsed row that nobody took is released", func(x *trial) {
		c, _ := x.lapsed()
		check(x, "released", x.release(c.ID, c.Owner), true)
		check(x, "state", x.Row(x, c.ID).State, idem.StateAbsent)
	}},
	{"B8: another owner's row is not released", func(x *trial) {
		c, row := x.won()
		check(x, "released", x.release(c.ID, newOwner()), false)
		x.still(row)
	}},
	{"an outcome is not released", func(x *trial) {
		c, outcome := x.settled()
		check(x, "released", x.release(c.ID, c.Owner), false)
		x.still(outcome)
	}},
	{"what somebody held is released by its owner, who knows", func(x *trial) {
		held := x.held()
		check(x, "released", x.release(held.ID, newOwner()), false)
		check(x, "state", x.Row(x, held.ID).State, idem.StateUnknown)
		check(x, "released", x.release(held.ID, held.Owner), true)
		check(x, "state", x.Row(x, held.ID).State, idem.StateAbsent)
	}},
	{"a release sent again does nothing, also when the row was claimed anew", func(x *trial) {
		c, _ := x.won()
		check(x, "released", x.release(c.ID, c.Owner), true)
		check(x, "released", x.release(c.ID, c.Owner), false)
		row := x.claim(rival(c))
		check(x, "released", x.release(c.ID, c.Owner), false)
		x.still(row)
	}},
}

var abandonRules = []rule{
	{"an abandoned row lapses at once, and its owner is replaced", func(x *trial) {
		c, before := x.won()
		a := idem.Abandonment{ID: c.ID, Owner: c.Owner, Next: newOwner()}
		check(x, "abandoned", x.abandon(a), true)
		row := x.stored(c.ID)
		x.isAbandoned(row, a, before)
		check(x, "lapses", row.Lapses, 0)
		x.still(row)
	}},
	{"abandoning counts a lapse when it is told to", func(x *trial) {
		c, before := x.won()
		a := idem.Abandonment{ID: c.ID, Owner: c.Owner, Next: newOwner(), Lapse: true}
		check(x, "abandoned", x.abandon(a), true)
		row := x.stored(c.ID)
		x.isAbandoned(row, a, before)
		check(x, "lapses", row.Lapses, 1)
	}},
	{"abandoning with Hold makes the row unknown, its owner replaced", func(x *trial) {
		for _, lapse := range []bool{false, true} {
			c, before := x.won()
			a := idem.Abandonment{ID: c.ID, Owner: c.Owner, Next: newOwner(), Hold: true, Lapse: lapse}
			check(x, "abandoned", x.abandon(a), true)
			row := x.stored(c.ID)
			check(x, "state", row.State, idem.StateUnknown)
			check(x, "owner", row.Owner, a.Next)
			check(x, "attempt", row.Attempt, before.Attempt)
			check(x, "lapses", row.Lapses, map[bool]int{false: 0, true: 1}[lapse])
			check(x, "abandoned", row.Abandoned, false)
			checkBytes(x, "fingerprint", row.Fingerprint, before.Fingerprint)
			x.still(row)
		}
	}},
	{"a lapsed row that nobody took is abandoned", func(x *trial) {
		c, before := x.lapsed()
		a := idem.Abandonment{ID: c.ID, Owner: c.Owner, Next: newOwner(), Lapse: true}
		check(x, "abandoned", x.abandon(a), true)
		x.isAbandoned(x.stored(c.ID), a, before)
	}},
	{"an abandonment sent again changes nothing more", func(x *trial) {
		for _, hold := range []bool{false, true} {
			c, _ := x.won()
			a := idem.Abandonment{ID: c.ID, Owner: c.Owner, Next: newOwner(), Lapse: true, Hold: hold}
			check(x, "abandoned", x.abandon(a), true)
			row := x.stored(c.ID)
			x.abandon(a)
			x.still(row)
			check(x, "abandoned", x.stored(c.ID).Abandoned, row.Abandoned)
		}
	}},
	{"what was never started is expired, and in the way of a claim that comes late", func(x *trial) {
		for _, held := range []bool{false, true} {
			c, _ := x.won()
			if held {
				x.Age(x, c.ID, lease+time.Minute)
				x.hold(c.ID, c.Owner)
			}
			a := idem.Abandonment{ID: c.ID, Owner: c.Owner, Next: newOwner(), Expire: true}
			check(x, "abandoned", x.abandon(a), true)
			row := x.stored(c.ID)
			check(x, "state", row.State, idem.StateRunning)
			check(x, "owner", row.Owner, a.Next)
			check(x, "expired", row.Expired, true)
			check(x, "lapses", row.Lapses, 0)
			x.unchanged(row, x.claim(c))
			check(x, "renewal", x.renewal(c.ID, c.Owner), idem.RenewalLost)
			x.abandon(a)
			x.unchanged(row, x.stored(c.ID))
			next := rival(c)
			check(x, "the next owner's attempt", x.reclaim(next, a.Next).Attempt, 1)
		}
	}},
	{"what somebody held stays unknown when its owner abandons it, and is not his any more", func(x *trial) {
		held := x.held()
		a := idem.Abandonment{ID: held.ID, Owner: held.Owner, Next: newOwner(), Lapse: true}
		check(x, "abandoned", x.abandon(a), true)
		row := x.stored(held.ID)
		check(x, "state", row.State, idem.StateUnknown)
		check(x, "owner", row.Owner, a.Next)
		check(x, "lapses", row.Lapses, 1)
		check(x, "abandoned", row.Abandoned, false)
		check(x, "renewal", x.renewal(held.ID, held.Owner), idem.RenewalLost)
		x.still(row)
	}},
	{"another owner's row is not abandoned, nor is an outcome", func(x *trial) {
		c, row := x.won()
		check(x, "abandoned", x.abandon(idem.Abandonment{ID: c.ID, Owner: newOwner(), Next: newOwner(), Lapse: true}), false)
		x.still(row)
		outcome := x.complete(done(c, row))
		check(x, "abandoned", x.abandon(idem.Abandonment{ID: c.ID, Owner: c.Owner, Next: newOwner(), Hold: true}), false)
		x.still(outcome)
		absent := x.fresh()
		check(x, "abandoned", x.abandon(idem.Abandonment{ID: absent.ID, Owner: absent.Owner, Next: newOwner()}), false)
	}},
	{"what was given up can't be had back: late renewal, result and release change nothing", func(x *trial) {
		for _, hold := range []bool{false, true} {
			c, before := x.won()
			check(x, "abandoned", x.abandon(idem.Abandonment{ID: c.ID, Owner: c.Owner, Next: newOwner(), Hold: hold}), true)
			row := x.stored(c.ID)
			check(x, "renewal", x.renewal(c.ID, c.Owner), idem.RenewalLost)
			x.unchanged(row, x.complete(done(c, before)))
			check(x, "released", x.release(c.ID, c.Owner), false)
			x.still(row)
			check(x, "lapsed", x.stored(c.ID).Lapsed, row.Lapsed)
		}
	}},
}

// isAbandoned checks a running row that a has ended.
func (x *trial) isAbandoned(row idem.Row, a idem.Abandonment, before idem.Row) {
	x.Helper()
	check(x, "state", row.State, idem.StateRunning)
	check(x, "abandoned", row.Abandoned, true)
	check(x, "lapsed", row.Lapsed, true)
	check(x, "owner", row.Owner, a.Next)
	check(x, "attempt", row.Attempt, before.Attempt)
	x.within("lease left", row.LeaseLeft, -time.Minute-lease, 0)
	checkBytes(x, "fingerprint", row.Fingerprint, before.Fingerprint)
	x.hasNoOutcome(row)
}
