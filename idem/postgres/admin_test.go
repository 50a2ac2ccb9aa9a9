package postgres_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
	"github.com/idemgen/idemgen/idem/postgres"
	"github.com/idemgen/idemgen/internal/pgtest"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// This file is what people do, on a real database: the suite that every store is held to, schemas of both versions, connections that
// break in the middle of a decision, and what reading costs everybody else.

func TestPostgresKeepsEveryPromiseToPeople(t *testing.T) {
	t.Parallel()
	for i, mode := range modes {
		isolation := isolations[i%len(isolations)]
		t.Run(isolation+", "+mode.String(), func(t *testing.T) {
			t.Parallel()
			b := newBench(t, chosen(isolation, mode))
			idemtest.TestAdmin(t, func(*testing.T) idemtest.Harness {
				b.exec(t, "TRUNCATE idem_claims, idem_audit")
				return b.harness()
			})
		})
	}
}

// TestListGoesOnInPartsOfOneMicrosecond: many claims have the same time, and none is left out or comes twice.
func TestListGoesOnInPartsOfOneMicrosecond(t *testing.T) {
	t.Parallel()
	b := newBench(t, setup{})
	want := map[idem.ID]bool{}
	for range 9 {
		c, _ := b.won(t)
		want[c.ID] = true
	}
	b.exec(t, "UPDATE idem_claims SET claimed_at = '2026-01-02 03:04:05.123457+00'")
	for f := (idem.ClaimFilter{Limit: 2}); ; {
		l, err := b.List(t.Context(), f)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range l.Claims {
			if !want[c.ID] {
				t.Error("a claim comes twice")
			}
			delete(want, c.ID)
		}
		if f.After = l.Next(); !l.More {
			break
		}
	}
	if len(want) > 0 {
		t.Errorf("%d claims are left out", len(want))
	}
}

// version1 is a bench whose schema has no table for decisions, and a claim of a run that died.
func version1(t *testing.T) (*bench, idem.Claim) {
	t.Helper()
	b := newBench(t, setup{})
	b.exec(t, "DROP TABLE idem_audit")
	b.exec(t, "DELETE FROM idem_migrations WHERE version > 1")
	c, _ := b.won(t)
	b.age(t, c.ID, 2*lease)
	return b, c
}

func (b *bench) decision(t testing.TB, a idem.Action, id idem.ID) idem.Decision {
	row := b.row(t, id)
	return idem.Decision{Token: idem.NewToken(), ID: id, Seen: idem.Seen{State: row.State, Owner: row.Owner}, Action: a, Force: true, Who: "ann", Why: "looked it up"}
}

// TestCallsGoOnOnVersion1 of the schema, and people see claims; what they decide has nowhere to be written down, and so is not done.
func TestCallsGoOnOnVersion1(t *testing.T) {
	t.Parallel()
	b, stuck := version1(t)
	out, err := do(t, b.Store, func(context.Context) (string, error) { return "paid", nil })
	if out != "paid" || err != nil {
		t.Errorf("a call: %q, %v", out, err)
	}
	l, err := b.List(t.Context(), idem.ClaimFilter{Standings: []idem.Standing{idem.StandingLapsed}})
	if err != nil || len(l.Claims) != 1 || l.Claims[0].ID != stuck.ID {
		t.Errorf("the list: %d claims, %v", len(l.Claims), err)
	}
	if s, err := b.Stats(t.Context()); err != nil || len(s.Groups) != 2 {
		t.Errorf("the stats: %+v, %v", s, err)
	}
	before := b.row(t, stuck.ID)
	for name, step := range map[string]func() error{
		"audit": func() error { _, err := b.Audit(t.Context(), idem.AuditFilter{}); return err },
		"not happened": func() error {
			_, err := b.Decide(t.Context(), b.decision(t, idem.ActionNotHappened, stuck.ID))
			return err
		},
		"release": func() error { _, err := b.Decide(t.Context(), b.decision(t, idem.ActionRelease, stuck.ID)); return err },
	} {
		err := step()
		schema, ok := errors.AsType[*postgres.SchemaError](err)
		if !ok || !strings.Contains(err.Error(), "idem_audit") || !strings.Contains(schema.Error(), "postgres.Migrate") {
			t.Errorf("%s: %v", name, err)
		}
		if e, ok := errors.AsType[*idem.StoreError](err); !ok || e.Temporary || !e.NotApplied {
			t.Errorf("%s: %#v", name, err)
		}
	}
	if after := b.row(t, stuck.ID); after.Owner != before.Owner || after.State != before.State {
		t.Error("the claim has changed")
	}
}

// TestMigrateTakesVersion1WithItsRowsToVersion2, from which decisions are carried out.
func TestMigrateTakesVersion1WithItsRowsToVersion2(t *testing.T) {
	t.Parallel()
	b, stuck := version1(t)
	kept, _ := b.done(t)
	before := b.rows(t)
	if err := postgres.Migrate(t.Context(), b.look); err != nil {
		t.Fatal(err)
	}
	if after := b.rows(t); !slices.Equal(before, after) {
		t.Errorf("rows were\n%s\nand are\n%s", strings.Join(before, "\n"), strings.Join(after, "\n"))
	}
	fresh := pgtest.Pool(t)
	if err := postgres.Migrate(t.Context(), fresh); err != nil {
		t.Fatal(err)
	}
	if got, want := facts(t, b.look), facts(t, fresh); !slices.Equal(got, want) {
		t.Errorf("the schema is\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if _, err := b.Decide(t.Context(), b.decision(t, idem.ActionNotHappened, stuck.ID)); err != nil {
		t.Error(err)
	}
	if row := b.row(t, kept.ID); row.State != idem.StateDone {
		t.Errorf("a stored outcome is in state %d", row.State)
	}
}

// rows are all claims as text.
func (b *bench) rows(t testing.TB) []string {
	t.Helper()
	rows, err := b.look.Query(context.Background(), "SELECT c::text FROM idem_claims c ORDER BY id")
	if err != nil {
		t.Fatal(err)
	}
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(lines) == 0 {
		t.Fatalf("%d rows, %v", len(lines), err)
	}
	return lines
}

// breaks are the ways in which the connection of a decision breaks. The decision is one round trip of some statements and a commit.
var breaks = map[string]struct {
	at    string // a part of the statement that is hit
	fault idemtest.Fault
}{
	"before it is sent":           {"idem_audit", idemtest.Fault{Do: idemtest.Refuse}},
	"between decision and commit": {"INSERT INTO idem_audit", idemtest.Fault{Do: idemtest.Break}},
	"before the commit":           {"SELECT id, owner", idemtest.Fault{Do: idemtest.Break}},
	"the commit is not answered":  {"idem_audit", idemtest.Fault{Do: idemtest.LoseLast}},
	"nothing is answered":         {"idem_audit", idemtest.Fault{Do: idemtest.LoseAnswer}},
	"it arrives late":             {"idem_audit", idemtest.Fault{Do: idemtest.ApplyLate}},
}

// TestADecisionIsWholeWhereverItsConnectionBreaks: the row is changed if and only if that is written down, and sent again the decision
// counts once.
func TestADecisionIsWholeWhereverItsConnectionBreaks(t *testing.T) {
	t.Parallel()
	var cut *idemtest.Cut
	b := newBench(t, setup{pool: through(t, &cut)})
	for name, how := range breaks {
		for _, action := range []idem.Action{idem.ActionComplete, idem.ActionNotHappened, idem.ActionHold, idem.ActionRelease} {
			c, _ := b.won(t)
			b.age(t, c.ID, 2*lease)
			d := b.decision(t, action, c.ID)
			if action == idem.ActionComplete {
				d.Result = idem.StoredResult{Codec: "json", Data: []byte("1")}
			}
			before := b.content(t, c.ID)
			whole := func(when string) (n int) {
				t.Helper()
				b.get(t, "SELECT count(*) FROM idem_audit WHERE claim = '"+c.ID.String()+"'", &n)
				if changed := b.content(t, c.ID) != before; changed != (n == 1) || n > 1 {
					t.Errorf("%s, %s, %s: changed: %t, and written down %d times", name, action, when, changed, n)
				}
				return n
			}
			hit := cut.Inject(how.at, how.fault)
			_, err := b.Decide(t.Context(), d)
			if e, ok := errors.AsType[*idem.StoreError](err); !ok || !e.Temporary || hit.Hits() != 1 {
				t.Fatalf("%s, %s: %v after %d faults", name, action, err, hit.Hits())
			}
			whole("broken")
			if e, err := idem.Decide(t.Context(), b.Store, d); err != nil || e.Before != idem.StandingLapsed || e.Token != d.Token {
				t.Errorf("%s, %s, sent again: %+v, %v", name, action, e, err)
			}
			if whole("sent again") != 1 {
				t.Errorf("%s, %s: it is not carried out", name, action)
			}
			if how.fault.Do == idemtest.ApplyLate {
				now := b.content(t, c.ID)
				hit.Land()
				if b.content(t, c.ID) != now || whole("landed") != 1 {
					t.Errorf("%s, %s: it was carried out twice", name, action)
				}
			}
		}
	}
}

// TestReadersSeeLockedRows: who looks waits for nobody's transaction.
func TestReadersSeeLockedRows(t *testing.T) {
	t.Parallel()
	b := newBench(t, setup{})
	c, _ := b.won(t)
	unlock := b.lock(t, c.ID)
	defer unlock()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if l, err := b.List(ctx, idem.ClaimFilter{}); err != nil || len(l.Claims) != 1 {
		t.Errorf("%d claims, %v", len(l.Claims), err)
	}
	if _, err := b.Stats(ctx); err != nil {
		t.Error(err)
	}
}

// TestTwoPeopleAndTheRunDecideAtOnce, many times over: one of three settles the claim, and everybody else is told.
func TestTwoPeopleAndTheRunDecideAtOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t, setup{pool: func(c *pgxpool.Config) { c.MaxConns = 8 }})
	for range 40 {
		c, row := b.won(t)
		b.exec(t, "UPDATE idem_claims SET state = 4 WHERE id = $1", c.ID.String())
		people := []idem.Decision{b.decision(t, idem.ActionNotHappened, c.ID), b.decision(t, idem.ActionComplete, c.ID)}
		people[1].Result = idem.StoredResult{Codec: "json", Data: []byte("1")}
		var settled atomic.Int32
		idemtest.Callers(t, 3, func(i int) {
			if i == 2 {
				o := outcome(c, row)
				got, err := b.Complete(t.Context(), o)
				if err != nil {
					t.Error(err)
				}
				if got.Owner == c.Owner && got.State == idem.StateDone {
					settled.Add(1)
				}
				return
			}
			_, err := idem.Decide(t.Context(), b.Store, people[i])
			if _, refused := errors.AsType[*idem.Refusal](err); err != nil && !refused {
				t.Error(err)
			}
			if err == nil {
				settled.Add(1)
			}
		})
		entries, err := b.Audit(t.Context(), idem.AuditFilter{Claim: c.ID})
		after := b.row(t, c.ID)
		if n := settled.Load(); n != 1 || err != nil || len(entries) > 1 || (len(entries) == 1) == (after.Owner == c.Owner) {
			t.Fatalf("%d have settled it, %d decisions are written down, %v", n, len(entries), err)
		}
	}
}

// decided has a person decide about the row of c, which has lapsed unless he takes it from its run.
func (b *bench) decided(t *testing.T, c idem.Claim, a idem.Action) {
	t.Helper()
	if a != idem.ActionHold {
		b.age(t, c.ID, 2*lease)
	}
	d := b.decision(t, a, c.ID)
	if a == idem.ActionComplete {
		d.Result = idem.StoredResult{Codec: "json", Data: []byte("1")}
	}
	if _, err := b.Decide(t.Context(), d); err != nil {
		t.Fatal(err)
	}
}

// TestAHoldSentAgainAfterItsRunCameBackChangesNothing: the claim has the same owner and state again as when it was seen.
func TestAHoldSentAgainAfterItsRunCameBackChangesNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t, setup{})
	c, _ := b.won(t)
	b.age(t, c.ID, 2*lease)
	d := b.decision(t, idem.ActionHold, c.ID)
	first, err := b.Decide(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	if answers, err := b.Renew(t.Context(), []idem.Lease{{ID: c.ID, Owner: c.Owner, Lease: lease}}); err != nil || answers[0] != idem.RenewalDone {
		t.Fatal(answers, err)
	}
	if again, err := b.Decide(t.Context(), d); err != nil || again != first {
		t.Errorf("%+v, %v", again, err)
	}
	if row := b.row(t, c.ID); row.State != idem.StateRunning || row.Owner != c.Owner {
		t.Errorf("the claim was taken from its run: state %d", row.State)
	}
}
