package idem_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
)

// This file plays the engine against a store whose answers get lost, come late, or don't come: what a database does on a
// bad day, without one. What only a database can show is in internal/scenarios.

// play is one engine over one store in memory.
type play struct {
	*testing.T
	store  *idemtest.Store
	engine *idem.Engine
	runs   atomic.Int64
	method func(ctx context.Context, run int64) (string, error)

	mu     sync.Mutex
	events []idem.Event
}

var pay = idem.Operation[string]{Name: "test.Pay", Lease: time.Minute}

var payRow = idem.RowID(idem.Ref{Operation: pay.Name, Key: "k"})

func newPlay(t *testing.T, opts ...idem.Option) *play {
	t.Helper()
	idemtest.NoLeaks(t)
	p := &play{T: t, store: idemtest.NewStore()}
	opts = append([]idem.Option{idem.WithStoreTimeout(500 * time.Millisecond), idem.WithObserver(p)}, opts...)
	e, err := idem.New(p.store, opts...)
	if err != nil {
		t.Fatal(err)
	}
	p.engine = e
	t.Cleanup(func() { _ = e.Close() })
	return p
}

func (p *play) Observe(_ context.Context, ev idem.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.events = append(p.events, ev)
}

func (p *play) saw(kind idem.EventKind) (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, ev := range p.events {
		if ev.Kind == kind {
			n++
		}
	}
	return n
}

func (p *play) pay(ctx context.Context, change ...func(*idem.Operation[string])) (string, error) {
	op := pay
	for _, f := range change {
		f(&op)
	}
	return idem.Do(ctx, p.engine, &op, idem.Call[string]{
		Key:  idem.StringKey("k"),
		Args: func(f *idem.Fingerprint) { f.Add("cents", 100) },
		Run: func(ctx context.Context) (string, error) {
			run := p.runs.Add(1)
			if p.method == nil {
				return fmt.Sprintf("ran %d", run), nil
			}
			return p.method(ctx, run)
		},
	})
}

func conflicting(op *idem.Operation[string]) { op.Policy = idem.PolicyConflict }

func (p *play) eventually(what string, ok func() bool) {
	p.Helper()
	for deadline := time.Now().Add(20 * time.Second); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			p.Fatalf("never saw %s", what)
		}
	}
}

func (p *play) want(result string, runs int64, state idem.State) {
	p.Helper()
	out, err := p.pay(p.Context())
	if out != result || err != nil {
		p.Errorf("a later call got %q, %v; want %q", out, err, result)
	}
	if n := p.runs.Load(); n != runs {
		p.Errorf("the method ran %d times, want %d", n, runs)
	}
	if r := p.store.Row(payRow); r.State != state {
		p.Errorf("the row is in state %d, want %d", r.State, state)
	}
}

// TestSteps: each step of a first call, with its answer lost, refused, or failed in between, ends in one run and one outcome.
func TestSteps_OneRunAndOneOutcomeWhateverBecomesOfTheAnswer(t *testing.T) {
	t.Parallel()
	for _, step := range []idemtest.Step{idemtest.StepClaim, idemtest.StepComplete} {
		for name, action := range map[string]idemtest.Action{"refused": idemtest.Refuse, "answer lost": idemtest.LoseAnswer} {
			t.Run(fmt.Sprintf("%s %s", step, name), func(t *testing.T) {
				t.Parallel()
				p := newPlay(t)
				fault := p.store.Inject(step, idemtest.Fault{Do: action, Times: 2})
				ctx, info := idem.WithInfo(t.Context())
				out, err := p.pay(ctx)
				if out != "ran 1" || err != nil || !info.Stored || info.Replayed {
					t.Errorf("got %q, %v, %+v", out, err, info)
				}
				if fault.Hits() != 2 {
					t.Errorf("the fault hit %d calls", fault.Hits())
				}
				p.want("ran 1", 1, idem.StateDone)
			})
		}
	}
}

func TestTakeOver_ALostAnswerIsStillTheWinners(t *testing.T) {
	t.Parallel()
	p := newPlay(t)
	p.method = func(_ context.Context, run int64) (string, error) {
		if run == 1 {
			return "", context.Canceled
		}
		return "second", nil
	}
	_, _ = p.pay(t.Context())
	fault := p.store.Inject(idemtest.StepTakeOver, idemtest.Fault{Do: idemtest.LoseAnswer})
	out, err := p.pay(t.Context())
	if out != "second" || err != nil || fault.Hits() != 1 {
		t.Errorf("got %q, %v, %d hits", out, err, fault.Hits())
	}
	if r := p.store.Row(payRow); r.Attempt != 2 {
		t.Errorf("attempt %d", r.Attempt)
	}
}

func TestClaim_AStoreThatIsDownRunsNothing(t *testing.T) {
	t.Parallel()
	p := newPlay(t)
	p.store.Inject(idemtest.StepClaim, idemtest.Fault{Do: idemtest.Refuse, Times: idemtest.Always})
	_, err := p.pay(t.Context())
	if !errors.Is(err, idem.ErrStore) || p.runs.Load() != 0 {
		t.Errorf("got %v after %d runs", err, p.runs.Load())
	}
}

// TestClaim_GivenUp: a claim whose caller gave up while the answer was on its way is claimed again and then released, also
// when it lands only after the error.
func TestClaim_OneWhoseCallerGaveUpIsGivenBack(t *testing.T) {
	t.Parallel()
	for name, late := range map[string]bool{"applied, answer lost": false, "lands after the error": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlay(t)
			ctx, cancel := context.WithCancel(t.Context())
			action := idemtest.LoseAnswer
			if late {
				action = idemtest.ApplyLate
			}
			fault := p.store.Inject(idemtest.StepClaim, idemtest.Fault{Do: action})
			cancelOnFailure := idem.ObserverFunc(func(_ context.Context, ev idem.Event) {
				if ev.Kind == idem.EventStoreFailed {
					cancel()
				}
			})
			e, err := idem.New(p.store, idem.WithObserver(cancelOnFailure), idem.WithObserver(p))
			if err != nil {
				t.Fatal(err)
			}
			p.engine = e
			t.Cleanup(func() { _ = e.Close() })
			_, err = p.pay(ctx)
			if !errors.Is(err, context.Canceled) || p.runs.Load() != 0 {
				t.Fatalf("got %v after %d runs", err, p.runs.Load())
			}
			p.eventually("the release", func() bool { return p.saw(idem.EventReleased) == 1 })
			if late && fault.Land() != 1 {
				t.Error("nothing landed late")
			}
			if row := p.store.Row(payRow); row.State != idem.StateAbsent && !row.Expired {
				t.Errorf("the row is %+v", row)
			}
		})
	}
}

func TestContext_OneThatIsDoneAtTheCallSendsNothing(t *testing.T) {
	t.Parallel()
	p := newPlay(t)
	why := errors.New("client hung up")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(why)
	_, err := p.pay(ctx)
	if !errors.Is(err, context.Canceled) || !errors.Is(err, why) || p.store.Calls(idemtest.StepClaim) != 0 {
		t.Errorf("got %v after %d claims", err, p.store.Calls(idemtest.StepClaim))
	}
}

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

// with gives the play an engine over another store.
func (p *play) with(s idem.Store, opts ...idem.Option) {
	p.Helper()
	e, err := idem.New(s, append(opts, idem.WithObserver(p))...)
	if err != nil {
		p.Fatal(err)
	}
	p.engine = e
	p.Cleanup(func() { _ = e.Close() })
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

// TestEnd: an ending whose answer is lost was applied all the same, and is no news of another call.
func TestEnd_AnEndingWhoseAnswerIsLostIsSentAgainAndNotTakenForALoss(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		step idemtest.Step
		err  error
		kind idem.EventKind
	}{
		{idemtest.StepRelease, errors.New("declined"), idem.EventReleased},
		{idemtest.StepAbandon, idem.Unknown(errors.New("timeout")), idem.EventAbandoned},
	} {
		for name, fault := range map[string]idemtest.Fault{
			"answer lost": {Do: idemtest.LoseAnswer}, "refused once": {Do: idemtest.Refuse}, "down": {Do: idemtest.Refuse, Times: idemtest.Always},
		} {
			t.Run(fmt.Sprintf("%s/%s", c.step, name), func(t *testing.T) {
				t.Parallel()
				p := newPlay(t)
				p.method = func(context.Context, int64) (string, error) { return "", c.err }
				fault := p.store.Inject(c.step, fault)
				if _, err := p.pay(t.Context()); err != c.err { //nolint:errorlint // unchanged
					t.Errorf("got %v", err)
				}
				want := 1
				if name == "down" {
					want = 0
				}
				if fault.Hits() == 0 || p.saw(c.kind) != want || p.saw(idem.EventFenced) != 0 {
					t.Errorf("%d hits, %d of %q, %d fenced", fault.Hits(), p.saw(c.kind), c.kind, p.saw(idem.EventFenced))
				}
			})
		}
	}
}

func TestLeaseLost_CancelsTheMethodWithItsCause(t *testing.T) {
	t.Parallel()
	p := newPlay(t)
	p.method = func(ctx context.Context, run int64) (string, error) {
		p.store.Edit(payRow, func(r *idem.Row) { r.Owner = idem.Owner{9} })
		<-ctx.Done()
		return "", context.Cause(ctx)
	}
	_, err := p.pay(t.Context(), func(op *idem.Operation[string]) { op.Lease = 300 * time.Millisecond })
	if !errors.Is(err, idem.ErrLeaseLost) || p.saw(idem.EventLeaseLost) != 1 {
		t.Errorf("got %v, events %+v", err, p.events)
	}
	if r := p.store.Row(payRow); r.Owner != (idem.Owner{9}) || r.State != idem.StateRunning {
		t.Errorf("the successor's row is %+v", r)
	}
}

func TestReentrant_TheSameKeyInsideItsOwnMethodIsAnErrorAtOnce(t *testing.T) {
	t.Parallel()
	p := newPlay(t)
	p.method = func(ctx context.Context, run int64) (string, error) {
		return idem.Do(ctx, p.engine, &idem.Operation[string]{Name: "test.Other"}, idem.Call[string]{
			Key: idem.StringKey("k"),
			Run: func(ctx context.Context) (string, error) { return p.pay(ctx) },
		})
	}
	if _, err := p.pay(t.Context()); !errors.Is(err, idem.ErrReentrant) {
		t.Errorf("got %v", err)
	}
}

func TestClosed_AnEngineRefusesCallsAndEndsWaits(t *testing.T) {
	t.Parallel()
	p := newPlay(t)
	gate := idemtest.NewGate(t)
	p.method = func(ctx context.Context, run int64) (string, error) { return "slow", gate.Enter(ctx) }
	first, waiter := make(chan error, 1), make(chan error, 1)
	go func() { _, err := p.pay(t.Context()); first <- err }()
	gate.Await(t, 1)
	go func() { _, err := p.pay(t.Context()); waiter <- err }()
	p.eventually("the waiter", func() bool { return p.saw(idem.EventWaited) == 1 })

	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := p.engine.Shutdown(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Shutdown says %v while a method is running", err)
	}
	if err := <-waiter; !errors.Is(err, idem.ErrInFlight) || !errors.Is(err, idem.ErrClosed) {
		t.Errorf("the waiter got %v", err)
	}
	if _, err := p.pay(t.Context()); !errors.Is(err, idem.ErrClosed) {
		t.Errorf("a new call got %v", err)
	}
	gate.Open()
	if err := <-first; err != nil {
		t.Errorf("the running method's call got %v", err)
	}
	if r := p.store.Row(payRow); r.State != idem.StateDone {
		t.Errorf("its outcome is not stored: %+v", r)
	}
}

func TestObserver_APanicInItChangesNothing(t *testing.T) {
	t.Parallel()
	p := newPlay(t, idem.WithObserver(idem.ObserverFunc(func(context.Context, idem.Event) { panic("observer") })))
	if out, err := p.pay(t.Context()); out != "ran 1" || err != nil {
		t.Errorf("got %q, %v", out, err)
	}
	p.want("ran 1", 1, idem.StateDone)
}

func TestOperation_OneOutOfRangeIsRefusedBeforeAnythingIsClaimed(t *testing.T) {
	t.Parallel()
	p := newPlay(t)
	for name, change := range map[string]func(*idem.Operation[string]){
		"no name":          func(op *idem.Operation[string]) { op.Name = "" },
		"short lease":      func(op *idem.Operation[string]) { op.Lease = 99 * time.Millisecond },
		"negative lease":   func(op *idem.Operation[string]) { op.Lease = -1 },
		"negative wait":    func(op *idem.Operation[string]) { op.MaxWait = -1 },
		"negative ttl":     func(op *idem.Operation[string]) { op.TTL = -1 },
		"unknown policy":   func(op *idem.Operation[string]) { op.Policy = 9 },
		"unknown takeover": func(op *idem.Operation[string]) { op.Takeover = 9 },
	} {
		if _, err := p.pay(t.Context(), change); !errors.Is(err, idem.ErrBadOperation) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if n := p.store.Calls(idemtest.StepClaim); n != 0 || p.runs.Load() != 0 {
		t.Errorf("%d claims, %d runs", n, p.runs.Load())
	}
}

func TestClose_DoesNotWaitForAStoreThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	p := newPlay(t, idem.WithStoreTimeout(time.Hour))
	ctx, cancel := context.WithCancel(t.Context())
	gate := idemtest.NewGate(t)
	hung := p.store.Inject(idemtest.StepClaim, idemtest.Fault{Do: idemtest.LoseAnswer, Times: idemtest.Always, Gate: gate})
	done := make(chan error, 1)
	go func() { _, err := p.pay(ctx); done <- err }()
	gate.Await(t, 1)
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	gate.Await(t, 2) // the claim is being given back
	if err := p.engine.Close(); err != nil || hung.Hits() < 2 {
		t.Errorf("closed with %v after %d hits", err, hung.Hits())
	}
}
