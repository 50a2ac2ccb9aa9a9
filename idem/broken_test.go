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

// This file holds what once broke the engine.

func TestShutdown_EndsTheSweeper(t *testing.T) {
	t.Parallel()
	e, err := idem.New(idemtest.NewStore(), idem.WithSweep(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if err := e.Shutdown(ctx); err != nil {
		t.Errorf("an idle engine's shutdown says %v", err)
	}
}

// TestLease_SlowClaim: a claim whose answer took most of the lease starts its method, and then keeps the lease.
func TestLease_ASlowClaimsLeaseIsRenewedBeforeItIsOver(t *testing.T) {
	t.Parallel()
	for _, percent := range []int{10, 50, 65, 75, 85, 89, 95} {
		t.Run(fmt.Sprint(percent), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const lease = 10 * time.Second
				store := slow{idemtest.NewStore(), lease * time.Duration(percent) / 100}
				e, err := idem.New(store, idem.WithStoreTimeout(time.Hour))
				if err != nil {
					t.Fatal(err)
				}
				defer e.Close()
				out, err := idem.Do(t.Context(), e, &idem.Operation[string]{Name: "test.Slow", Lease: lease}, idem.Call[string]{
					Key: idem.StringKey("k"),
					Run: func(ctx context.Context) (string, error) {
						select {
						case <-ctx.Done():
							return "", context.Cause(ctx)
						case <-time.After(5 * lease):
							return "kept", nil
						}
					},
				})
				if out != "kept" || err != nil {
					t.Errorf("got %q, %v", out, err)
				}
			})
		})
	}
}

// slow is a store whose answer to a claim is long on its way.
type slow struct {
	*idemtest.Store
	delay time.Duration
}

func (s slow) Claim(ctx context.Context, c idem.Claim) (idem.Row, error) {
	row, err := s.Store.Claim(ctx, c)
	time.Sleep(s.delay)
	return row, err
}

func TestClose_LeavesNoLeaseOfAnOutcomeThatCouldNotBeStored(t *testing.T) {
	t.Parallel()
	p := newPlay(t)
	p.store.Inject(idemtest.StepComplete, idemtest.Fault{Times: idemtest.Always})
	gate := idemtest.NewGate(t)
	p.method = func(ctx context.Context, _ int64) (string, error) {
		return "charged", gate.Enter(context.WithoutCancel(ctx))
	}
	done := make(chan error, 1)
	go func() {
		_, err := p.pay(t.Context(), func(op *idem.Operation[string]) { op.Lease = 200 * time.Millisecond })
		done <- err
	}()
	gate.Await(t, 1)
	ended, stop := context.WithCancel(context.Background())
	stop()
	if err := p.engine.Shutdown(ended); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	gate.Open()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	renewals := p.store.Calls(idemtest.StepRenew) // NoLeaks sees a renewer that goes on
	p.eventually("the lease's end", func() bool { return p.store.Row(payRow).Lapsed })
	if n := p.store.Calls(idemtest.StepRenew); n > renewals+1 {
		t.Errorf("%d renewals after the call", n-renewals)
	}
}

func TestClaim_OneThatHangsEndsWithTheStoreTimeout(t *testing.T) {
	t.Parallel()
	for _, step := range []idemtest.Step{idemtest.StepClaim, idemtest.StepTakeOver} {
		t.Run(string(step), func(t *testing.T) {
			t.Parallel()
			p := newPlay(t, idem.WithStoreTimeout(150*time.Millisecond))
			if step == idemtest.StepTakeOver {
				p.method = func(context.Context, int64) (string, error) { return "", context.Canceled }
				_, _ = p.pay(t.Context())
			}
			gate := idemtest.NewGate(t)
			p.store.Inject(step, idemtest.Fault{Do: idemtest.LoseAnswer, Times: idemtest.Always, Gate: gate})
			runs := p.runs.Load()
			_, err := p.pay(context.WithoutCancel(t.Context()), conflicting)
			if !errors.Is(err, idem.ErrStore) || p.runs.Load() != runs {
				t.Errorf("got %v, %d runs", err, p.runs.Load()-runs)
			}
		})
	}
}

func TestReentrant_NotAfterTheRunHasEnded(t *testing.T) {
	t.Parallel()
	p := newPlay(t)
	var kept context.Context
	p.method = func(ctx context.Context, _ int64) (string, error) {
		kept = context.WithoutCancel(ctx) // for a job that goes on
		return "charged", nil
	}
	_, _ = p.pay(t.Context())
	if out, err := p.pay(kept); out != "charged" || err != nil {
		t.Errorf("got %q, %v", out, err)
	}
}

// TestHold_LateOwner: somebody held the row as unknown while its owner was alive, who then says what happened.
func TestHold_ALateOwnerWhoKnowsSettlesWhatWasHeld(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err   error
		state idem.State
	}{
		"no effect": {idem.NoEffect(errors.New("declined")), idem.StateAbsent},
		"unknown":   {idem.Unknown(errors.New("timeout")), idem.StateUnknown},
		"done":      {nil, idem.StateDone},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlay(t)
			var owner idem.Owner
			p.method = func(context.Context, int64) (string, error) {
				p.store.Edit(payRow, func(r *idem.Row) { r.State, owner = idem.StateUnknown, r.Owner })
				return "charged", c.err
			}
			_, err := p.pay(t.Context(), func(op *idem.Operation[string]) { op.Takeover = idem.TakeoverHold })
			if !errors.Is(err, c.err) || p.saw(idem.EventFenced) != 0 {
				t.Errorf("got %v, %d fenced", err, p.saw(idem.EventFenced))
			}
			r := p.store.Row(payRow)
			if r.State != c.state || c.state == idem.StateUnknown && r.Owner == owner {
				t.Errorf("the row is %+v", r)
			}
		})
	}
}

func TestLease_ShortOnesDoNotCostLongOnesTheirs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := slowRenewals{idemtest.NewStore()}
		e, err := idem.New(store, idem.WithStoreTimeout(time.Hour))
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		run := func(key string, lease time.Duration) error {
			_, err := idem.Do(t.Context(), e, &idem.Operation[string]{Name: "test.Lease", Lease: lease}, idem.Call[string]{
				Key: idem.StringKey(key),
				Run: func(ctx context.Context) (string, error) {
					select {
					case <-ctx.Done():
						return "", context.Cause(ctx)
					case <-time.After(time.Minute):
						return "kept", nil
					}
				},
			})
			return err
		}
		done := make(chan error)
		go func() { done <- run("long", 15*time.Second) }()
		for range 60 { // one after another, each too short for this store
			_ = run("short", time.Second)
		}
		if err := <-done; err != nil {
			t.Errorf("the long one got %v", err)
		}
	})
}

// slowRenewals takes a second and a half for a renewal.
type slowRenewals struct{ *idemtest.Store }

func (s slowRenewals) Renew(ctx context.Context, leases []idem.Lease) ([]idem.Renewal, error) {
	select {
	case <-time.After(1500 * time.Millisecond):
		return s.Store.Renew(ctx, leases)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// TestGiveBack: the call was about to look at its claim again when its context ended; what it had won must not stay behind.
func TestGiveBack_AClaimThatWasToBeLookedAtAgain(t *testing.T) {
	t.Parallel()
	p := newPlay(t)
	ctx, cancel := context.WithCancel(t.Context())
	p.with(busy{slow{p.store, 120 * time.Millisecond}, cancel})
	_, err := p.pay(ctx, func(op *idem.Operation[string]) { op.Lease, op.Takeover = 100*time.Millisecond, idem.TakeoverHold })
	if !errors.Is(err, context.Canceled) || p.runs.Load() != 0 {
		t.Errorf("got %v after %d runs", err, p.runs.Load())
	}
	p.eventually("the release", func() bool { return p.saw(idem.EventReleased) == 1 })
	if r := p.store.Row(payRow); r.State != idem.StateAbsent {
		t.Errorf("the row is %+v", r)
	}
}

// busy is a store whose rows are locked by others when they are to be renewed.
type busy struct {
	slow
	asked func()
}

func (b busy) Renew(context.Context, []idem.Lease) ([]idem.Renewal, error) {
	b.asked()
	return []idem.Renewal{idem.RenewalLocked}, nil
}
