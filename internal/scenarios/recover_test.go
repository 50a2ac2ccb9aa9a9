package scenarios

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
)

// This file is what the next caller does when somebody began and vanished: nobody runs again what may have happened without
// having asked, or having been told to.

// TestB4: people who move money want a claim to outlive its process, because a take-over ran a withdrawal again whose first attempt may have
// gone through.
func TestB4_WhatMayHaveHappenedIsNotRunAgainUnasked(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		op     *idem.Operation[string]
		effect bool // of the one that died
		next   answer
		runs   int64
		asked  int64
		row    string
	}{
		"recover, and it happened": {with(recovering), true, answer{"charge 1", nil}, 1, 1, "done"},
		"recover, and it did not":  {with(recovering), false, answer{"charge 1", nil}, 2, 1, "done"},
		"hold":                     {with(holding), true, answer{"", idem.ErrOutcomeUnknown}, 1, 0, "unknown"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			l := newLedger(s)
			l.op, s.find = c.op, l.find
			diesInTheMethod(t, l)
			if !c.effect {
				s.exec("TRUNCATE charges RESTART IDENTITY")
			}
			next := s.anotherProcess()
			next.plays = s
			s.method = func(ctx context.Context, _ int64) (string, error) { return l.charge(ctx) }
			for range 2 {
				out, err := next.call(t.Context(), c.op, "k", "a")
				if out != c.next.result || !errors.Is(err, c.next.err) {
					t.Errorf("the next caller got %q, %v", out, err)
				}
			}
			s.wantRuns(c.runs)
			if n := s.asked.Load(); n != c.asked {
				t.Errorf("it was asked %d times", n)
			}
			l.want(1)
			s.wantRowNow("k", c.row)
		})
	}
}

// TestB11: a worker died when its change was committed and the answer not recorded, and the create was run again.
func TestB11_AnEffectWhoseOutcomeWasNotRecordedIsFoundAndNotHadAgain(t *testing.T) {
	t.Parallel()
	for name, crash := range map[string]func(t *testing.T, l *ledger){
		"the process dies in the method":         diesInTheMethod,
		"the process dies before it can store":   diesBeforeComplete,
		"the goroutine ends after the effect":    panicsAfterTheEffect,
		"the connection breaks after the effect": saysNothingAfterTheEffect,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			l := newLedger(s)
			l.op, s.find = with(recovering), l.find
			crash(t, l)
			s.method = func(context.Context, int64) (string, error) { return "created again", nil }
			const callers = 8 // one of them asks, the others wait for the answer
			next := s.anotherProcess()
			next.plays = s
			idemtest.Callers(t, callers, func(int) {
				ctx, info := idem.WithInfo(t.Context())
				out, err := next.call(ctx, l.op, "k", "a")
				if out != "charge 1" || err != nil || info.Attempt != 2 || info.Recovered == info.Replayed {
					t.Errorf("a caller got %q, %v, %+v", out, err, *info)
				}
			})
			s.wantRuns(1)
			l.want(1)
			if n := s.asked.Load(); n != 1 {
				t.Errorf("it was asked %d times", n)
			}
			s.wantRowNow("k", "done")
		})
	}
}

// TestRecover_ADeathInItIsAskedAboutAgain: whoever dies while asking has run nothing.
func TestRecover_ADeathInItIsAskedAboutAgain(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	l := newLedger(s)
	l.op = with(recovering)
	diesInTheMethod(t, l)
	s.method = func(ctx context.Context, _ int64) (string, error) { return l.charge(ctx) }
	gate := idemtest.NewGate(t)
	var questions atomic.Int64
	s.find = func(ctx context.Context) (string, bool, error) {
		if questions.Add(1) == 1 {
			_ = gate.Enter(context.Background())
			return "", false, nil // too late to run
		}
		return l.find(ctx)
	}
	dead := s.async(t.Context(), l.op, "k", "a")
	gate.Await(t, 1)
	if r := s.charged("k"); r.counted() != "running 2 1" {
		t.Errorf("while it is asked the row is %q", r.counted())
	}
	s.age("k", time.Minute)
	next := s.anotherProcess()
	next.plays = s
	if out, err := next.call(t.Context(), l.op, "k", "a"); out != "charge 1" || err != nil {
		t.Errorf("the next caller got %q, %v", out, err)
	}
	gate.Open()
	// Its lease was taken from behind its back, so it may still run, and then learns whose outcome it is.
	if a := <-dead; a.result != "charge 1" || a.err != nil {
		t.Errorf("who was taken for dead got %q, %v", a.result, a.err)
	}
	if r := s.charged("k"); r.counted() != "done 3 2" {
		t.Errorf("the row is %q", r.counted())
	}
	l.want(1)
}

// TestMaxAttempts: a poisonous input must not end all processes that there are, one after the other. The rows are aged, so ten leases pass at once.
func TestMaxAttempts_APoisonousInputEndsTenProcessesAndNoMore(t *testing.T) {
	t.Parallel()
	world := newStage(t)
	for name, op := range map[string]*idem.Operation[string]{"rerun": &charge, "recover": with(recovering)} {
		for how, ends := range map[string]func(s, process *stage){
			"lapses": func(s, process *stage) {
				gate := idemtest.NewGate(s)
				s.method = func(context.Context, int64) (string, error) {
					_ = gate.Enter(context.Background())
					return "", errors.New("long dead")
				}
				dead := process.async(context.Background(), op, "k", "a")
				gate.Await(s, 1)
				s.age("k", time.Minute)
				s.Cleanup(func() { gate.Open(); <-dead })
			},
			"panics": func(s, process *stage) {
				s.method = func(context.Context, int64) (string, error) { panic("poison") }
				process.panicking(op, "k")
			},
		} {
			t.Run(name+"/"+how, func(t *testing.T) {
				s := world.afresh(t)
				s.find = func(context.Context) (string, bool, error) { return "", false, nil }
				for range 10 {
					process := s.anotherProcess()
					process.plays = s
					ends(s, process)
				}
				s.method = nil
				last := s.anotherProcess()
				last.plays = s
				for range 2 {
					_, err := last.call(t.Context(), op, "k", "a")
					failed := wantErr(t, err, idem.ErrOutcomeUnknown)
					var claimed time.Time
					s.mustLook("k", "claimed_at", &claimed)
					if failed.Attempt != 10 || !failed.Since.Equal(claimed) || failed.RetryAfter != 0 {
						t.Errorf("it says %+v; the last attempt began at %v", failed, claimed)
					}
				}
				last.wantEvents(idem.EventHeld, idem.EventUnknown, idem.EventUnknown)
				s.wantRuns(10)
				if r := s.charged("k"); r.State != int(idem.StateUnknown) || r.Attempt != 10 {
					t.Errorf("the row is %+v", r)
				}
			})
		}
	}
}
