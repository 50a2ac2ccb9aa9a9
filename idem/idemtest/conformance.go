package idemtest

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"testing"
	"time"

	"github.com/idemgen/idemgen/idem"
)

// This file is the frame of the conformance suite: what a store's author hands in, and the words in which the rules are
// written. The rules are in the conformance_*.go files, one for each part of idem.Store.

// Harness is one store under test, with what the suite needs to know and do behind its back. Use a connection of its own
// for that.
type Harness struct {
	Store idem.Store
	// Age makes a row older by d: claimed, lease, completed and expiry all move back, what is kept for good stays so. No
	// sleeping, please.
	Age func(t testing.TB, id idem.ID, d time.Duration)
	// Row reads a row past the store; StateAbsent when there is none. The suite looks at State, Owner, Attempt, Lapses,
	// Fence, Fingerprint and Result only.
	Row func(t testing.TB, id idem.ID) idem.Row
	// Count is the number of all rows.
	Count func(t testing.TB) int
	// Lock locks a row, as an open transaction does that is changing it, until unlock is called.
	Lock func(t testing.TB, id idem.ID) (unlock func())
	// OneLock says that the store has one lock for all rows: with one locked, none can be changed.
	OneLock bool
}

// TestStore checks that a store keeps every promise of idem.Store. NewHarness is called once for each group of rules, and
// gives an empty store each time; what is to be cleaned up goes to t.Cleanup. Groups run in parallel if newHarness
// calls t.Parallel.
func TestStore(t *testing.T, newHarness func(t *testing.T) Harness) {
	for _, g := range groups {
		t.Run(g.name, func(t *testing.T) {
			h := newHarness(t)
			for _, r := range g.rules {
				t.Run(r.name, func(t *testing.T) { r.try(t.Context(), t, h) })
			}
		})
	}
}

// groups are all rules, by what they are about. Those of one group share a store, and run one after the other.
var groups = []struct {
	name  string
	rules []rule
}{
	{"claim", claimRules},
	{"take over", takeOverRules},
	{"reclaim", reclaimRules},
	{"hold", holdRules},
	{"complete", completeRules},
	{"release", releaseRules},
	{"abandon", abandonRules},
	{"renew", renewRules},
	{"read", readRules},
	{"sweep", sweepRules},
	{"locks", lockRules},
	{"races", raceRules},
	{"cancellation", cancellationRules},
}

// rule is one promise of idem.Store, and what shows it.
type rule struct {
	name  string
	check func(*trial)
}

// try checks the rule. A store that hangs fails it: every step has a time limit.
func (r rule) try(ctx context.Context, t testing.TB, h Harness) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	r.check(&trial{TB: t, Harness: h, ctx: ctx})
}

// trial is one rule being checked. Its steps end the trial when the store returns an error.
type trial struct {
	testing.TB
	Harness
	ctx context.Context
}

// lease is that of all claims in the suite: long enough that it never lapses by itself, while Age moves it at will.
const lease = time.Hour

// keep is how long claims that ask for it are kept after their lease.
const keep = 10 * time.Hour

// ttl is how long outcomes are kept.
const ttl = 20 * time.Hour

// century is longer than anything that ends.
const century = 100 * 365 * 24 * time.Hour

// fresh is a claim for a row that nobody has.
func (x *trial) fresh() idem.Claim {
	ref := idem.Ref{Operation: "example.com/shop.Payments.Charge", Scope: "tenant", Key: fmt.Sprintf("%x", random(16))}
	return idem.Claim{ID: idem.RowID(ref), Ref: ref, Owner: newOwner(), Fingerprint: random(33), Lease: lease, Origin: "suite"}
}

// rival is another call's claim for the row of c, with other arguments.
func rival(c idem.Claim) idem.Claim {
	c.Owner, c.Fingerprint, c.Origin = newOwner(), random(33), "rival"
	return c
}

func newOwner() idem.Owner { return idem.Owner(random(16)) }

func random(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.Read(b) // it never fails
	return b
}

// done is a success of the run that row describes.
func done(c idem.Claim, row idem.Row) idem.Outcome {
	return idem.Outcome{
		Claim: c, Attempt: row.Attempt, Fence: row.Fence, State: idem.StateDone, TTL: ttl,
		Codec: "json", Schema: random(8), Result: append([]byte("result "), random(8)...),
	}
}

// failed is an error that is stored on purpose.
func failed(c idem.Claim, row idem.Row) idem.Outcome {
	o := done(c, row)
	o.State, o.Code = idem.StateFailed, "card_declined"
	return o
}

// won is a claim that is running, and its row.
func (x *trial) won() (idem.Claim, idem.Row) {
	x.Helper()
	c := x.fresh()
	return c, x.claim(c)
}

// lapsed is a claim whose lease is over, and its row.
func (x *trial) lapsed() (idem.Claim, idem.Row) {
	x.Helper()
	c, row := x.won()
	x.Age(x, c.ID, lease+time.Minute)
	return c, row
}

// held is a claim that was moved to unknown.
func (x *trial) held() idem.Claim {
	x.Helper()
	c, _ := x.lapsed()
	check(x, "state", x.hold(c.ID, c.Owner).State, idem.StateUnknown)
	return c
}

// settled is a claim that is done, and its row.
func (x *trial) settled() (idem.Claim, idem.Row) {
	x.Helper()
	c, row := x.won()
	return c, x.complete(done(c, row))
}

// check compares one value of an answer with what the rule says.
func check[V comparable](x *trial, what string, got, want V) {
	x.Helper()
	if got != want {
		x.Errorf("%s = %v, want %v", what, got, want)
	}
}

// checkBytes compares bytes, nil and empty being the same.
func checkBytes(x *trial, what string, got, want []byte) {
	x.Helper()
	if !bytes.Equal(got, want) {
		x.Errorf("%s = %.40x (%d bytes), want %.40x (%d bytes)", what, got, len(got), want, len(want))
	}
}

// unchanged checks that a step which must do nothing left the row as it was before.
func (x *trial) unchanged(before, after idem.Row) {
	x.Helper()
	check(x, "state", after.State, before.State)
	check(x, "owner", after.Owner, before.Owner)
	check(x, "attempt", after.Attempt, before.Attempt)
	check(x, "lapses", after.Lapses, before.Lapses)
	check(x, "fence", after.Fence, before.Fence)
	checkBytes(x, "fingerprint", after.Fingerprint, before.Fingerprint)
	checkBytes(x, "result", after.Result, before.Result)
}

// still checks that the stored row is as it was before.
func (x *trial) still(before idem.Row) {
	x.Helper()
	x.unchanged(before, x.Row(x, before.ID))
}
