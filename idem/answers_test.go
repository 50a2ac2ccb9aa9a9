package idem_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
)

// This file is what a call makes of the answers it gets on its way to a claim: how often it asks, what it leaves behind, and what it
// tells its caller.

// waiting is a call of a key that others have for as long as they like; the outcome is "his".
func (p *play) waiting(ctx context.Context) <-chan error {
	done := make(chan error, 1)
	go func() {
		out, err := p.pay(ctx)
		if err == nil && out != "his" {
			err = errors.New("it got " + out)
		}
		done <- err
	}()
	return done
}

// TestWait_ManyOwnersOneAfterTheOtherAreNoRacesLost: each of them released, and another call was faster. Nothing but the time for waiting
// ends that.
func TestWait_ManyOwnersOneAfterTheOtherAreNoRacesLost(t *testing.T) {
	t.Parallel()
	p := newPlay(t)
	gate := idemtest.NewGate(t)
	p.method = func(ctx context.Context, _ int64) (string, error) { return "mine", gate.Enter(ctx) }
	first := make(chan error, 1)
	go func() { _, err := p.pay(t.Context()); first <- err }()
	gate.Await(t, 1)
	done := p.waiting(t.Context())
	for n := 1; n <= 30; n++ {
		p.eventually("another wait", func() bool { return p.saw(idem.EventWaited) >= n || len(done) > 0 })
		if len(done) > 0 {
			t.Fatalf("after %d owners it got %v", n, <-done)
		}
		p.store.Edit(payRow, func(r *idem.Row) { r.Owner = idem.Owner{byte(n)} })
	}
	p.store.Edit(payRow, func(r *idem.Row) {
		r.State, r.Codec, r.Result, r.Schema = idem.StateDone, "json", []byte(`"his"`), []byte{}
		r.CompletedAt, r.ExpiresAt = time.Now(), time.Now().Add(time.Hour)
	})
	if err := <-done; err != nil {
		t.Error(err)
	}
	gate.Open()
	<-first
}

// TestWait_ALockThatIsHeldForLongIsNoRaceLost: somebody's transaction is open for a minute.
func TestWait_ALockThatIsHeldForLongIsNoRaceLost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := idemtest.NewStore()
		locked := store.Inject(idemtest.StepClaim, idemtest.Fault{
			Times: 40, Err: &idem.StoreError{Reason: "locked", Temporary: true, NotApplied: true, Locked: true},
		})
		e, err := idem.New(store)
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		out, err := idem.Do(t.Context(), e, &pay, idem.Call[string]{
			Key: idem.StringKey("k"), Run: func(context.Context) (string, error) { return "ran", nil },
		})
		if out != "ran" || err != nil || locked.Hits() != 40 {
			t.Errorf("got %q, %v after %d locks", out, err, locked.Hits())
		}
	})
}

// TestClaim_IsSentAFewTimesAndNoMore: a call whose store is down has its answer in about a second, however patient it is.
func TestClaim_IsSentAFewTimesAndNoMore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := idemtest.NewStore()
		store.Inject(idemtest.StepClaim, idemtest.Fault{
			Times: idemtest.Always, Err: &idem.StoreError{Reason: "down", Temporary: true, NotApplied: true},
		})
		e, err := idem.New(store, idem.WithStoreTimeout(time.Hour))
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		began := time.Now()
		_, err = idem.Do(t.Context(), e, &pay, idem.Call[string]{
			Key: idem.StringKey("k"), Run: func(context.Context) (string, error) { return "ran", nil },
		})
		if n := store.Calls(idemtest.StepClaim); !errors.Is(err, idem.ErrStore) || n < 3 || n > 10 || time.Since(began) > 2*time.Second {
			t.Errorf("got %v after %d claims and %v", err, n, time.Since(began))
		}
	})
}

// TestGiveBack_WhatIsAnothersIsLeftAlone: a try whose answer was lost may have won, and the next one said that it had not.
func TestGiveBack_WhatIsAnothersIsLeftAlone(t *testing.T) {
	t.Parallel()
	p := newPlay(t)
	if _, err := p.pay(t.Context()); err != nil {
		t.Fatal(err)
	}
	lost := p.store.Inject(idemtest.StepClaim, idemtest.Fault{Do: idemtest.LoseAnswer})
	claims := p.store.Calls(idemtest.StepClaim)
	if out, err := p.pay(t.Context()); out != "ran 1" || err != nil || lost.Hits() != 1 {
		t.Errorf("got %q, %v", out, err)
	}
	if err := p.engine.Shutdown(t.Context()); err != nil { // it waits for what goes on in the background
		t.Error(err)
	}
	if n := p.store.Calls(idemtest.StepClaim) - claims; n != 2 {
		t.Errorf("%d claims were sent, want 2", n)
	}
}

// TestGiveBack_ATakeOverThatWasNotRunKeepsTheEvidence: the run before it may have had an effect.
func TestGiveBack_ATakeOverThatWasNotRunKeepsTheEvidence(t *testing.T) {
	t.Parallel()
	for name, action := range map[string]idemtest.Action{"answered": idemtest.DelayAnswer, "answer lost": idemtest.LoseAnswer} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlay(t)
			p.method = func(context.Context, int64) (string, error) { return "", idem.Unknown(errors.New("timeout")) }
			_, _ = p.pay(t.Context())
			gate := idemtest.NewGate(t)
			p.store.Inject(idemtest.StepTakeOver, idemtest.Fault{Do: action, Gate: gate})
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan error, 1)
			go func() { _, err := p.pay(ctx); done <- err }()
			gate.Await(t, 1)
			cancel()
			if err := <-done; !errors.Is(err, context.Canceled) {
				t.Errorf("got %v", err)
			}
			p.eventually("the give-back", func() bool { return p.saw(idem.EventAbandoned) == 2 })
			r := p.store.Row(payRow)
			if r.State != idem.StateRunning || !r.Abandoned || !r.Lapsed || r.Expired || r.Attempt != 2 || r.Lapses != 0 {
				t.Errorf("the row is %+v", r)
			}
		})
	}
}

// TestTake_WhatHasExpiredStartsOverWhateverThePolicy: holding and counting are about claims that still mean something.
func TestTake_WhatHasExpiredStartsOverWhateverThePolicy(t *testing.T) {
	t.Parallel()
	hold := func(op *idem.Operation[string]) { op.Takeover = idem.TakeoverHold }
	once := func(op *idem.Operation[string]) { op.MaxAttempts = 1 }
	for name, c := range map[string]struct {
		change func(*idem.Operation[string])
		first  error
	}{
		"an outcome of an operation that holds": {hold, nil},
		"an outcome, and one attempt":           {once, nil},
		"a lapsed claim, and one attempt":       {once, idem.Unknown(errors.New("timeout"))},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlay(t)
			p.method = func(_ context.Context, run int64) (string, error) {
				if run == 1 {
					return "first", c.first
				}
				return "second", nil
			}
			_, _ = p.pay(t.Context(), c.change)
			p.store.Age(payRow, 48*time.Hour)
			if out, err := p.pay(t.Context(), c.change); out != "second" || err != nil {
				t.Errorf("got %q, %v", out, err)
			}
			if p.saw(idem.EventReclaimed) != 1 || p.saw(idem.EventHeld) != 0 {
				t.Errorf("events: %+v", p.events)
			}
		})
	}
}

// TestCollision_ARowOfAnotherKeyIsNotAnswered: whatever of its reference differs, and whatever its state.
func TestCollision_ARowOfAnotherKeyIsNotAnswered(t *testing.T) {
	t.Parallel()
	for name, other := range map[string]func(*idem.Ref){
		"operation": func(r *idem.Ref) { r.Operation = "test.Refund" },
		"scope":     func(r *idem.Ref) { r.Scope = "another tenant" },
		"key":       func(r *idem.Ref) { r.Key = "K" },
	} {
		for _, state := range []string{"done", "expired"} {
			t.Run(name+", "+state, func(t *testing.T) {
				t.Parallel()
				p := newPlay(t)
				_, _ = p.pay(t.Context())
				p.store.Edit(payRow, func(r *idem.Row) { other(&r.Ref) })
				if state == "expired" {
					p.store.Age(payRow, 48*time.Hour)
				}
				out, err := p.pay(t.Context())
				if out != "" || !errors.Is(err, idem.ErrStore) || p.runs.Load() != 1 {
					t.Errorf("got %q, %v, %d runs", out, err, p.runs.Load())
				}
			})
		}
	}
}

// TestConflict_ALockOfAMomentIsNoCallInFlight: while many insert, even the table's growing is waited for.
func TestConflict_ALockOfAMomentIsNoCallInFlight(t *testing.T) {
	t.Parallel()
	for locks, want := range map[int]error{1: nil, 2: nil, 3: idem.ErrInFlight} {
		t.Run(fmt.Sprint(locks), func(t *testing.T) {
			t.Parallel()
			p := newPlay(t)
			fault := p.store.Inject(idemtest.StepClaim, idemtest.Fault{
				Times: locks, Err: &idem.StoreError{Reason: "locked", Temporary: true, NotApplied: true, Locked: true},
			})
			_, err := p.pay(t.Context(), conflicting)
			if !errors.Is(err, want) || fault.Hits() != locks {
				t.Errorf("got %v after %d locks", err, fault.Hits())
			}
		})
	}
}

// TestError_SaysWhenToComeBackOnlyWhereThatHelps: in a second at the earliest.
func TestError_SaysWhenToComeBackOnlyWhereThatHelps(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fault idem.StoreError
		kind  error
		again time.Duration
	}{
		"a store that may be back soon": {idem.StoreError{Temporary: true, NotApplied: true}, idem.ErrStore, time.Second},
		"a store that refuses":          {idem.StoreError{NotApplied: true}, idem.ErrStore, 0},
		"a key that is locked":          {idem.StoreError{Temporary: true, NotApplied: true, Locked: true}, idem.ErrInFlight, time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlay(t)
			p.store.Inject(idemtest.StepClaim, idemtest.Fault{Times: idemtest.Always, Err: &c.fault})
			_, err := p.pay(t.Context(), conflicting)
			var e *idem.Error
			if !errors.As(err, &e) || !errors.Is(err, c.kind) || e.RetryAfter != c.again {
				t.Errorf("got %+v", err)
			}
		})
	}
	p := newPlay(t)
	p.method = func(ctx context.Context, _ int64) (string, error) {
		_, err := p.pay(context.Background(), conflicting)
		return "", err
	}
	_, err := p.pay(t.Context(), func(op *idem.Operation[string]) { op.Lease = 200 * time.Millisecond })
	var e *idem.Error
	if !errors.As(err, &e) || !errors.Is(err, idem.ErrInFlight) || e.RetryAfter != time.Second {
		t.Errorf("of a short lease: %+v", err)
	}
}
