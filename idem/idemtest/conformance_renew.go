package idemtest

import (
	"slices"
	"time"

	"github.com/idemgen/idemgen/idem"
)

// This file is the rules of Renew and Read, which take many rows at once.

var renewRules = []rule{
	{"a renewal starts the lease again from now, and changes nothing else", func(x *trial) {
		c, before := x.won()
		x.Age(x, c.ID, lease-time.Minute)
		check(x, "renewal", x.renewal(c.ID, c.Owner), idem.RenewalDone)
		row := x.stored(c.ID)
		x.within("lease left", row.LeaseLeft, lease-time.Minute, lease)
		x.unchanged(before, row)
		check(x, "claimed at", row.ClaimedAt, before.ClaimedAt.Add(-lease+time.Minute))
	}},
	{"a renewal may change how long the lease is", func(x *trial) {
		c, _ := x.won()
		answers := x.renew(idem.Lease{ID: c.ID, Owner: c.Owner, Lease: 3 * lease})
		check(x, "renewal", answers[0], idem.RenewalDone)
		x.within("lease left", x.stored(c.ID).LeaseLeft, 3*lease-time.Minute, 3*lease)
	}},
	{"a lapsed lease that nobody took is revived", func(x *trial) {
		c, before := x.lapsed()
		check(x, "renewal", x.renewal(c.ID, c.Owner), idem.RenewalDone)
		row := x.stored(c.ID)
		check(x, "lapsed", row.Lapsed, false)
		x.unchanged(before, row)
	}},
	{"a held row runs again when its owner renews it", func(x *trial) {
		c := x.held()
		check(x, "renewal", x.renewal(c.ID, c.Owner), idem.RenewalDone)
		row := x.stored(c.ID)
		check(x, "state", row.State, idem.StateRunning)
		check(x, "owner", row.Owner, c.Owner)
		check(x, "lapsed", row.Lapsed, false)
		check(x, "abandoned", row.Abandoned, false)
		o := done(c, row)
		x.isOutcome(x.complete(o), o)
	}},
	{"an expiry of a running row moves along with its lease", func(x *trial) {
		c := x.fresh()
		c.Keep = keep
		x.claim(c)
		x.Age(x, c.ID, lease+keep+time.Minute)
		check(x, "renewal", x.renewal(c.ID, c.Owner), idem.RenewalDone)
		check(x, "expired", x.stored(c.ID).Expired, false)
		x.Age(x, c.ID, lease+keep-time.Minute)
		check(x, "expired", x.stored(c.ID).Expired, false)
		x.Age(x, c.ID, time.Minute)
		check(x, "expired", x.stored(c.ID).Expired, true)
	}},
	{"B13: what is gone, settled or another owner's is lost, and stays as it is", func(x *trial) {
		absent := x.fresh()
		check(x, "renewal of an absent row", x.renewal(absent.ID, absent.Owner), idem.RenewalLost)
		check(x, "state", x.Row(x, absent.ID).State, idem.StateAbsent)
		c, outcome := x.settled()
		check(x, "renewal of an outcome", x.renewal(c.ID, c.Owner), idem.RenewalLost)
		x.still(outcome)
		other, row := x.lapsed()
		check(x, "renewal of another's row", x.renewal(other.ID, newOwner()), idem.RenewalLost)
		check(x, "lapsed", x.stored(other.ID).Lapsed, true)
		x.still(row)
		held := x.held()
		check(x, "renewal of another's held row", x.renewal(held.ID, newOwner()), idem.RenewalLost)
		check(x, "state", x.Row(x, held.ID).State, idem.StateUnknown)
	}},
	{"answers come in the order of the leases, whatever became of each", func(x *trial) {
		var leases []idem.Lease
		var want []idem.Renewal
		for i := range 60 {
			c, answer := x.fresh(), idem.RenewalLost
			if i%3 != 0 {
				x.claim(c)
			}
			if i%3 == 1 {
				answer = idem.RenewalDone
			} else {
				c.Owner = newOwner()
			}
			leases, want = append(leases, idem.Lease{ID: c.ID, Owner: c.Owner, Lease: lease}), append(want, answer)
		}
		if got := x.renew(leases...); !slices.Equal(got, want) {
			x.Errorf("answers = %v, want %v", got, want)
		}
	}},
	{"one row may stand in the list twice, for one owner or two", func(x *trial) {
		c, _ := x.won()
		mine, others := idem.Lease{ID: c.ID, Owner: c.Owner, Lease: lease}, idem.Lease{ID: c.ID, Owner: newOwner(), Lease: lease}
		want := []idem.Renewal{idem.RenewalLost, idem.RenewalDone, idem.RenewalDone, idem.RenewalLost}
		if got := x.renew(others, mine, mine, others); !slices.Equal(got, want) {
			x.Errorf("answers = %v, want %v", got, want)
		}
	}},
	{"no leases, no answers", func(x *trial) { x.renew() }},
}

var readRules = []rule{
	{"rows come in the order of the ids, a missing one as absent", func(x *trial) {
		running, row := x.won()
		absent := x.fresh()
		settled, outcome := x.settled()
		rows := x.read(settled.ID, absent.ID, running.ID)
		x.unchanged(outcome, rows[0])
		check(x, "state", rows[1].State, idem.StateAbsent)
		x.unchanged(row, rows[2])
		rows = x.read(running.ID, absent.ID, settled.ID)
		x.unchanged(row, rows[0])
		check(x, "state", rows[1].State, idem.StateAbsent)
		x.unchanged(outcome, rows[2])
	}},
	{"one row may be asked for twice", func(x *trial) {
		c, row := x.won()
		absent := x.fresh()
		rows := x.read(c.ID, absent.ID, c.ID, absent.ID)
		x.unchanged(row, rows[0])
		x.unchanged(row, rows[2])
		check(x, "state", rows[3].State, idem.StateAbsent)
	}},
	{"many rows at once", func(x *trial) {
		var ids []idem.ID
		owners := map[idem.ID]idem.Owner{}
		for i := range 200 {
			c := x.fresh()
			if i%2 == 0 {
				owners[c.ID] = x.claim(c).Owner
			}
			ids = append(ids, c.ID)
		}
		for _, row := range x.read(ids...) {
			check(x, "owner", row.Owner, owners[row.ID])
		}
	}},
	{"no ids, no rows", func(x *trial) { x.read() }},
	{"a read changes nothing", func(x *trial) {
		c, row := x.lapsed()
		x.read(c.ID)
		x.still(row)
	}},
}
