package scenarios

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
	"github.com/idemgen/idemgen/idem/postgres"
)

// This file is a success that finds another call running under the claim it lost: under poll it waits, as a duplicate would,
// and its answer is by how the other one ends.

func TestLate_ASuccessWaitsForItsSuccessor(t *testing.T) {
	t.Parallel()
	world := newStage(t)
	for _, c := range []struct {
		name string
		then func(s *stage, b *lateRun) // what becomes of B, while A waits for it
		want lateSuccess
	}{
		{"which completes", func(_ *stage, b *lateRun) { b.ends("B", nil) }, othersReplayed},
		{"which releases", func(_ *stage, b *lateRun) { b.ends("", idem.NoEffect(errors.New("declined"))) }, ownRetaken.but(func(l *lateSuccess) {
			l.attempt, l.info.Attempt = 1, 1
		})},
		{"which abandons", func(_ *stage, b *lateRun) { b.ends("", idem.Unknown(errors.New("timeout"))) }, ownRetaken},
		{"which lapses", func(s *stage, _ *lateRun) { s.age("k", pastLease) }, ownRetaken},
		{"which fails", func(s *stage, _ *lateRun) { s.editRow("k", storedFailure) }, othersNotGiven.but(func(l *lateSuccess) {
			l.kind, l.of, l.row, l.stored = idem.ErrUnreadable, idem.StateFailed, "failed", `"declined"`
		})},
		{"which is held", func(s *stage, _ *lateRun) { s.editRow("k", "state = 4") }, leaseLost.but(func(l *lateSuccess) {
			l.of, l.row = idem.StateUnknown, "unknown"
		})},
		{"which is deleted, and other arguments come", func(s *stage, b *lateRun) {
			s.editRow("k", "owner = gen_random_uuid(), fingerprint = '\\x01ff', attempt = 1, lapses = 0")
		}, leaseLost.but(func(l *lateSuccess) { l.attempt = 1 })},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := world.afresh(t)
			a := s.beginLate(late(), "x")
			b := s.takesOver("x")
			a.returns("A", nil)
			a.fenced() // and now it waits
			c.then(s, b)
			a.wantSuccess(c.want)
		})
	}
}

// TestLate_TwoLateSuccessesAgree: B lapsed while A waited for it, A's result became the outcome, and B succeeds after all.
func TestLate_TwoLateSuccessesAgree(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	a := s.beginLate(late(), "x")
	b := s.takesOver("x")
	a.returns("A", nil)
	a.fenced()
	s.age("k", pastLease)
	a.wantSuccess(ownRetaken)
	before := s.versionOf("k")
	if got := b.ends("B", nil); got != (answer{"A", nil}) || !b.info.Replayed || !b.info.Stored || b.info.Attempt != 3 {
		t.Errorf("B got %q, %v, %+v; want the outcome that is stored", got.result, got.err, *b.info)
	}
	b.wantEvents(idem.EventTakenOver, idem.EventFenced, idem.EventReplayed)
	if after := s.versionOf("k"); after != before {
		t.Errorf("B made the row\n%s of\n%s", after, before)
	}
}

// TestLate_ASuccessWaitsThroughManySuccessors: the row changes hands again and again, and each time there is somebody to wait for. A wait is
// no race lost, so nothing but its limit ends it.
func TestLate_ASuccessWaitsThroughManySuccessors(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	var outcomes atomic.Int64
	a := s.anotherProcess()
	a.worksOn(&seamStore{Store: postgres.NewStore(s.pool), after: func(_ context.Context, step idemtest.Step, _ *idem.Row) {
		if step == idemtest.StepComplete {
			outcomes.Add(1)
		}
	}})
	gate := idemtest.NewGate(t)
	a.method = func(ctx context.Context, _ int64) (string, error) { return "A", gate.Enter(ctx) }
	slow := a.async(t.Context(), late(), "k", "x")
	gate.Await(t, 1)
	s.editRow("k", "owner = gen_random_uuid()")
	gate.Open()
	for n := range int64(20) {
		s.eventually("the late success to look again", func() bool { return outcomes.Load() > n || len(slow) > 0 })
		if len(slow) > 0 {
			got := <-slow
			t.Fatalf("after %d successors it was told %q, %v", n, got.result, got.err)
		}
		s.editRow("k", "owner = gen_random_uuid()")
	}
	s.editRow("k", "state = 2, keep = NULL, completed_at = clock_timestamp(), expires_at = clock_timestamp() + interval '1 day', "+
		"codec = 'json', schema_hash = '', result = '\"B\"'")
	if got := <-slow; got != (answer{"B", nil}) {
		t.Errorf("it got %q, %v", got.result, got.err)
	}
	a.wantEvents(idem.EventClaimed, idem.EventFenced, idem.EventReplayed)
}

// TestLate_ASuccessDoesNotWaitForEver: the wait is ended by its limit, by its caller, by the engine; the row stays the other
// call's, and the error carries the result.
func TestLate_ASuccessDoesNotWaitForEver(t *testing.T) {
	t.Parallel()
	world := newStage(t)
	const brief = 50 * time.Millisecond
	for _, c := range []struct {
		name    string
		maxWait time.Duration
		end     func(a *lateRun)
		is      error // beside ErrLeaseLost
		isNot   error
	}{
		{"its time is over", brief, func(*lateRun) {}, nil, context.DeadlineExceeded},
		{"its caller gave up", time.Hour, func(a *lateRun) { a.cancel() }, context.Canceled, idem.ErrClosed},
		{"its engine is shut down", time.Hour, func(a *lateRun) {
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			if err := a.engine.Shutdown(ctx); err != nil {
				a.Errorf("shutting down: %v", err)
			}
		}, idem.ErrClosed, context.Canceled},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := world.afresh(t)
			a := s.beginLate(late(func(op *idem.Operation[string]) { op.MaxWait = c.maxWait }), "x")
			b := s.takesOver("x")
			before := s.versionOf("k")
			a.returns("A", nil)
			a.fenced()
			c.end(a)
			got := a.got()
			a.wantOwnResultIn(got, leaseLost)
			if c.is != nil && !errors.Is(got.err, c.is) || errors.Is(got.err, c.isNot) {
				t.Errorf("the error is %+v", got.err)
			}
			if want := (idem.Info{Attempt: 1}); *a.info != want {
				t.Errorf("the late call was told %+v", *a.info)
			}
			a.wantEvents(idem.EventClaimed, idem.EventFenced)
			if after := s.versionOf("k"); after != before {
				t.Errorf("the wait made the row\n%s of\n%s", after, before)
			}
			if got := b.ends("B", nil); got != (answer{"B", nil}) {
				t.Errorf("B got %q, %v", got.result, got.err)
			}
		})
	}
}
