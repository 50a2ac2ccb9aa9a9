package idemtest

import (
	"strings"
	"time"

	"github.com/idemgen/idemgen/idem"
)

// This file is the rules of Claim.

var claimRules = []rule{
	{"the claim of an absent row wins and shows it whole", func(x *trial) {
		c, row := x.won()
		check(x, "owner", row.Owner, c.Owner)
		x.isFirstAttempt(c, row)
		x.isFirstAttempt(c, x.stored(c.ID))
		x.still(row)
	}},
	{"a claim sent again by its owner is still his", func(x *trial) {
		c, row := x.won()
		again := x.claim(c)
		check(x, "owner", again.Owner, c.Owner)
		x.unchanged(row, again)
	}},
	{"a loser sees the winner's row", func(x *trial) {
		_, row := x.won()
		c := x.fresh()
		winner := x.claim(c)
		x.unchanged(winner, x.claim(rival(c)))
		x.still(winner)
		if row.ID == winner.ID {
			x.Error("two keys share a row")
		}
	}},
	{"a loser sees the outcome that is there", func(x *trial) {
		c, row := x.settled()
		seen := x.claim(rival(c))
		x.unchanged(row, seen)
		check(x, "codec", seen.Codec, row.Codec)
		checkBytes(x, "schema", seen.Schema, row.Schema)
		check(x, "completed at", seen.CompletedAt, row.CompletedAt)
	}},
	{"a claim takes nothing over: lapsed, held and expired rows stay", func(x *trial) {
		lapsed, running := x.lapsed()
		seen := x.claim(rival(lapsed))
		x.unchanged(running, seen)
		check(x, "lapsed", seen.Lapsed, true)
		held := x.held()
		check(x, "state", x.claim(rival(held)).State, idem.StateUnknown)
		old, outcome := x.settled()
		x.Age(x, old.ID, century)
		seen = x.claim(rival(old))
		x.unchanged(outcome, seen)
		check(x, "expired", seen.Expired, true)
	}},
	{"PA4: the fence grows although the row was deleted meanwhile", func(x *trial) {
		c, first := x.won()
		check(x, "released", x.release(c.ID, c.Owner), true)
		second := x.claim(rival(c))
		check(x, "state", second.State, idem.StateRunning)
		check(x, "attempt", second.Attempt, 1)
		x.greater("fence", second.Fence, first.Fence)
	}},
	{"a lease lapses when its time is over, and not before", func(x *trial) {
		c, _ := x.won()
		x.Age(x, c.ID, lease-time.Minute)
		row := x.stored(c.ID)
		check(x, "lapsed", row.Lapsed, false)
		x.within("lease left", row.LeaseLeft, 1, time.Minute)
		x.Age(x, c.ID, time.Minute)
		row = x.stored(c.ID)
		check(x, "lapsed", row.Lapsed, true)
		x.within("lease left", row.LeaseLeft, -time.Minute, 0)
	}},
	{"a running row expires Keep after its lease, and never without Keep", func(x *trial) {
		kept := x.fresh()
		kept.Keep = keep
		x.claim(kept)
		evidence, _ := x.won()
		for _, c := range []idem.Claim{kept, evidence} {
			x.Age(x, c.ID, lease+keep-time.Minute)
			check(x, "expired", x.stored(c.ID).Expired, false)
			x.Age(x, c.ID, time.Minute)
		}
		check(x, "expired with Keep", x.stored(kept.ID).Expired, true)
		x.Age(x, evidence.ID, century)
		check(x, "expired without Keep", x.stored(evidence.ID).Expired, false)
	}},
	{"operation, scope, key, fingerprint and origin may be as long as they get, in any script", func(x *trial) {
		for _, ref := range []idem.Ref{
			{Operation: strings.Repeat("o", 1024), Scope: strings.Repeat("s", 255), Key: strings.Repeat("k", 255)},
			{Operation: "o", Scope: "", Key: "k"},
			{Operation: "Überweisung[例]", Scope: "a'b\"c\\d", Key: "$1 ? %s ' \" \\ 🔑 e\u0301 " + strings.Repeat("x", 8)},
		} {
			c := x.fresh()
			c.Ref, c.Fingerprint, c.Origin = ref, random(64), ""
			c.ID = idem.RowID(ref)
			x.isFirstAttempt(c, x.claim(c))
			x.isFirstAttempt(c, x.stored(c.ID))
		}
	}},
	{"the row's owner, not its key, decides: one call's claims of two rows do not meet", func(x *trial) {
		a, b := x.fresh(), x.fresh()
		b.Owner = a.Owner
		first, second := x.claim(a), x.claim(b)
		check(x, "attempt", second.Attempt, 1)
		x.greater("fence", second.Fence, first.Fence)
		check(x, "released", x.release(a.ID, a.Owner), true)
		x.still(second)
	}},
}

// isFirstAttempt checks every field of a row that c has just won.
func (x *trial) isFirstAttempt(c idem.Claim, row idem.Row) {
	x.Helper()
	check(x, "state", row.State, idem.StateRunning)
	check(x, "owner", row.Owner, c.Owner)
	check(x, "attempt", row.Attempt, 1)
	check(x, "lapses", row.Lapses, 0)
	x.greater("fence", row.Fence, 0)
	checkBytes(x, "fingerprint", row.Fingerprint, c.Fingerprint)
	check(x, "abandoned", row.Abandoned, false)
	check(x, "lapsed", row.Lapsed, false)
	check(x, "expired", row.Expired, false)
	x.within("lease left", row.LeaseLeft, lease-time.Minute, lease)
	check(x, "claimed at is zero", row.ClaimedAt.IsZero(), false)
	check(x, "origin", row.Origin, c.Origin)
	x.isRef(row.Ref, c.Ref)
	x.hasNoOutcome(row)
}

// isRef checks a stored reference; a store may leave the key out.
func (x *trial) isRef(got, want idem.Ref) {
	x.Helper()
	if got.Key == "" {
		want.Key = ""
	}
	if got != want {
		x.Error("the row's operation, scope or key is not what was claimed")
	}
}

func (x *trial) hasNoOutcome(row idem.Row) {
	x.Helper()
	check(x, "completed at", row.CompletedAt, time.Time{})
	check(x, "expires at", row.ExpiresAt, time.Time{})
	check(x, "codec", row.Codec, "")
	checkBytes(x, "schema", row.Schema, nil)
	checkBytes(x, "result", row.Result, nil)
	check(x, "code", row.Code, "")
}

func (x *trial) greater(what string, got, than int64) {
	x.Helper()
	if got <= than {
		x.Errorf("%s = %d, want more than %d", what, got, than)
	}
}

func (x *trial) within(what string, got, from, to time.Duration) {
	x.Helper()
	if got < from || got > to {
		x.Errorf("%s = %v, want %v to %v", what, got, from, to)
	}
}
