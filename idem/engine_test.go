package idem_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
)

// This file is the engine's life, and how runs end otherwise.

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
	if !errors.Is(err, idem.ErrLeaseLost) {
		t.Errorf("got %v", err)
	}
	p.eventually("the loss", func() bool { return p.saw(idem.EventLeaseLost) == 1 })
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
	p.method = func(ctx context.Context, run int64) (string, error) {
		return "slow", gate.Enter(context.WithoutCancel(ctx))
	}
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
	ended, stop := context.WithCancel(context.Background())
	stop()
	if err := p.engine.Shutdown(ended); !errors.Is(err, context.Canceled) || hung.Hits() < 2 {
		t.Errorf("closed with %v after %d hits", err, hung.Hits())
	}
}

// TestClose_TheStoreIsClosedWhenNothingUsesItAnyMore: the last call returns while Close waits for what another one left in the background.
func TestClose_TheStoreIsClosedWhenNothingUsesItAnyMore(t *testing.T) {
	t.Parallel()
	p := newPlay(t)
	s := &lingering{Store: p.store, entered: idemtest.NewGate(t), leave: idemtest.NewGate(t)}
	p.with(s, idem.WithStoreTimeout(50*time.Millisecond))
	running := idemtest.NewGate(t)
	last := make(chan struct{})
	go func() {
		defer close(last)
		op := pay
		_, _ = idem.Do(t.Context(), p.engine, &op, idem.Call[string]{Key: idem.StringKey("last"), Run: func(context.Context) (string, error) {
			_ = running.Enter(context.Background())
			return "", idem.NoEffect(errors.New("declined"))
		}})
	}()
	running.Await(t, 1)
	down := p.store.Inject(idemtest.StepComplete, idemtest.Fault{Times: idemtest.Always})
	if _, err := p.pay(t.Context()); err != nil { // its outcome is stored in the background
		t.Fatal(err)
	}
	s.hang.Store(true)
	down.Stop()
	s.entered.Await(t, 1)
	closed := make(chan struct{})
	go func() { defer close(closed); _ = p.engine.Close() }()
	p.eventually("the engine closed", func() bool {
		_, err := p.pay(t.Context())
		return errors.Is(err, idem.ErrClosed)
	})
	time.Sleep(20 * time.Millisecond) // Close is in its wait
	running.Open()
	<-last
	s.leave.Open()
	<-closed
	if s.closedWhileUsed.Load() {
		t.Error("the store was closed while a step was under way")
	}
}

// lingering is a store whose Complete takes its time to return.
type lingering struct {
	*idemtest.Store
	hang            atomic.Bool
	inside          atomic.Int64
	entered, leave  *idemtest.Gate
	closedWhileUsed atomic.Bool
}

func (s *lingering) Complete(ctx context.Context, o idem.Outcome) (idem.Row, error) {
	s.inside.Add(1)
	defer s.inside.Add(-1)
	if s.hang.Load() {
		_ = s.entered.Enter(ctx)
		_ = s.leave.Enter(context.Background())
	}
	return s.Store.Complete(ctx, o)
}

func (s *lingering) Close() error {
	if s.inside.Load() > 0 {
		s.closedWhileUsed.Store(true)
	}
	return nil
}

// TestWait_AStoreThatDoesNotAnswerIsNotTakenForTheEndOfTheWait: each look ends with its time limit, and that is not the call's.
func TestWait_AStoreThatDoesNotAnswerIsNotTakenForTheEndOfTheWait(t *testing.T) {
	t.Parallel()
	p := newPlay(t)
	gate := idemtest.NewGate(t)
	p.method = func(context.Context, int64) (string, error) { return "charged", gate.Enter(context.Background()) }
	first := make(chan struct{})
	go func() { defer close(first); _, _ = p.pay(t.Context()) }()
	gate.Await(t, 1)
	p.with(&mute{p.store}, idem.WithStoreTimeout(90*time.Millisecond))
	began := time.Now()
	_, err := p.pay(t.Context(), func(op *idem.Operation[string]) { op.MaxWait = 30 * time.Second })
	if took := time.Since(began); took < 29*time.Second && !errors.Is(err, idem.ErrStore) {
		t.Errorf("after %v of 30s it got %v (%v)", took, err, p.kinds())
	}
	gate.Open()
	<-first
}

// mute does not answer reads.
type mute struct{ *idemtest.Store }

func (s *mute) Read(ctx context.Context, _ []idem.ID) ([]idem.Row, error) {
	<-ctx.Done()
	return nil, &idem.StoreError{Reason: "the database did not answer in time", Temporary: true, Err: ctx.Err()}
}
