package idem_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
)

// This file is the way to a claim, over a store that fails at every step of it.

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

// TestGiveBack_IsInsistedOn: the call was given up, its claim is found, and then the store takes nothing for longer than its time limit.
func TestGiveBack_IsInsistedOn(t *testing.T) {
	t.Parallel()
	p := newPlay(t)
	p.store.Inject(idemtest.StepClaim, idemtest.Fault{Do: idemtest.LoseAnswer})
	down := p.store.Inject(idemtest.StepAbandon, idemtest.Fault{Times: idemtest.Always})
	ctx, cancel := context.WithCancel(t.Context())
	e, err := idem.New(p.store, idem.WithStoreTimeout(100*time.Millisecond), idem.WithObserver(p), idem.WithObserver(idem.ObserverFunc(
		func(_ context.Context, ev idem.Event) {
			if ev.Kind == idem.EventStoreFailed {
				cancel()
			}
		})))
	if err != nil {
		t.Fatal(err)
	}
	p.engine = e
	t.Cleanup(func() { _ = e.Close() })
	if _, err := p.pay(ctx); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	began := time.Now()
	p.eventually("many refusals", func() bool { return down.Hits() > 4 && time.Since(began) > 300*time.Millisecond })
	down.Stop()
	p.eventually("the give-back", func() bool { return p.store.Row(payRow).Expired })
	p.eventually("its report", func() bool { return p.saw(idem.EventReleased) == 1 })
}
