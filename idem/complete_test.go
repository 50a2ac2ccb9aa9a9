package idem_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
)

// This file is a method that has succeeded, and a store or another call that is in the way of its outcome.

func TestComplete_OneThatCannotBeStoredNowIsStoredLater(t *testing.T) {
	t.Parallel()
	p := newPlay(t)
	down := p.store.Inject(idemtest.StepComplete, idemtest.Fault{Do: idemtest.Refuse, Times: idemtest.Always})
	ctx, info := idem.WithInfo(t.Context())
	out, err := p.pay(ctx)
	if out != "ran 1" || err != nil || info.Stored {
		t.Errorf("got %q, %v, %+v; want the result, not stored", out, err, info)
	}
	if p.saw(idem.EventCompleteFailed) != 1 || p.saw(idem.EventReleased)+p.saw(idem.EventAbandoned) != 0 {
		t.Errorf("events: %+v", p.events)
	}
	if _, err := p.pay(t.Context(), conflicting); !errors.Is(err, idem.ErrInFlight) {
		t.Errorf("a second call meanwhile got %v", err)
	}
	down.Stop()
	p.eventually("the outcome", func() bool { return p.saw(idem.EventCompleted) == 1 })
	p.want("ran 1", 1, idem.StateDone)
}

func TestComplete_WhatTheStoreWillNeverTakeBecomesATombstone(t *testing.T) {
	t.Parallel()
	p := newPlay(t)
	p.store.Inject(idemtest.StepComplete, idemtest.Fault{Err: &idem.StoreError{Reason: "disk full", NotApplied: true, TooMuch: true}})
	ctx, info := idem.WithInfo(t.Context())
	if out, err := p.pay(ctx); out != "ran 1" || err != nil || info.Stored {
		t.Errorf("got %q, %v, %+v", out, err, info)
	}
	if _, err := p.pay(t.Context()); !errors.Is(err, idem.ErrResultNotStored) || p.runs.Load() != 1 {
		t.Errorf("a later call got %v after %d runs", err, p.runs.Load())
	}
}

// TestComplete_WhatTheStoreRefusesForAnotherReasonKeepsItsResult: the database is read-only for a moment, say. A tombstone that went
// through a moment later would lose the result for nothing.
func TestComplete_WhatTheStoreRefusesForAnotherReasonKeepsItsResult(t *testing.T) {
	t.Parallel()
	p := newPlay(t)
	refused := p.store.Inject(idemtest.StepComplete, idemtest.Fault{Err: &idem.StoreError{Reason: "read-only", NotApplied: true}})
	ctx, info := idem.WithInfo(t.Context())
	if out, err := p.pay(ctx); out != "ran 1" || err != nil || info.Stored || refused.Hits() != 1 {
		t.Errorf("got %q, %v, %+v", out, err, info)
	}
	p.eventually("the outcome", func() bool { return p.saw(idem.EventCompleted) == 1 })
	p.want("ran 1", 1, idem.StateDone)
}

// TestComplete_AfterLoss: the method succeeds under a claim that it lost. What the row is by then decides what the caller gets.
func TestComplete_UnderALostClaim(t *testing.T) {
	t.Parallel()
	rival := idem.Owner{9}
	for name, c := range map[string]struct {
		edit   func(*idem.Row)
		change func(*idem.Operation[string])
		result string
		kind   error
		state  idem.State
	}{
		"gone: inserted complete": {
			edit: func(r *idem.Row) { r.State = idem.StateAbsent }, result: "mine", state: idem.StateDone,
		},
		"unknown, still ours: completed": {
			edit: func(r *idem.Row) { r.State = idem.StateUnknown }, result: "mine", state: idem.StateDone,
		},
		"unknown, another's": {
			edit: func(r *idem.Row) { r.State, r.Owner = idem.StateUnknown, rival }, kind: idem.ErrLeaseLost, state: idem.StateUnknown,
		},
		"done by another: his outcome": {
			edit: func(r *idem.Row) {
				r.State, r.Owner, r.Codec, r.Result = idem.StateDone, rival, "json", []byte(`"his"`)
				r.Schema, r.CompletedAt, r.ExpiresAt = []byte{}, time.Now(), time.Now().Add(time.Hour)
			},
			result: "his", state: idem.StateDone,
		},
		"done by another with other arguments": {
			edit: func(r *idem.Row) {
				r.State, r.Owner, r.Codec, r.Result = idem.StateDone, rival, "json", []byte(`"his"`)
				r.Schema, r.CompletedAt, r.ExpiresAt = []byte{}, time.Now(), time.Now().Add(time.Hour)
				r.Fingerprint = []byte{1, 2, 3}
			},
			kind: idem.ErrLeaseLost, state: idem.StateDone,
		},
		"running by another, fail fast": {
			edit: func(r *idem.Row) { r.Owner = rival }, change: conflicting, kind: idem.ErrLeaseLost, state: idem.StateRunning,
		},
		"running by another, for too long": {
			edit:   func(r *idem.Row) { r.Owner = rival },
			change: func(op *idem.Operation[string]) { op.MaxWait = 30 * time.Millisecond }, kind: idem.ErrLeaseLost, state: idem.StateRunning,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlay(t)
			p.method = func(context.Context, int64) (string, error) {
				p.store.Edit(payRow, c.edit)
				return "mine", nil
			}
			change := c.change
			if change == nil {
				change = func(*idem.Operation[string]) {}
			}
			out, err := p.pay(t.Context(), change)
			if out != c.result || !errors.Is(err, c.kind) {
				t.Errorf("got %q, %v; want %q, %v", out, err, c.result, c.kind)
			}
			if c.kind != nil {
				if lost, ok := idem.LostResult[string](err); !ok || lost != "mine" {
					t.Errorf("the error carries %q, %v", lost, ok)
				}
				var e *idem.Error
				if errors.As(err, &e); e.RetryAfter != 0 {
					t.Error("it invites a retry")
				}
			}
			if r := p.store.Row(payRow); r.State != c.state {
				t.Errorf("the row is in state %d, want %d", r.State, c.state)
			}
			if fenced := p.saw(idem.EventFenced); (fenced == 1) != (c.state != idem.StateDone || c.result != "mine") {
				t.Errorf("%d fenced events", fenced)
			}
		})
	}
}

// TestComplete_LapsedSuccessor: the call that took over died too; the result that is there is the outcome, and nobody runs a third time.
func TestComplete_ALapsedSuccessorsClaimTakesTheResult(t *testing.T) {
	t.Parallel()
	p := newPlay(t)
	p.method = func(context.Context, int64) (string, error) {
		p.store.Edit(payRow, func(r *idem.Row) { r.Owner, r.Attempt = idem.Owner{9}, 2 })
		p.store.Age(payRow, 2*time.Minute)
		return "mine", nil
	}
	if out, err := p.pay(t.Context()); out != "mine" || err != nil {
		t.Errorf("got %q, %v", out, err)
	}
	p.want("mine", 1, idem.StateDone)
}

// TestComplete_ARetakenClaimIsCompletedInTheEnd has the store fail when the call has its claim back: nobody else would complete it,
// and when its lease were over the next caller would run again.
func TestComplete_ARetakenClaimIsCompletedInTheEnd(t *testing.T) {
	t.Parallel()
	for name, successor := range map[string]func(*play){
		"lapsed": func(p *play) {
			p.store.Edit(payRow, func(r *idem.Row) { r.Owner, r.Attempt = idem.Owner{9}, 2 })
			p.store.Age(payRow, 2*time.Minute)
		},
		"expired": func(p *play) {
			p.store.Edit(payRow, func(r *idem.Row) { r.Owner, r.Attempt = idem.Owner{9}, 2 })
			p.store.Age(payRow, 48*time.Hour)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlay(t)
			var down *idemtest.Injection
			p.method = func(context.Context, int64) (string, error) {
				successor(p)
				down = p.store.Inject(idemtest.StepComplete, idemtest.Fault{Skip: 1, Times: idemtest.Always})
				return "mine", nil
			}
			ctx, info := idem.WithInfo(t.Context())
			if out, err := p.pay(ctx); out != "mine" || err != nil || info.Stored {
				t.Errorf("got %q, %v, %+v", out, err, info)
			}
			if down.Hits() == 0 {
				t.Error("the store did not fail")
			}
			down.Stop()
			p.eventually("the outcome", func() bool { return p.saw(idem.EventCompleted) == 1 })
			p.want("mine", 1, idem.StateDone)
		})
	}
}
