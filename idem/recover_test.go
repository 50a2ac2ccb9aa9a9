package idem_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/idemgen/idemgen/idem"
)

// This file is the worst moment: somebody began this, and vanished. Under take-over by recover the call asks whether it happened,
// and runs only what did not.

// asking is a play whose operation is taken over by recover.
type asking struct {
	*play
	asked atomic.Int64
	find  func(ctx context.Context, question int64) (string, bool, error)
}

// newAsking is one whose first caller has died, or as a test says.
func newAsking(t *testing.T, opts ...idem.Option) *asking {
	p := &asking{play: newPlay(t, opts...)}
	p.find = func(context.Context, int64) (string, bool, error) { return "", false, nil }
	return p
}

func (p *asking) pay(ctx context.Context, change ...func(*idem.Operation[string])) (string, error) {
	op := pay
	op.Takeover = idem.TakeoverRecover
	for _, f := range change {
		f(&op)
	}
	call := idem.Call[string]{
		Key:  idem.StringKey("k"),
		Args: func(f *idem.Fingerprint) { f.Add("cents", 100) },
		Run: func(ctx context.Context) (string, error) {
			if run := p.runs.Add(1); p.method != nil {
				return p.method(ctx, run)
			}
			return "ran", nil
		},
	}
	if op.Takeover == idem.TakeoverRecover {
		call.Recover = func(ctx context.Context) (string, bool, error) { return p.find(ctx, p.asked.Add(1)) }
	}
	return idem.Do(ctx, p.engine, &op, call)
}

// dies leaves the claim of a process that died in its run.
func (p *asking) dies() {
	p.Helper()
	left(p.T, p.play, func() error { _, err := p.pay(context.Background()); return err })
	p.runs.Store(0)
	p.asked.Store(0)
}

// left makes the row of a call that has succeeded that of one that died.
func left(t *testing.T, p *play, call func() error) {
	t.Helper()
	method := p.method
	p.method = nil
	defer func() { p.method = method }()
	if err := call(); err != nil {
		t.Fatal(err)
	}
	p.store.Edit(payRow, func(r *idem.Row) { r.State = idem.StateRunning })
	p.store.Age(payRow, 2*pay.Lease)
	p.mu.Lock()
	p.events = nil
	p.mu.Unlock()
}

func (p *asking) wantRow(text string) {
	p.Helper()
	if got := rowText(p.store.Row(payRow)); got != text {
		p.Errorf("the row is %q, want %q", got, text)
	}
}

func TestRecover_AFirstAttemptIsNotAsked(t *testing.T) {
	t.Parallel()
	p := newAsking(t)
	if out, err := p.pay(t.Context()); out != "ran" || err != nil || p.asked.Load() != 0 {
		t.Errorf("got %q, %v after %d questions", out, err, p.asked.Load())
	}
	p.store.Advance(25 * time.Hour) // what expired says nothing of this request
	if out, err := p.pay(t.Context()); out != "ran" || err != nil || p.asked.Load() != 0 || p.runs.Load() != 2 {
		t.Errorf("after the expiry: %q, %v, %d runs and %d questions", out, err, p.runs.Load(), p.asked.Load())
	}
	p.wantRow("done 1")
}

func TestRecover_WhatHasHappenedIsTheOutcome(t *testing.T) {
	t.Parallel()
	p := newAsking(t)
	p.dies()
	p.find = func(context.Context, int64) (string, bool, error) { return "found", true, nil }
	ctx, info := idem.WithInfo(t.Context())
	out, err := p.pay(ctx)
	if out != "found" || err != nil || p.runs.Load() != 0 {
		t.Errorf("got %q, %v after %d runs", out, err, p.runs.Load())
	}
	if !info.Recovered || info.Replayed || !info.Stored || info.Attempt != 2 || info.CompletedAt.IsZero() {
		t.Errorf("its caller is told %+v", *info)
	}
	want := []idem.EventKind{idem.EventTakenOver, idem.EventRecovered, idem.EventCompleted}
	if got := p.kinds(); !slices.Equal(got, want) {
		t.Errorf("observed %v, want %v", got, want)
	}
	ctx, info = idem.WithInfo(t.Context())
	if out, err := p.pay(ctx); out != "found" || err != nil || p.asked.Load() != 1 || info.Recovered || !info.Replayed {
		t.Errorf("a later call got %q, %v, %+v; %d questions", out, err, *info, p.asked.Load())
	}
	p.wantRow("done 2 lapses 1")
}

func TestRecover_WhatHasNotHappenedIsRun(t *testing.T) {
	t.Parallel()
	p := newAsking(t)
	p.dies()
	p.find = func(context.Context, int64) (string, bool, error) { return "not to be seen", false, nil }
	ctx, info := idem.WithInfo(t.Context())
	if out, err := p.pay(ctx); out != "ran" || err != nil || info.Recovered || p.runs.Load() != 1 || p.asked.Load() != 1 {
		t.Errorf("got %q, %v, %+v after %d questions and %d runs", out, err, *info, p.asked.Load(), p.runs.Load())
	}
	p.wantRow("done 2 lapses 1")
}

// TestRecover_NoAnswerIsNotANo: whatever the error looks like, it is about the question.
func TestRecover_NoAnswerIsNotANo(t *testing.T) {
	t.Parallel()
	down := errors.New("the provider is down")
	for name, err := range map[string]error{
		"plain": down, "of a network": io.EOF, "marked": idem.NoEffect(down), "unknown": idem.Unknown(down), "of a rule": errRuled,
	} {
		for _, happened := range []bool{false, true} {
			p := newAsking(t)
			p.dies()
			p.find = func(context.Context, int64) (string, bool, error) { return "half found", happened, err }
			out, got := p.pay(t.Context(), func(op *idem.Operation[string]) { op.Errors = []idem.ErrorRule{idem.ReleaseIs(errRuled)} })
			if out != "" || got != err || p.runs.Load() != 0 { //nolint:errorlint // unchanged
				t.Errorf("%s: got %q, %v after %d runs", name, out, got, p.runs.Load())
			}
			p.wantRow("running lapsed abandoned 2 lapses 1") // that of the dead one
			p.find = func(context.Context, int64) (string, bool, error) { return "found", true, nil }
			if out, err := p.pay(t.Context()); out != "found" || err != nil {
				t.Errorf("%s: the next caller got %q, %v", name, out, err)
			}
		}
	}
}

var errRuled = errors.New("one that the operation releases")

func TestRecover_APanicOrExitInItIsAbandonedAsALapse(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		leave func()
		cause string
		with  string // what the panic is seen to be by who recovers
	}{
		"panic":      {func() { panic("on fire") }, "panicked", "on fire"},
		"panic(nil)": {func() { panic(nil) }, "panicked", new(runtime.PanicNilError).Error()}, //nolint:govet // on purpose
		"Goexit":     {runtime.Goexit, "ended its goroutine", "<nil>"},
	} {
		p := newAsking(t)
		p.dies()
		p.find = func(context.Context, int64) (string, bool, error) { c.leave(); return "", true, nil }
		done := make(chan any, 1)
		returned := false
		go func() {
			defer func() { done <- recover() }()
			_, _ = p.pay(context.Background())
			returned = true
		}()
		if with := fmt.Sprint(<-done); with != c.with || returned {
			t.Errorf("%s: it came out as %s, returned %v", name, with, returned)
		}
		p.wantRow("running lapsed abandoned 2 lapses 2")
		if ev := p.last(idem.EventAbandoned); ev.Err == nil || !strings.Contains(ev.Err.Error(), c.cause) || strings.Contains(ev.Err.Error(), "fire") {
			t.Errorf("%s: observed as %v", name, ev.Err)
		}
	}
}

// last is the latest event of a kind.
func (p *play) last(kind idem.EventKind) (last idem.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, ev := range p.events {
		if ev.Kind == kind {
			last = ev
		}
	}
	return last
}

// TestRecover_ItRunsUnderTheClaim: in the method's own context.
func TestRecover_ItRunsUnderTheClaim(t *testing.T) {
	t.Parallel()
	p := newAsking(t)
	p.dies()
	var asked, ran idem.Run
	p.find = func(ctx context.Context, _ int64) (string, bool, error) {
		asked, _ = idem.FromContext(ctx)
		if _, err := p.pay(ctx); !errors.Is(err, idem.ErrReentrant) {
			t.Errorf("its own key in it: %v", err)
		}
		return "", false, nil
	}
	p.method = func(ctx context.Context, _ int64) (string, error) {
		ran, _ = idem.FromContext(ctx)
		return "ran", nil
	}
	if _, err := p.pay(t.Context()); err != nil {
		t.Fatal(err)
	}
	if asked.Attempt != 2 || asked.Operation != pay.Name || asked.DownstreamKey == "" || asked.Fence != ran.Fence || asked.DownstreamKey != ran.DownstreamKey {
		t.Errorf("asked under %+v, and ran under %+v", asked, ran)
	}
}

// TestRecover_TheCallersEndMeanwhile: a yes is stored all the same, and a no starts nothing.
func TestRecover_TheCallersEndMeanwhile(t *testing.T) {
	t.Parallel()
	for _, happened := range []bool{true, false} {
		p := newAsking(t)
		p.dies()
		ctx, cancel := context.WithCancel(t.Context())
		p.find = func(context.Context, int64) (string, bool, error) { cancel(); return "found", happened, nil }
		out, err := p.pay(ctx)
		if happened {
			if out != "found" || err != nil {
				t.Errorf("got %q, %v", out, err)
			}
			p.wantRow("done 2 lapses 1")
			continue
		}
		if !errors.Is(err, context.Canceled) || p.runs.Load() != 0 {
			t.Errorf("got %v after %d runs", err, p.runs.Load())
		}
		p.eventually("the end of its lease", func() bool { return p.saw(idem.EventAbandoned) == 1 })
		p.wantRow("running lapsed abandoned 2 lapses 1")
	}
}

// TestRecover_TheEnginesEndMeanwhile: nothing is started after it.
func TestRecover_TheEnginesEndMeanwhile(t *testing.T) {
	t.Parallel()
	p := newAsking(t)
	p.dies()
	closed := make(chan error, 1)
	p.find = func(ctx context.Context, _ int64) (string, bool, error) {
		go func() { closed <- p.engine.Close() }()
		p.eventually("the end", func() bool {
			_, err := idem.Do(context.Background(), p.engine, &pay, idem.Call[string]{Key: idem.StringKey("other"), Run: func(context.Context) (string, error) {
				return "", nil
			}})
			return errors.Is(err, idem.ErrClosed)
		})
		return "", false, nil
	}
	if _, err := p.pay(t.Context()); !errors.Is(err, idem.ErrClosed) || p.runs.Load() != 0 {
		t.Errorf("got %v after %d runs", err, p.runs.Load())
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
	p.wantRow("running lapsed abandoned 2 lapses 1")
}

// TestRecover_ANoUnderALeaseThatIsOverRunsNothing: by then somebody else may be at it.
func TestRecover_ANoUnderALeaseThatIsOverRunsNothing(t *testing.T) {
	t.Parallel()
	for name, taken := range map[string]bool{"nobody else came": false, "another has run it": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newAsking(t)
			p.dies()
			plain := func(op *idem.Operation[string]) { op.Lease, op.NoRenew = 200*time.Millisecond, true }
			p.find = func(ctx context.Context, question int64) (string, bool, error) {
				if question > 1 {
					return "", false, nil
				}
				<-ctx.Done()
				if cause := context.Cause(ctx); !errors.Is(cause, idem.ErrLeaseLost) {
					t.Errorf("its context ended by %v", cause)
				}
				if taken {
					p.store.Age(payRow, time.Second)
					if out, err := p.pay(context.Background(), plain); out != "ran" || err != nil {
						t.Errorf("the other got %q, %v", out, err)
					}
				}
				return "", false, nil
			}
			out, err := p.pay(t.Context(), plain)
			if out != "ran" || err != nil || p.runs.Load() != 1 || p.asked.Load() != 2 {
				t.Errorf("got %q, %v after %d questions and %d runs", out, err, p.asked.Load(), p.runs.Load())
			}
			p.wantRow(map[bool]string{false: "done 2 lapses 1", true: "done 3 lapses 2"}[taken])
		})
	}
}

// TestRecover_AYesThatComesTooLateGivesWayToWhatIsStored: all callers of a key get one answer.
func TestRecover_AYesThatComesTooLateGivesWayToWhatIsStored(t *testing.T) {
	t.Parallel()
	p := newAsking(t)
	p.dies()
	p.find = func(ctx context.Context, question int64) (string, bool, error) {
		if question == 1 {
			p.store.Age(payRow, 2*pay.Lease)
			if out, err := p.pay(context.Background()); out != "found second" || err != nil {
				t.Errorf("the other got %q, %v", out, err)
			}
			return "found first", true, nil
		}
		return "found second", true, nil
	}
	ctx, info := idem.WithInfo(t.Context())
	if out, err := p.pay(ctx); out != "found second" || err != nil || info.Recovered || !info.Replayed || p.runs.Load() != 0 {
		t.Errorf("got %q, %v, %+v after %d runs", out, err, *info, p.runs.Load())
	}
}

// TestRecover_IsAskedAfterAPersonToo: he may have decided before the effect of a run that was still on its way could be seen.
func TestRecover_IsAskedAfterAPersonToo(t *testing.T) {
	t.Parallel()
	p := newAsking(t)
	p.dies()
	if _, err := p.pay(t.Context(), impatient); !errors.Is(err, idem.ErrOutcomeUnknown) || p.asked.Load() != 0 {
		t.Errorf("got %v after %d questions", err, p.asked.Load())
	}
	p.decide(idem.ActionNotHappened, idem.StoredResult{})
	p.find = func(context.Context, int64) (string, bool, error) { return "found", true, nil }
	if out, err := p.pay(t.Context(), impatient); out != "found" || err != nil || p.runs.Load() != 0 {
		t.Errorf("got %q, %v after %d runs", out, err, p.runs.Load())
	}
}

var errDead = errors.New("the process is dead")

func takenOver(t idem.Takeover) func(*idem.Operation[string]) {
	return func(op *idem.Operation[string]) { op.Takeover = t }
}
