package idem_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
)

// This file is methods that outlive their callers, in virtual time. How they end is in endings_test.go.

func detaching(op *idem.Operation[string]) { op.Detach = true }

// beside is a detached call whose method is let go by a test.
type beside struct {
	*testing.T
	store  *idemtest.Store
	engine *idem.Engine
	events *play
	method func(context.Context) (string, error)
	runs   int
}

func newBeside(t *testing.T, opts ...idem.Option) *beside {
	t.Helper()
	b := &beside{T: t, store: idemtest.NewStore(), events: &play{}}
	e, err := idem.New(b.store, append(opts, idem.WithObserver(b.events))...)
	if err != nil {
		t.Fatal(err)
	}
	b.engine = e
	return b
}

func (b *beside) call(ctx context.Context) (string, error) {
	op := pay
	op.Detach = true
	return idem.Do(ctx, b.engine, &op, idem.Call[string]{Key: idem.StringKey("k"), Run: func(ctx context.Context) (string, error) {
		b.runs++ // one at a time
		return b.method(ctx)
	}})
}

// wantReplay is that a later call gets what the method returned.
func (b *beside) wantReplay(result string) {
	b.Helper()
	ctx, info := idem.WithInfo(b.Context())
	if out, err := b.call(ctx); out != result || err != nil || !info.Replayed || b.runs != 1 {
		b.Errorf("a later call got %q, %v, %+v after %d runs", out, err, *info, b.runs)
	}
}

func TestDetach_TheCallerGoesAtOnceAndTheOutcomeIsStored(t *testing.T) {
	t.Parallel()
	why := errors.New("the client hung up")
	for name, c := range map[string]struct {
		context func(context.Context) (context.Context, context.CancelFunc)
		kind    error
		cause   error
	}{
		"cancelled": {func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancelCause(ctx)
			time.AfterFunc(time.Second, func() { cancel(why) })
			return ctx, func() { cancel(nil) }
		}, context.Canceled, why},
		"out of time": {func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, time.Second)
		}, context.DeadlineExceeded, context.DeadlineExceeded},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBeside(t)
				b.method = func(ctx context.Context) (string, error) {
					time.Sleep(30 * time.Second)
					return "charged", ctx.Err()
				}
				type valueKey struct{}
				ctx, cancel := c.context(context.WithValue(t.Context(), valueKey{}, "trace"))
				defer cancel()
				ctx, info := idem.WithInfo(ctx)
				began := time.Now()
				out, err := b.call(ctx)
				failed, ours := errors.AsType[*idem.Error](err)
				if out != "" || !ours || !errors.Is(err, c.kind) || !errors.Is(err, c.cause) || !errors.Is(err, idem.ErrInFlight) || time.Since(began) != time.Second {
					t.Fatalf("after %v: %q, %v", time.Since(began), out, err)
				}
				if failed.RetryAfter < time.Second || failed.Attempt != 1 || failed.State != idem.StateRunning || *info != (idem.Info{}) {
					t.Errorf("its error is %#v with %+v and its info %+v", failed, *failed, *info)
				}
				if b.events.saw(idem.EventDetached) != 1 {
					t.Errorf("observed %v", b.events.kinds())
				}
				b.wantReplay("charged") // it waits for it
				if *info != (idem.Info{}) {
					t.Errorf("the info of who had left became %+v", *info)
				}
				if err := b.engine.Shutdown(t.Context()); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// TestDetach_ItsContextEndsOneLeaseAfterTheCallers: with his values, and his reason.
func TestDetach_ItsContextEndsOneLeaseAfterTheCallers(t *testing.T) {
	t.Parallel()
	type valueKey struct{}
	why := errors.New("the client hung up")
	for name, c := range map[string]struct {
		timeout, cancel time.Duration // 0: none
		deadline        time.Duration // as the method sees it; 0: none
		after           time.Duration
		err, cause      error
	}{
		"cancelled":               {cancel: time.Second, after: time.Second + pay.Lease, err: context.Canceled, cause: why},
		"out of time":             {timeout: time.Second, deadline: time.Second + pay.Lease, after: time.Second + pay.Lease, err: context.DeadlineExceeded, cause: context.DeadlineExceeded},
		"cancelled before that":   {timeout: time.Hour, cancel: time.Second, deadline: time.Hour + pay.Lease, after: time.Second + pay.Lease, err: context.Canceled, cause: why},
		"cancelled after a while": {cancel: time.Hour, after: time.Hour + pay.Lease, err: context.Canceled, cause: why},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBeside(t)
				began := time.Now()
				b.method = func(ctx context.Context) (string, error) {
					at, ok := ctx.Deadline()
					if ctx.Value(valueKey{}) != "trace" || ok != (c.deadline != 0) || ok && at.Sub(began) != c.deadline {
						t.Errorf("it has value %v and deadline %v", ctx.Value(valueKey{}), at.Sub(began))
					}
					<-ctx.Done()
					if d := time.Since(began); d != c.after || ctx.Err() != c.err || context.Cause(ctx) != c.cause { //nolint:errorlint // the very same
						t.Errorf("after %v it ended by %v, because %v", d, ctx.Err(), context.Cause(ctx))
					}
					return "", errors.New("cut off")
				}
				ctx := context.WithValue(t.Context(), valueKey{}, "trace")
				if c.timeout > 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, c.timeout)
					defer cancel()
				}
				if c.cancel > 0 {
					var cancel context.CancelCauseFunc
					ctx, cancel = context.WithCancelCause(ctx)
					defer time.AfterFunc(c.cancel, func() { cancel(why) }).Stop()
				}
				if _, err := b.call(ctx); !errors.Is(err, idem.ErrInFlight) {
					t.Errorf("its caller got %v", err)
				}
				if err := b.engine.Shutdown(t.Context()); err != nil {
					t.Error(err)
				}
				if got := rowText(b.store.Row(payRow)); got != given1 { // an error after its context's end says nothing
					t.Errorf("it left %q", got)
				}
			})
		})
	}
}

// TestDetach_WhoStaysGetsWhatHeWouldGetWithout: result, error, info.
func TestDetach_WhoStaysGetsWhatHeWouldGetWithout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		declined := errors.New("declined")
		b := newBeside(t)
		b.method = func(ctx context.Context) (string, error) {
			if r, ok := idem.FromContext(ctx); !ok || r.Attempt != 1 {
				t.Errorf("it runs under %+v", r)
			}
			if _, err := b.call(ctx); !errors.Is(err, idem.ErrReentrant) {
				t.Errorf("its own key in it: %v", err)
			}
			return "half", declined
		}
		if out, err := b.call(t.Context()); out != "" || err != declined { //nolint:errorlint // unchanged
			t.Errorf("got %q, %v", out, err)
		}
		b.runs = 0
		b.method = func(context.Context) (string, error) { return "charged", nil }
		ctx, info := idem.WithInfo(t.Context())
		if out, err := b.call(ctx); out != "charged" || err != nil || !info.Stored || info.Attempt != 1 || info.CompletedAt.IsZero() || info.Replayed {
			t.Errorf("got %q, %v, %+v", out, err, *info)
		}
		b.wantReplay("charged")
		if err := b.engine.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// TestDetach_TheLeaseIsKeptWithoutTheCaller, and lost as any other.
func TestDetach_TheLeaseIsKeptWithoutTheCaller(t *testing.T) {
	t.Parallel()
	for name, stolen := range map[string]bool{"kept": false, "lost": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBeside(t)
				b.method = func(ctx context.Context) (string, error) {
					time.Sleep(pay.Lease / 2)
					if stolen {
						b.store.Edit(payRow, func(r *idem.Row) { r.Owner = idem.Owner{9} })
					}
					time.Sleep(pay.Lease * 9 / 10)
					if cause := context.Cause(ctx); errors.Is(cause, idem.ErrLeaseLost) != stolen {
						t.Errorf("its context ended by %v", cause)
					}
					return "", idem.NoEffect(errors.New("declined"))
				}
				ctx, cancel := context.WithTimeout(t.Context(), pay.Lease/2)
				defer cancel()
				_, _ = b.call(ctx)
				if err := b.engine.Shutdown(t.Context()); err != nil {
					t.Error(err)
				}
				if r := b.store.Row(payRow); (r.State == idem.StateAbsent) == stolen {
					t.Errorf("it left %q", rowText(r))
				}
			})
		})
	}
}

// TestDetach_NothingIsStartedForACallerWhoHasGone: the claim is given back, as in any other call.
func TestDetach_NothingIsStartedForACallerWhoHasGone(t *testing.T) {
	t.Parallel()
	p := newPlay(t)
	ctx, cancel := context.WithCancel(t.Context())
	p.with(hooked{p.store, cancel})
	if _, err := p.pay(ctx, detaching); !errors.Is(err, context.Canceled) || errors.Is(err, idem.ErrInFlight) || p.runs.Load() != 0 {
		t.Errorf("got %v after %d runs", err, p.runs.Load())
	}
	p.eventually("the release", func() bool { return p.saw(idem.EventReleased) == 1 })
	if r := p.store.Row(payRow); r.State != idem.StateAbsent {
		t.Errorf("the row is %q", rowText(r))
	}
}

// TestDetach_RecoverIsAskedBesideTheCallerToo: he goes while it is asked.
func TestDetach_RecoverIsAskedBesideTheCallerToo(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		happened, late bool // late: its answer comes when the lease is over
		row            string
		runs           int64
	}{
		"it happened":                     {happened: true, row: "done 2 lapses 1"},
		"it did not":                      {row: "done 2 lapses 1", runs: 1},
		"it did not, and that comes late": {late: true, row: "running lapsed abandoned 2 lapses 1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newAsking(t)
			p.dies()
			ctx, cancel := context.WithCancel(t.Context())
			gate := idemtest.NewGate(t)
			p.find = func(ctx context.Context, _ int64) (string, bool, error) {
				cancel()
				_ = gate.Enter(context.Background())
				if c.late {
					<-ctx.Done()
				}
				return "found", c.happened, nil
			}
			_, err := p.pay(ctx, detaching, func(op *idem.Operation[string]) {
				if c.late {
					op.Lease, op.NoRenew = 200*time.Millisecond, true
				}
			})
			if !errors.Is(err, idem.ErrInFlight) || !errors.Is(err, context.Canceled) {
				t.Errorf("got %v", err)
			}
			gate.Open()
			p.eventually("the end", func() bool { return p.saw(idem.EventCompleted)+p.saw(idem.EventAbandoned) == 1 })
			if err := p.engine.Shutdown(t.Context()); err != nil {
				t.Error(err)
			}
			if p.runs.Load() != c.runs {
				t.Errorf("%d runs", p.runs.Load())
			}
			p.wantRow(c.row)
		})
	}
}

// TestDetach_WhatItReturnsIsNotTouchedByWhoHasLeft is for the race detector: a caller goes in every moment of a run, and looks at what is his.
func TestDetach_WhatItReturnsIsNotTouchedByWhoHasLeft(t *testing.T) {
	t.Parallel()
	p := newPlay(t)
	p.method = func(_ context.Context, run int64) (string, error) { return strings.Repeat("x", int(run%7)), nil }
	for n := range 300 {
		ctx, cancel := context.WithCancel(t.Context())
		ctx, info := idem.WithInfo(ctx)
		go func() {
			time.Sleep(time.Duration(n) * time.Microsecond)
			cancel()
		}()
		op := pay
		op.Detach = true
		out, err := idem.Do(ctx, p.engine, &op, idem.Call[string]{Key: idem.IntKey(n), Run: func(ctx context.Context) (string, error) {
			return p.method(ctx, int64(n))
		}})
		if err == nil != info.Stored || err != nil && out != "" {
			t.Errorf("%d: %q, %v, %+v", n, out, err, *info)
		}
		cancel()
	}
}
