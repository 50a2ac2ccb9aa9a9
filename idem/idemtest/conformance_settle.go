package idemtest

import (
	"bytes"
	"strings"
	"time"

	"github.com/idemgen/idemgen/idem"
)

// This file is the rules of Complete: a true result is stored whenever nobody else owns the row, once.

var completeRules = []rule{
	{"a result is stored, and comes back as it left", func(x *trial) {
		c, row := x.won()
		o := done(c, row)
		x.isOutcome(x.complete(o), o)
		x.isOutcome(x.stored(c.ID), o)
		checkBytes(x, "result", x.Row(x, c.ID).Result, o.Result)
	}},
	{"an error that is stored keeps its code", func(x *trial) {
		c, row := x.won()
		o := failed(c, row)
		x.isOutcome(x.complete(o), o)
		x.isOutcome(x.stored(c.ID), o)
	}},
	{"bytes are bytes: empty, NUL, 0xff, not UTF-8, 1 MiB", func(x *trial) {
		for _, result := range [][]byte{
			nil, {}, {0}, []byte("a\x00b"), {0xff, 0xfe, 0x00}, []byte("\xed\xa0\x80"), []byte(`{"a":"\u0000"}`), random(1 << 20),
		} {
			c, row := x.won()
			o := done(c, row)
			o.Result, o.Schema = result, bytes.Clone(result[:min(8, len(result))])
			x.isOutcome(x.complete(o), o)
			x.isOutcome(x.stored(c.ID), o)
		}
	}},
	{"no result at all is an outcome, too", func(x *trial) {
		c, row := x.won()
		o := done(c, row)
		o.Codec, o.Schema, o.Result = "void", nil, nil
		x.isOutcome(x.complete(o), o)
		x.isOutcome(x.claim(rival(c)), o)
	}},
	{"a late result whose row nobody took is stored", func(x *trial) {
		c, row := x.lapsed()
		x.Age(x, c.ID, century)
		o := done(c, row)
		x.isOutcome(x.complete(o), o)
	}},
	{"a held row is settled by its owner", func(x *trial) {
		c := x.held()
		o := done(c, x.stored(c.ID))
		x.isOutcome(x.complete(o), o)
		x.isOutcome(x.stored(c.ID), o)
	}},
	{"B8: another owner's row is not settled, whatever its state", func(x *trial) {
		c, row := x.won()
		late := done(rival(c), row)
		x.unchanged(row, x.complete(late))
		x.still(row)
		outcome := x.complete(done(c, row))
		x.unchanged(outcome, x.complete(late))
		x.still(outcome)
		held := x.held()
		check(x, "state", x.complete(done(rival(held), row)).State, idem.StateUnknown)
		check(x, "state", x.Row(x, held.ID).State, idem.StateUnknown)
	}},
	{"a failure has the longest code, and a row that is gone is inserted failed", func(x *trial) {
		c, row := x.won()
		o := failed(c, row)
		o.Code = strings.Repeat("é", 512)
		x.isOutcome(x.complete(o), o)
		x.isOutcome(x.stored(c.ID), o)
		o = failed(x.fresh(), idem.Row{Attempt: 2, Fence: 7})
		x.isOutcome(x.complete(o), o)
		x.isOutcome(x.stored(o.Claim.ID), o)
	}},
	{"a row that is gone is inserted complete", func(x *trial) {
		c := x.fresh()
		o := done(c, idem.Row{Attempt: 3, Fence: 42})
		row := x.complete(o)
		x.isOutcome(row, o)
		x.isOutcome(x.stored(c.ID), o)
		checkBytes(x, "fingerprint", row.Fingerprint, c.Fingerprint)
		check(x, "origin", row.Origin, c.Origin)
		x.isRef(row.Ref, c.Ref)
		x.unchanged(row, x.claim(rival(c)))
	}},
	{"the fence still grows after a row that was gone came back", func(x *trial) {
		c, row := x.won()
		check(x, "released", x.release(c.ID, c.Owner), true)
		x.complete(done(c, row))
		x.Age(x, c.ID, ttl+time.Minute)
		x.greater("fence", x.reclaim(rival(c), c.Owner).Fence, row.Fence)
	}},
	{"an outcome sent again is stored once: the first one's time and content stay", func(x *trial) {
		c, row := x.won()
		o := done(c, row)
		first := x.complete(o)
		x.Age(x, c.ID, time.Hour)
		again := x.complete(o)
		x.isOutcome(again, o)
		check(x, "completed at", again.CompletedAt, first.CompletedAt.Add(-time.Hour))
		check(x, "expires at", again.ExpiresAt, first.ExpiresAt.Add(-time.Hour))
		tombstone := o
		tombstone.Codec, tombstone.Result = "none", nil
		x.isOutcome(x.complete(tombstone), o)
	}},
	{"B17: an outcome is kept for its TTL from its completion, however long the run was", func(x *trial) {
		c, row := x.won()
		x.Age(x, c.ID, century)
		done := x.complete(done(c, row))
		x.within("kept", done.ExpiresAt.Sub(done.CompletedAt), ttl-time.Second, ttl+time.Second)
		x.Age(x, c.ID, ttl-time.Minute)
		check(x, "expired", x.stored(c.ID).Expired, false)
		x.Age(x, c.ID, time.Minute)
		check(x, "expired", x.stored(c.ID).Expired, true)
	}},
	{"an outcome that is kept for good never expires", func(x *trial) {
		c, row := x.won()
		o := done(c, row)
		o.TTL = idem.Forever
		x.isOutcome(x.complete(o), o)
		x.Age(x, c.ID, century)
		row = x.stored(c.ID)
		x.isOutcome(row, o)
		check(x, "expired", row.Expired, false)
		check(x, "expires at", row.ExpiresAt, time.Time{})
	}},
	{"a settled row keeps its attempt, its fence and its arguments", func(x *trial) {
		c, _ := x.lapsed()
		next := rival(c)
		row := x.takeOver(next, c.Owner)
		outcome := x.complete(done(next, row))
		check(x, "attempt", outcome.Attempt, 2)
		check(x, "lapses", outcome.Lapses, 1)
		check(x, "fence", outcome.Fence, row.Fence)
		checkBytes(x, "fingerprint", outcome.Fingerprint, c.Fingerprint)
	}},
	{"answers are the caller's own: changing one changes nothing stored", func(x *trial) {
		c, row := x.won()
		o := done(c, row)
		want := bytes.Clone(o.Result)
		answer := x.complete(o)
		clear(o.Result)
		clear(answer.Result)
		clear(x.stored(c.ID).Result)
		checkBytes(x, "result", x.stored(c.ID).Result, want)
	}},
}

// isOutcome checks a row that o has settled.
func (x *trial) isOutcome(row idem.Row, o idem.Outcome) {
	x.Helper()
	check(x, "state", row.State, o.State)
	check(x, "owner", row.Owner, o.Claim.Owner)
	check(x, "attempt", row.Attempt, o.Attempt)
	check(x, "fence", row.Fence, o.Fence)
	check(x, "codec", row.Codec, o.Codec)
	checkBytes(x, "schema", row.Schema, o.Schema)
	checkBytes(x, "result", row.Result, o.Result)
	check(x, "code", row.Code, o.Code)
	check(x, "abandoned", row.Abandoned, false)
	check(x, "lapsed", row.Lapsed, false)
	check(x, "completed at is zero", row.CompletedAt.IsZero(), false)
	check(x, "expires at is zero", row.ExpiresAt.IsZero(), o.TTL == idem.Forever)
}
