package idem_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
)

// This file is a store that is slow or down for long, in virtual time, seen from calls that wait for it, and from outcomes that it has
// still to take.

// player is an engine on a store in memory, of one bubble.
type player struct {
	store  *idemtest.Store
	engine *idem.Engine

	mu    sync.Mutex
	kinds map[idem.EventKind]int
}

func (p *player) Observe(_ context.Context, ev idem.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.kinds[ev.Kind]++
}

// seen is how many events of the kind there were.
func (p *player) seen(kind idem.EventKind) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.kinds[kind]
}

func newPlayer(t *testing.T) *player {
	t.Helper()
	p := &player{store: idemtest.NewStore(), kinds: map[idem.EventKind]int{}}
	e, err := idem.New(p.store, idem.WithObserver(p))
	if err != nil {
		t.Fatal(err)
	}
	p.engine = e
	return p
}

func (p *player) call(ctx context.Context, run func(context.Context), change ...func(*idem.Operation[string])) (string, error) {
	op := pay
	for _, f := range change {
		f(&op)
	}
	return idem.Do(ctx, p.engine, &op, idem.Call[string]{Key: idem.StringKey("k"), Run: func(ctx context.Context) (string, error) {
		run(ctx)
		return "charged", nil
	}})
}

func atOnce(context.Context) {}

// TestLater_TheClaimIsKeptUntilTheOutcomeIsStored: for much longer than its lease, and under a plain timeout, too.
func TestLater_TheClaimIsKeptUntilTheOutcomeIsStored(t *testing.T) {
	t.Parallel()
	for name, norenew := range map[string]bool{"renewed": false, "norenew": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newPlayer(t)
				defer p.engine.Close()
				plain := func(op *idem.Operation[string]) { op.NoRenew = norenew }
				down := p.store.Inject(idemtest.StepComplete, idemtest.Fault{Times: idemtest.Always})
				if out, err := p.call(t.Context(), atOnce, plain); out != "charged" || err != nil {
					t.Errorf("got %q, %v", out, err)
				}
				for range 10 {
					time.Sleep(pay.Lease / 2)
					if _, err := p.call(t.Context(), atOnce, conflicting); !errors.Is(err, idem.ErrInFlight) {
						t.Fatalf("another call got %v", err)
					}
				}
				down.Stop()
				time.Sleep(10 * time.Second)
				if r := p.store.Row(payRow); r.State != idem.StateDone || r.Attempt != 1 || p.seen(idem.EventCompleted) != 1 {
					t.Errorf("the row is %+v", r)
				}
			})
		})
	}
}

// TestLater_WhatAnotherHasMeanwhileIsToldAndLeft: the claim was lost while the outcome waited, and what runs under it is another request.
func TestLater_WhatAnotherHasMeanwhileIsToldAndLeft(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newPlayer(t)
		defer p.engine.Close()
		down := p.store.Inject(idemtest.StepComplete, idemtest.Fault{Times: idemtest.Always})
		if _, err := p.call(t.Context(), atOnce); err != nil {
			t.Fatal(err)
		}
		p.store.Edit(payRow, func(r *idem.Row) { r.Owner, r.Fingerprint = idem.Owner{9}, []byte{1, 9} })
		down.Stop()
		time.Sleep(time.Hour)
		if r := p.store.Row(payRow); r.Owner != (idem.Owner{9}) || r.State != idem.StateRunning || p.seen(idem.EventFenced) != 1 {
			t.Errorf("the row is %+v; %d times fenced", r, p.seen(idem.EventFenced))
		}
		if n := p.store.Calls(idemtest.StepComplete); n != down.Hits()+1 {
			t.Errorf("it was sent %d times after it was fenced", n-down.Hits()-1)
		}
	})
}

// hanging is a store whose first claim and first outcome get no answer.
type hanging struct {
	*idemtest.Store
	claims, outcomes int
}

func silence(ctx context.Context) error {
	<-ctx.Done()
	return &idem.StoreError{Reason: "no answer", Temporary: true, Err: ctx.Err()}
}

func (s *hanging) Claim(ctx context.Context, c idem.Claim) (idem.Row, error) {
	if s.claims++; s.claims == 1 {
		return idem.Row{}, silence(ctx)
	}
	return s.Store.Claim(ctx, c)
}

func (s *hanging) Complete(ctx context.Context, o idem.Outcome) (idem.Row, error) {
	if s.outcomes++; s.outcomes == 1 {
		return idem.Row{}, silence(ctx)
	}
	return s.Store.Complete(ctx, o)
}

// TestStep_OneThatHangsLeavesTimeForAnother: before the method and after it.
func TestStep_OneThatHangsLeavesTimeForAnother(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &hanging{Store: idemtest.NewStore()}
		e, err := idem.New(s)
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		ctx, info := idem.WithInfo(t.Context())
		out, err := idem.Do(ctx, e, &pay, idem.Call[string]{Key: idem.StringKey("k"), Run: func(context.Context) (string, error) { return "charged", nil }})
		if out != "charged" || err != nil || !info.Stored || s.claims != 2 || s.outcomes != 2 {
			t.Errorf("got %q, %v, %+v after %d claims and %d outcomes", out, err, info, s.claims, s.outcomes)
		}
	})
}

// TestWait_EndsWithTheReasonForIt: the caller's, or the store's, which is no "in flight".
func TestWait_EndsWithTheReasonForIt(t *testing.T) {
	t.Parallel()
	why := errors.New("the client hung up")
	for name, c := range map[string]struct {
		then     func(p *player, cancel context.CancelCauseFunc)
		is       []error
		isNot    error
		conflict int // events
	}{
		"its caller gave up": {
			func(_ *player, cancel context.CancelCauseFunc) { cancel(why) },
			[]error{idem.ErrInFlight, context.Canceled, why},
			idem.ErrStore, 1,
		},
		"the store is down": {
			func(p *player, _ context.CancelCauseFunc) {
				p.store.Inject(idemtest.StepRead, idemtest.Fault{Times: idemtest.Always})
			},
			[]error{idem.ErrStore},
			idem.ErrInFlight, 0,
		},
		"its time is over": {
			func(*player, context.CancelCauseFunc) {},
			[]error{idem.ErrInFlight},
			context.DeadlineExceeded, 1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newPlayer(t)
				defer p.engine.Close()
				end := make(chan struct{})
				first, second := make(chan error, 1), make(chan error, 1)
				go func() { _, err := p.call(t.Context(), func(context.Context) { <-end }); first <- err }()
				synctest.Wait()
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				go func() { _, err := p.call(ctx, atOnce); second <- err }()
				synctest.Wait()
				c.then(p, cancel)
				err := <-second
				for _, kind := range c.is {
					if !errors.Is(err, kind) {
						t.Errorf("got %v, want %v", err, kind)
					}
				}
				if errors.Is(err, c.isNot) || p.seen(idem.EventConflict) != c.conflict {
					t.Errorf("got %v; %d conflicts were told", err, p.seen(idem.EventConflict))
				}
				close(end)
				if err := <-first; err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// TestInfo_IsOfTheLastCallAlone: one that was refused leaves nothing of the one before.
func TestInfo_IsOfTheLastCallAlone(t *testing.T) {
	t.Parallel()
	p := newPlay(t)
	ctx, info := idem.WithInfo(t.Context())
	if _, err := p.pay(ctx); err != nil || !info.Stored {
		t.Fatalf("got %v, %+v", err, info)
	}
	_, err := idem.Do(ctx, p.engine, &pay, idem.Call[string]{Run: func(context.Context) (string, error) { return "", nil }})
	if !errors.Is(err, idem.ErrNoKey) || *info != (idem.Info{}) {
		t.Errorf("got %v, %+v", err, info)
	}
}

// TestRun_ItsContextEndsWithIt, so that what it has started and left behind ends, too.
func TestRun_ItsContextEndsWithIt(t *testing.T) {
	t.Parallel()
	p := newPlay(t)
	var kept context.Context
	p.method = func(ctx context.Context, _ int64) (string, error) {
		kept = ctx
		return "", ctx.Err()
	}
	if _, err := p.pay(t.Context()); err != nil || !errors.Is(context.Cause(kept), context.Canceled) || errors.Is(context.Cause(kept), idem.ErrLeaseLost) {
		t.Errorf("got %v; the method's context ended with %v", err, context.Cause(kept))
	}
}

// TestResult_OfExactlyTheLimitIsStored, and one byte more is not.
func TestResult_OfExactlyTheLimitIsStored(t *testing.T) {
	t.Parallel()
	for limit, stored := range map[int]bool{len(`"ran 1"`): true, len(`"ran 1"`) - 1: false} {
		p := newPlay(t, idem.WithMaxResult(limit))
		ctx, info := idem.WithInfo(t.Context())
		if out, err := p.pay(ctx); out != "ran 1" || err != nil || info.Stored != stored {
			t.Errorf("with a limit of %d: %q, %v, %+v", limit, out, err, info)
		}
	}
}
