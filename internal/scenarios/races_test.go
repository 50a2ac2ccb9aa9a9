package scenarios

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
	"github.com/idemgen/idemgen/idem/postgres"
	"github.com/idemgen/idemgen/internal/pgtest"
)

// This file is shortcuts that others took, and what they let in: no claim at all, a claim that is looked for before it is locked, and a claim
// that says "done" before the work is.

// TestPB10: a claim is no outcome. A run that failed is not "seen already".
func TestPB10_NothingIsDoneBeforeTheWorkIs(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	lost := errors.New("the database of the orders is down")
	s.method = func(_ context.Context, run int64) (string, error) {
		if r := s.charged("k"); r.State != int(idem.StateRunning) || r.Codec != "" || s.outcomes() != 0 {
			t.Errorf("in run %d the row is %+v", run, r)
		}
		if run == 1 {
			return "", lost
		}
		return "handled", nil
	}
	if _, err := s.call(t.Context(), &charge, "k", "a"); err != lost { //nolint:errorlint // unchanged
		t.Errorf("the first delivery: %v", err)
	}
	for range 2 {
		if out, err := s.call(t.Context(), &charge, "k", "a"); out != "handled" || err != nil {
			t.Errorf("a redelivery: %q, %v", out, err)
		}
	}
	s.wantRuns(2)
}

// TestPB11 is two processes: what one has claimed the other sees before the method starts, and not only when there is an outcome.
func TestPB11_TheClaimIsCommittedBeforeTheMethodStarts(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	gate := idemtest.NewGate(t)
	s.method = func(ctx context.Context, run int64) (string, error) {
		if got := s.charged("k").String(); got != "running" {
			t.Errorf("when run %d starts, others see the row as %q", run, got)
		}
		return "charged", gate.Enter(ctx)
	}
	first := s.async(t.Context(), &charge, "k", "a")
	gate.Await(t, 1)

	other := s.twin()
	other.worksOn(postgres.NewStore(pgtest.PoolOf(t, s.dsn)))
	_, err := other.call(t.Context(), with(conflict), "k", "a")
	wantErr(t, err, idem.ErrInFlight)
	second := other.async(t.Context(), &charge, "k", "a")
	gate.Open()
	for _, c := range []<-chan answer{first, second} {
		if a := <-c; a != (answer{"charged", nil}) {
			t.Errorf("got %v", a)
		}
	}
	s.wantRuns(1)
}

// overtaken is a call that has seen the row, and acts on what it saw when somebody else has run and ended meanwhile.
type overtaken struct {
	name string
	step idemtest.Step
	// before brings the row into the state that the call sees.
	before func(t *testing.T, s *stage)
	op     *idem.Operation[string]
	runs   int64 // of the method, in the end
}

var overtakings = []overtaken{
	{"claim", idemtest.StepClaim, func(*testing.T, *stage) {}, &charge, 1},
	{"take over", idemtest.StepTakeOver, func(t *testing.T, s *stage) {
		s.panicking(&charge, "k")
	}, &charge, 2},
	{"reclaim", idemtest.StepReclaim, func(t *testing.T, s *stage) {
		if _, err := s.call(t.Context(), &charge, "k", "a"); err != nil {
			t.Fatal(err)
		}
		s.age("k", 25*time.Hour)
	}, &charge, 2},
	{"hold", idemtest.StepHoldLapsed, func(t *testing.T, s *stage) {
		s.panicking(&charge, "k")
	}, with(holding), 2},
}

// TestPB12: between looking and locking another call may have come, run, and gone. What was seen is tested again by the statement that acts.
func TestPB12_WhatWasSeenIsTestedAgainWhenItIsActedOn(t *testing.T) {
	t.Parallel()
	for _, c := range overtakings {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			s.method = func(_ context.Context, run int64) (string, error) {
				if run == 1 && (c.step == idemtest.StepTakeOver || c.step == idemtest.StepHoldLapsed) {
					panic("dead")
				}
				return "theirs", nil
			}
			c.before(t, s)
			x, hits := s.behindSeam(postgres.NewStore(s.pool)), 0
			x.inTheGap(c.step, func() { // another call does all that there is to do
				hits++
				if out, err := x.other.call(t.Context(), &charge, "k", "a"); out != "theirs" || err != nil {
					t.Errorf("the other call got %q, %v", out, err)
				}
				s.age("k", time.Minute) // so that it is not the lease alone that keeps the late one away
			})
			before := s.events.count(idem.EventReplayed)
			ctx, info := idem.WithInfo(t.Context())
			out, err := s.call(ctx, c.op, "k", "a")
			if out != "theirs" || err != nil || !info.Replayed {
				t.Errorf("the overtaken call got %q, %v, %+v", out, err, info)
			}
			if hits == 0 || s.events.count(idem.EventReplayed) != before+1 {
				t.Errorf("the gap was hit %d times; events %v", hits, s.events.kinds())
			}
			s.wantRuns(c.runs)
			s.wantRowNow("k", "done")
		})
	}
}

// TestPB12 again, inside one statement: the claim's own look says that the key is free, and while its insert waits for another
// transaction on the same key, that one commits a whole run.
func TestPB12_AClaimThatFoundTheKeyFreeStillLosesToWhoCommitsFirst(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	if out, err := s.call(t.Context(), &charge, "k", "a"); out != "ran 1" || err != nil {
		t.Fatal(out, err)
	}
	s.exec("CREATE TABLE kept AS SELECT * FROM idem_claims")
	s.exec("DELETE FROM idem_claims")
	tx, err := s.pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(context.Background()) }()
	if _, err := tx.Exec(t.Context(), "INSERT INTO idem_claims SELECT * FROM kept"); err != nil {
		t.Fatal(err)
	}
	call := s.async(t.Context(), &charge, "k", "a")
	s.awaitHeld(1, sqlClaim)
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if a := <-call; a != (answer{"ran 1", nil}) {
		t.Errorf("got %v", a)
	}
	s.wantRuns(1)
}
