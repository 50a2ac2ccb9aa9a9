package sqlite_test

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
	"github.com/idemgen/idemgen/idem/sqlite"
)

// This file is what people decide, beyond the suite that every store is held to: a decision is whole or not there, one of several
// settles a claim, and calls need nothing of the table that decisions are written down in.

// decision is one about the row of c as it is now.
func (b *bench) decision(t *testing.T, a idem.Action, c idem.Claim) idem.Decision {
	t.Helper()
	row := b.row(t, c.ID)
	d := idem.Decision{
		Token: idem.NewToken(), ID: c.ID, Seen: idem.Seen{State: row.State, Owner: row.Owner}, Action: a, Force: true, Who: "ann", Why: "looked it up",
	}
	if a == idem.ActionComplete {
		d.Result = idem.StoredResult{Codec: "json", Data: []byte("1")}
	}
	return d
}

var actions = []idem.Action{idem.ActionComplete, idem.ActionNotHappened, idem.ActionHold, idem.ActionRelease}

// content is all of a row, to see whether it was changed.
func (b *bench) content(t *testing.T, c idem.Claim) (content string) {
	t.Helper()
	b.get(t, `SELECT coalesce((SELECT hex(owner) || ' ' || state || ' ' || lease_until || ' ' || abandoned || ' ' || lapses || ' ' ||
		coalesce(keep, '-') || ' ' || coalesce(hex(result), '-') FROM idem_claims WHERE id = x'`+strings.ReplaceAll(c.ID.String(), "-", "")+`'), 'none')`, &content)
	return content
}

// The row is changed before that is written down; a failure between the two undoes the change.
func TestADecisionThatCanNotBeWrittenDownChangesNothing(t *testing.T) {
	onEachDriver(t, func(t *testing.T, d driver) {
		b := newBench(t, setup{driver: d})
		for _, action := range actions {
			c, _ := b.won(t)
			b.age(t, c.ID, 2*lease)
			decision := b.decision(t, action, c)
			before := b.content(t, c)
			b.exec(t, "CREATE TRIGGER no BEFORE INSERT ON idem_audit BEGIN SELECT RAISE(ABORT, 'not now'); END")
			_, err := b.Decide(t.Context(), decision)
			if e, ok := errors.AsType[*idem.StoreError](err); !ok || !e.NotApplied {
				t.Errorf("%s: %v", action, err)
			}
			if b.content(t, c) != before {
				t.Errorf("%s changed the row, and nothing is written down", action)
			}
			b.exec(t, "DROP TRIGGER no")
			first, err := idem.Decide(t.Context(), b.Store, decision)
			if err != nil || first.Before != idem.StandingLapsed {
				t.Errorf("%s, sent again: %+v, %v", action, first, err)
			}
			after := b.content(t, c)
			if again, err := b.Decide(t.Context(), decision); err != nil || again != first || after == before || b.content(t, c) != after {
				t.Errorf("%s, once more: %+v, %v", action, again, err)
			}
		}
		var n int
		b.get(t, "SELECT count(*) FROM idem_audit", &n)
		if n != len(actions) {
			t.Errorf("%d decisions are written down, want %d", n, len(actions))
		}
	})
}

// Many times over, one of three settles the claim, and everybody else is told. Each has a store and connections of its own.
func TestTwoPeopleAndTheRunDecideAtOnce(t *testing.T) {
	onEachDriver(t, func(t *testing.T, d driver) {
		b := newBench(t, setup{driver: d})
		var stores [3]*sqlite.Store
		for i := range stores {
			stores[i] = sqlite.NewStore(d.open(t, b.file))
		}
		for range 15 {
			c, row := b.won(t)
			b.exec(t, "UPDATE idem_claims SET state = 4 WHERE id = ?", c.ID[:])
			people := []idem.Decision{b.decision(t, idem.ActionNotHappened, c), b.decision(t, idem.ActionComplete, c)}
			var settled atomic.Int32
			idemtest.Callers(t, len(stores), func(i int) {
				if i == len(people) {
					got, err := stores[i].Complete(t.Context(), outcome(c, row))
					if err != nil {
						t.Error(err)
					}
					if got.Owner == c.Owner && got.State == idem.StateDone {
						settled.Add(1)
					}
					return
				}
				_, err := idem.Decide(t.Context(), stores[i], people[i])
				if _, refused := errors.AsType[*idem.Refusal](err); err != nil && !refused {
					t.Error(err)
				}
				if err == nil {
					settled.Add(1)
				}
			})
			entries, err := b.Audit(t.Context(), idem.AuditFilter{Claim: c.ID})
			if n := settled.Load(); n != 1 || err != nil || len(entries) > 1 || (len(entries) == 1) == (b.row(t, c.ID).Owner == c.Owner) {
				t.Fatalf("%d have settled it, %d decisions are written down, %v", n, len(entries), err)
			}
		}
	})
}

func TestCallsAndListsNeedNoTableOfDecisions(t *testing.T) {
	onEachDriver(t, func(t *testing.T, d driver) {
		b := newBench(t, setup{driver: d})
		c, _ := b.won(t)
		b.age(t, c.ID, 2*lease)
		decision := b.decision(t, idem.ActionRelease, c)
		b.exec(t, "DROP TABLE idem_audit")
		b.done(t)
		if l, err := b.List(t.Context(), idem.ClaimFilter{}); err != nil || len(l.Claims) != 2 {
			t.Errorf("%d claims, %v", len(l.Claims), err)
		}
		_, err := b.Decide(t.Context(), decision)
		if _, ok := errors.AsType[*sqlite.SchemaError](err); !ok || b.row(t, c.ID).State != idem.StateRunning {
			t.Errorf("got %v, want a *sqlite.SchemaError and an untouched row", err)
		}
		if _, err := b.Audit(t.Context(), idem.AuditFilter{}); err == nil {
			t.Error("nothing is missed")
		}
	})
}

func TestAStandingThatDoesNotExistFitsNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t, setup{})
	b.won(t)
	for _, standing := range []idem.Standing{"", "runn", "running,done", ","} {
		l, err := b.List(t.Context(), idem.ClaimFilter{Standings: []idem.Standing{standing}})
		if err != nil || len(l.Claims) != 0 {
			t.Errorf("%d claims stand %q, %v", len(l.Claims), standing, err)
		}
	}
}
