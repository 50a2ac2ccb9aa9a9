package idem_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
)

// This file is the moment between the claim and the method: nothing is started that should not be.

// hooked is a store that calls a function when a claim was answered and the engine does not know yet.
type hooked struct {
	*idemtest.Store
	claimed func()
}

func (h hooked) Claim(ctx context.Context, c idem.Claim) (idem.Row, error) {
	row, err := h.Store.Claim(ctx, c)
	h.claimed()
	return row, err
}

func TestStart_NothingIsStartedAfterTheContextsEndNorTheEngines(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		end  func(*play, context.CancelFunc)
		kind error
	}{
		"the context's": {func(_ *play, cancel context.CancelFunc) { cancel() }, context.Canceled},
		"the engine's": {func(p *play, _ context.CancelFunc) {
			ended, stop := context.WithCancel(context.Background())
			stop()
			_ = p.engine.Shutdown(ended)
		}, idem.ErrClosed},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlay(t)
			ctx, cancel := context.WithCancel(t.Context())
			p.with(hooked{p.store, func() { c.end(p, cancel) }})
			_, err := p.pay(ctx)
			if !errors.Is(err, c.kind) || p.runs.Load() != 0 {
				t.Errorf("got %v after %d runs", err, p.runs.Load())
			}
			p.eventually("the release", func() bool { return p.saw(idem.EventReleased) == 1 })
			if r := p.store.Row(payRow); r.State != idem.StateAbsent {
				t.Errorf("the row is %+v", r)
			}
		})
	}
}

// TestStart: an answer that was so long on its way that the lease may be over is no permission to start: the lease is renewed first.
func TestStart_ALeaseThatMayBeOverIsRenewedFirst(t *testing.T) {
	t.Parallel()
	for name, stolen := range map[string]bool{"still ours": false, "taken over meanwhile": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlay(t)
			gate := idemtest.NewGate(t)
			short := func(op *idem.Operation[string]) { op.Lease = 100 * time.Millisecond }
			p.store.Inject(idemtest.StepClaim, idemtest.Fault{Do: idemtest.LoseAnswer})
			p.store.Inject(idemtest.StepClaim, idemtest.Fault{Do: idemtest.Delay, Gate: gate})
			done := make(chan error, 1)
			go func() {
				out, err := p.pay(t.Context(), short)
				if want := map[bool]string{false: "ran 1", true: "rival"}[stolen]; out != want {
					err = errors.Join(err, fmt.Errorf("got %q, want %q", out, want))
				}
				done <- err
			}()
			gate.Await(t, 1)
			p.store.Age(payRow, time.Second)
			if stolen {
				p.method = func(context.Context, int64) (string, error) { return "rival", nil }
				if out, err := p.pay(t.Context()); out != "rival" || err != nil {
					t.Errorf("the rival got %q, %v", out, err)
				}
			}
			gate.Open()
			if err := <-done; err != nil {
				t.Error(err)
			}
			if !stolen && p.store.Calls(idemtest.StepRenew) == 0 {
				t.Error("it started on a lease that was over")
			}
			if n := p.runs.Load(); n != 1 {
				t.Errorf("ran %d times", n)
			}
		})
	}
}

// TestStart_AClaimWhoseAnswerWasLongOnItsWayIsRenewedFirst: the lease counts from when the claim was sent.
func TestStart_AClaimWhoseAnswerWasLongOnItsWayIsRenewedFirst(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := idemtest.NewStore()
		gate := idemtest.NewGate(t)
		store.Inject(idemtest.StepClaim, idemtest.Fault{Do: idemtest.DelayAnswer, Gate: gate})
		e, err := idem.New(store, idem.WithStoreTimeout(time.Hour))
		if err != nil {
			t.Fatal(err)
		}
		renewed := make(chan int, 1)
		go func() {
			_, err := idem.Do(t.Context(), e, &pay, idem.Call[string]{
				Key: idem.StringKey("k"),
				Run: func(context.Context) (string, error) {
					renewed <- store.Calls(idemtest.StepRenew)
					return "", nil
				},
			})
			if err != nil {
				t.Error(err)
			}
		}()
		gate.Await(t, 1)
		time.Sleep(pay.Lease * 95 / 100)
		gate.Open()
		if n := <-renewed; n != 1 {
			t.Errorf("it was renewed %d times before its method was started", n)
		}
		synctest.Wait()
		_ = e.Close()
	})
}

// TestStart_AnObserverThatTakesLongDoesNotLetARunStartLate: what is checked just before the start has to be true at the start.
func TestStart_AnObserverThatTakesLongDoesNotLetARunStartLate(t *testing.T) {
	t.Parallel()
	var held, late atomic.Int64
	p := newPlay(t, idem.WithObserver(idem.ObserverFunc(func(_ context.Context, ev idem.Event) {
		if ev.Kind == idem.EventClaimed && held.Add(1) == 1 {
			time.Sleep(500 * time.Millisecond)
		}
	})))
	p.method = func(ctx context.Context, run int64) (string, error) {
		if ctx.Err() != nil {
			late.Add(1)
		}
		return "charged", nil
	}
	short := func(op *idem.Operation[string]) { op.Lease, op.NoRenew = 200*time.Millisecond, true }
	out, err := p.pay(t.Context(), short)
	t.Logf("%q, %v; %v", out, err, p.kinds())
	if late.Load() != 0 {
		t.Error("the method was started under a lease that was over")
	}
}

// secondThoughts is a store whose first claim is answered late, and whose first renewal is answered as a test says.
type secondThoughts struct {
	*idemtest.Store
	late    time.Duration // of the claim's answer
	renew   func() (answer idem.Renewal, applied bool)
	renewed int
}

func (s *secondThoughts) Claim(ctx context.Context, c idem.Claim) (idem.Row, error) {
	row, err := s.Store.Claim(ctx, c)
	time.Sleep(s.late)
	s.late = 0
	return row, err
}

func (s *secondThoughts) Renew(ctx context.Context, leases []idem.Lease) ([]idem.Renewal, error) {
	if s.renewed++; s.renewed > 1 {
		return s.Store.Renew(ctx, leases)
	}
	answer, applied := s.renew()
	if !applied {
		return []idem.Renewal{answer}, nil
	}
	answers, err := s.Store.Renew(ctx, leases)
	time.Sleep(pay.Lease * 95 / 100)
	return answers, err
}

// TestStart_ARenewalThatSaysNothingIsNoPermission: the claim's answer came late, so the lease is renewed first; and that answer comes
// late, too, or says only that somebody has the row locked.
func TestStart_ARenewalThatSaysNothingIsNoPermission(t *testing.T) {
	t.Parallel()
	for name, renew := range map[string]func() (idem.Renewal, bool){
		"locked":        func() (idem.Renewal, bool) { return idem.RenewalLocked, false },
		"answered late": func() (idem.Renewal, bool) { return idem.RenewalDone, true },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := &secondThoughts{Store: idemtest.NewStore(), late: pay.Lease * 95 / 100, renew: renew}
				e, err := idem.New(store, idem.WithStoreTimeout(time.Hour))
				if err != nil {
					t.Fatal(err)
				}
				defer e.Close()
				_, err = idem.Do(t.Context(), e, &pay, idem.Call[string]{
					Key: idem.StringKey("k"),
					Run: func(context.Context) (string, error) {
						if left := store.Row(payRow).LeaseLeft; left < pay.Lease/2 || store.renewed != 2 {
							t.Errorf("it was started with %v of its lease left, after %d renewals", left, store.renewed)
						}
						return "", nil
					},
				})
				if err != nil {
					t.Error(err)
				}
			})
		})
	}
}
