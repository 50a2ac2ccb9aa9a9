package idemtest

import (
	"time"

	"github.com/idemgen/idemgen/idem"
)

// This file is the rules of Reclaim: an expired row starts over, whatever it was.

var reclaimRules = []rule{
	{"an expired success starts over as a first attempt", func(x *trial) {
		c, outcome := x.settled()
		x.Age(x, c.ID, ttl+time.Minute)
		x.startsOver(c, outcome)
	}},
	{"an expired failure starts over as a first attempt", func(x *trial) {
		c, row := x.won()
		outcome := x.complete(failed(c, row))
		x.Age(x, c.ID, ttl+time.Minute)
		x.startsOver(c, outcome)
	}},
	{"a running row past its Keep starts over, its lapses forgotten", func(x *trial) {
		c, _ := x.lapsed()
		next := rival(c)
		next.Keep = keep
		row := x.takeOver(next, c.Owner)
		check(x, "lapses", row.Lapses, 1)
		x.Age(x, c.ID, lease+keep+time.Minute)
		x.startsOver(next, row)
	}},
	{"an abandoned row past its Keep starts over", func(x *trial) {
		c := x.fresh()
		c.Keep = keep
		x.claim(c)
		a := idem.Abandonment{ID: c.ID, Owner: c.Owner, Next: newOwner(), Lapse: true}
		check(x, "abandoned", x.abandon(a), true)
		x.Age(x, c.ID, lease+keep+time.Minute)
		c.Owner = a.Next
		x.startsOver(c, x.stored(c.ID))
	}},
	{"the new owner's Keep replaces the old one", func(x *trial) {
		c := x.fresh()
		c.Keep = keep
		x.claim(c)
		x.Age(x, c.ID, lease+keep+time.Minute)
		next := rival(c)
		next.Keep = 0
		check(x, "owner", x.reclaim(next, c.Owner).Owner, next.Owner)
		x.Age(x, c.ID, century)
		check(x, "expired", x.stored(c.ID).Expired, false)
	}},
	{"what has not expired does not start over", func(x *trial) {
		c, outcome := x.settled()
		x.Age(x, c.ID, ttl-time.Minute)
		x.unchanged(outcome, x.reclaim(rival(c), c.Owner))
		x.still(outcome)
		kept := x.fresh()
		kept.Keep = keep
		running := x.claim(kept)
		x.Age(x, kept.ID, lease+keep-time.Minute)
		x.unchanged(running, x.reclaim(rival(kept), kept.Owner))
		x.still(running)
	}},
	{"evidence and what is kept for good never start over", func(x *trial) {
		running, row := x.won()
		x.Age(x, running.ID, century)
		x.unchanged(row, x.reclaim(rival(running), running.Owner))
		held := x.held()
		x.Age(x, held.ID, century)
		check(x, "state", x.reclaim(rival(held), held.Owner).State, idem.StateUnknown)
		c, won := x.won()
		forever := done(c, won)
		forever.TTL = idem.Forever
		outcome := x.complete(forever)
		x.Age(x, c.ID, century)
		x.unchanged(outcome, x.reclaim(rival(c), c.Owner))
		x.still(outcome)
	}},
	{"a reclaim that saw another owner changes nothing", func(x *trial) {
		c, outcome := x.settled()
		x.Age(x, c.ID, ttl+time.Minute)
		x.unchanged(outcome, x.reclaim(rival(c), newOwner()))
		x.still(outcome)
	}},
	{"a reclaim sent again by its owner is still his", func(x *trial) {
		c, _ := x.settled()
		x.Age(x, c.ID, ttl+time.Minute)
		next := rival(c)
		x.unchanged(x.reclaim(next, c.Owner), x.reclaim(next, c.Owner))
	}},
	{"a row that is gone is told, not made", func(x *trial) {
		absent := x.fresh()
		check(x, "state", x.reclaim(absent, newOwner()).State, idem.StateAbsent)
		check(x, "state", x.Row(x, absent.ID).State, idem.StateAbsent)
	}},
	{"a row that started over is a claim like any other", func(x *trial) {
		c, _ := x.settled()
		x.Age(x, c.ID, ttl+time.Minute)
		next := rival(c)
		row := x.reclaim(next, c.Owner)
		x.unchanged(row, x.complete(done(c, row)))
		o := done(next, row)
		x.isOutcome(x.complete(o), o)
	}},
}

// startsOver reclaims the expired row of c, and checks that nothing is left of what it was.
func (x *trial) startsOver(c idem.Claim, before idem.Row) {
	x.Helper()
	check(x, "expired", x.stored(c.ID).Expired, true)
	next := rival(c)
	row := x.reclaim(next, c.Owner)
	x.isFirstAttempt(next, row)
	x.isFirstAttempt(next, x.stored(c.ID))
	x.greater("fence", row.Fence, before.Fence)
	x.still(row)
}
