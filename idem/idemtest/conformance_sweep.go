package idemtest

import (
	"time"

	"github.com/idemgen/idemgen/idem"
)

// This file is the rules of Sweep: what has expired goes, what is evidence stays.

// grace is what rows must be past their expiry by.
const grace = time.Hour

var sweepRules = []rule{
	{"outcomes go when they are past their expiry by the grace, and not before", func(x *trial) {
		a, row := x.won()
		x.complete(done(a, row))
		b, row := x.won()
		x.complete(failed(b, row))
		for _, c := range []idem.Claim{a, b} {
			x.Age(x, c.ID, ttl+grace-time.Minute)
		}
		x.sweepAll(100, grace)
		x.has(a.ID, b.ID)
		for _, c := range []idem.Claim{a, b} {
			x.Age(x, c.ID, time.Minute)
		}
		check(x, "deleted", x.sweepAll(100, grace), 2)
		x.hasNot(a.ID, b.ID)
	}},
	{"no grace: what has expired goes at once, what has not stays", func(x *trial) {
		old, _ := x.settled()
		x.Age(x, old.ID, ttl)
		young, _ := x.settled()
		x.Age(x, young.ID, ttl-time.Minute)
		x.sweepAll(100, 0)
		x.hasNot(old.ID)
		x.has(young.ID)
	}},
	{"running rows with Keep go, lapsed or abandoned, when past it by the grace", func(x *trial) {
		lapsed, abandoned := x.fresh(), x.fresh()
		lapsed.Keep, abandoned.Keep = keep, keep
		x.claim(lapsed)
		x.claim(abandoned)
		x.abandon(idem.Abandonment{ID: abandoned.ID, Owner: abandoned.Owner, Next: newOwner()})
		x.Age(x, lapsed.ID, lease+keep+grace-time.Minute)
		x.Age(x, abandoned.ID, keep+grace-time.Minute)
		x.sweepAll(100, grace)
		x.has(lapsed.ID, abandoned.ID)
		x.Age(x, lapsed.ID, time.Minute)
		x.Age(x, abandoned.ID, time.Minute)
		x.sweepAll(100, grace)
		x.hasNot(lapsed.ID, abandoned.ID)
	}},
	{"C5: evidence stays, however old: live claims, lapsed ones without Keep, held ones, outcomes kept for good", func(x *trial) {
		live, _ := x.won()
		lapsed, _ := x.won()
		held := x.fresh()
		held.Keep = keep
		x.claim(held)
		x.Age(x, held.ID, lease+time.Minute)
		x.hold(held.ID, held.Owner)
		forever, row := x.won()
		o := done(forever, row)
		o.TTL = idem.Forever
		x.complete(o)
		for _, c := range []idem.Claim{lapsed, held, forever} {
			x.Age(x, c.ID, century)
		}
		x.sweepAll(100, 0)
		x.has(live.ID, lapsed.ID, held.ID, forever.ID)
	}},
	{"a row that a renewal moved on stays", func(x *trial) {
		c := x.fresh()
		c.Keep = keep
		x.claim(c)
		x.Age(x, c.ID, lease+keep+grace+time.Minute)
		check(x, "renewal", x.renewal(c.ID, c.Owner), idem.RenewalDone)
		x.sweepAll(100, 0)
		x.has(c.ID)
	}},
	{"bounded steps reach every row, between rows that stay", func(x *trial) {
		var dead, alive []idem.ID
		for i := range 300 {
			c := x.fresh()
			c.Keep = keep
			x.claim(c)
			if i%3 == 0 {
				alive = append(alive, c.ID)
				continue
			}
			x.Age(x, c.ID, lease+keep+time.Minute)
			dead = append(dead, c.ID)
		}
		first, err := x.Store.Sweep(x.ctx, idem.SweepBatch{Limit: 1})
		x.must(StepSweep, err)
		if first.Deleted >= len(dead) {
			x.Errorf("one step of about one row deleted %d", first.Deleted)
		}
		check(x, "deleted", first.Deleted+x.sweepAll(10, 0), len(dead))
		x.hasNot(dead...)
		x.has(alive...)
	}},
	{"a second sweep finds nothing", func(x *trial) {
		c, _ := x.settled()
		x.Age(x, c.ID, ttl)
		x.sweepAll(100, 0)
		check(x, "deleted", x.sweepAll(100, 0), 0)
	}},
}

// sweepAll takes steps from the beginning to the end, and returns how many rows they deleted.
func (x *trial) sweepAll(limit int, grace time.Duration) (deleted int) {
	x.Helper()
	before := x.Count(x)
	batch := idem.SweepBatch{Limit: limit, Grace: grace}
	for range 10_000 {
		step, err := x.Store.Sweep(x.ctx, batch)
		x.must(StepSweep, err)
		deleted += step.Deleted
		if step.Next == 0 {
			check(x, "rows", x.Count(x), before-deleted)
			return deleted
		}
		if step.Next == batch.From {
			x.Fatalf("a sweep does not go on from %d", batch.From)
		}
		batch.From = step.Next
	}
	x.Fatal("a sweep does not end")
	return deleted
}

func (x *trial) has(ids ...idem.ID) {
	x.Helper()
	for i, row := range x.read(ids...) {
		if row.State == idem.StateAbsent {
			x.Errorf("row %d is gone", i)
		}
	}
}

func (x *trial) hasNot(ids ...idem.ID) {
	x.Helper()
	for i, row := range x.read(ids...) {
		if row.State != idem.StateAbsent {
			x.Errorf("row %d is still there", i)
		}
	}
}
