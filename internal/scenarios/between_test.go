package scenarios

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
)

// This file changes a row between the two statements of a claim: the INSERT has found it and done nothing, and what the Read
// then sees is what counts. The database's default isolation is one in which it would see nothing new.

// gap is a call whose claim has inserted nothing, and not read yet.
type gap struct {
	*wired
	first <-chan answer // the call that has the row, in the other process
	run   *idemtest.Gate
	ours  <-chan answer
	read  *idemtest.Gate
}

// newGap makes one. The first run ends with an error when run is opened, if it is not nil, else with a result.
func newGap(t *testing.T, first error) *gap {
	t.Helper()
	g := &gap{wired: newWired(t, isolated(t, pgx.RepeatableRead)), run: idemtest.NewGate(t), read: idemtest.NewGate(t)}
	g.method = func(ctx context.Context, run int64) (string, error) {
		switch {
		case run > 1:
			return "second", nil
		case first == nil:
			return "first", g.run.Enter(ctx)
		}
		_ = g.run.Enter(ctx)
		return "", first
	}
	g.first = g.other.async(g.Context(), &charge, "k", "a")
	g.run.Await(t, 1)
	return g
}

// begin sends our claim as far as its INSERT.
func (g *gap) begin() {
	g.Helper()
	g.cut.Inject(sqlClaim, idemtest.Fault{Do: idemtest.Split, Gate: g.read})
	g.ours = g.async(g.Context(), &charge, "k", "a")
	g.read.Await(g, 1)
}

// end lets the first run end.
func (g *gap) end() {
	g.run.Open()
	<-g.first
}

// sweep has what has expired deleted.
func (g *gap) sweep() {
	g.Helper()
	if n := g.swept(); n != 1 {
		g.Fatalf("%d rows swept", n)
	}
}

func TestA7_WhatIsCompletedBetweenInsertAndReadIsReplayed(t *testing.T) {
	t.Parallel()
	g := newGap(t, nil)
	g.begin()
	g.end()
	g.read.Open()
	if a := <-g.ours; a != (answer{"first", nil}) {
		t.Errorf("got %v", a)
	}
	if n := g.events.count(idem.EventWaited); n != 0 || g.events.count(idem.EventReplayed) != 1 {
		t.Errorf("it did not see what was there: %v", g.events.kinds())
	}
	g.wantRuns(1)
}

func TestA8_WhatIsDeletedBetweenInsertAndReadIsLookedAtAgain(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		first error
		// between plays what happens in the gap.
		between func(g *gap)
		want    string // of our call
		runs    int64
	}{
		{"released", errDeclined, (*gap).end, "second", 2},
		{"released, and run with the same arguments", errDeclined, func(g *gap) {
			g.end()
			<-g.other.async(g.Context(), &charge, "k", "a")
		}, "second", 2},
		{"released, and run with other arguments", errDeclined, func(g *gap) {
			g.end()
			<-g.other.async(g.Context(), &charge, "k", "b")
		}, idem.ErrMismatch.Error(), 2},
		{"released, and running with other arguments", errDeclined, func(g *gap) {
			g.end()
			run := idemtest.NewGate(g)
			g.method = func(ctx context.Context, _ int64) (string, error) { return "third", run.Enter(ctx) }
			g.other.async(g.Context(), &charge, "k", "b")
			run.Await(g, 1)
		}, idem.ErrMismatch.Error(), 2},
		{"swept", nil, (*gap).sweep, "second", 2}, // it had expired before our insert saw it
		{"swept, and run with other arguments", nil, func(g *gap) {
			g.sweep()
			<-g.other.async(g.Context(), &charge, "k", "b")
		}, idem.ErrMismatch.Error(), 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			g := newGap(t, c.first)
			if c.first == nil {
				g.end()
				g.age("k", 2*defaultTTL)
			}
			g.begin()
			c.between(g)
			g.read.Open()
			a := <-g.ours
			if got := said(a.result, a.err); got != c.want {
				t.Errorf("got %q, want %q (%v)", got, c.want, a.err)
			}
			if n := g.events.count(idem.EventConflict) + g.events.count(idem.EventWaited); n != 0 {
				t.Errorf("it took somebody for running: %v", g.events.kinds())
			}
			g.wantRuns(c.runs)
		})
	}
}
