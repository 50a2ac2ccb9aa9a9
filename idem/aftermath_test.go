package idem_test

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
)

// This file is successes whose outcome meets more than one obstacle: each alone is overcome, and so must be the next one. Whatever
// comes, nobody may be invited to run the method again, and nobody may wait for ever.

// TestComplete_AnOutcomeThatIsStoredLaterBecomesATombstoneToo: the store is away when the method returns, and when it is back it refuses
// the result. Else the claim is renewed for as long as the process lives, and its duplicates are told "in flight".
func TestComplete_AnOutcomeThatIsStoredLaterBecomesATombstoneToo(t *testing.T) {
	t.Parallel()
	p := newPlay(t)
	down := p.store.Inject(idemtest.StepComplete, idemtest.Fault{Times: idemtest.Always})
	p.with(&picky{Store: p.store}, idem.WithStoreTimeout(100*time.Millisecond))
	if out, err := p.pay(t.Context()); out != "ran 1" || err != nil || down.Hits() == 0 {
		t.Errorf("got %q, %v", out, err)
	}
	down.Stop()
	p.soon("the tombstone", func() bool { return p.store.Row(payRow).State == idem.StateDone })
	if _, err := p.pay(t.Context(), conflicting); !errors.Is(err, idem.ErrResultNotStored) {
		t.Errorf("a duplicate got %v", err)
	}
}

// soon is eventually with less patience.
func (p *play) soon(what string, ok func() bool) {
	p.Helper()
	for deadline := time.Now().Add(5 * time.Second); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			p.Errorf("never saw %s; events: %v", what, p.kinds())
			return
		}
	}
}

func (p *play) kinds() (kinds []idem.EventKind) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, ev := range p.events {
		kinds = append(kinds, ev.Kind)
	}
	return kinds
}

// picky takes no results, only tombstones.
type picky struct{ *idemtest.Store }

func (s *picky) Complete(ctx context.Context, o idem.Outcome) (idem.Row, error) {
	if o.Codec == "json" {
		if _, err := s.Store.Complete(ctx, idem.Outcome{}); err != nil { // counts, and fails, as the store does
			var e *idem.StoreError
			if errors.As(err, &e) && e.Temporary {
				return idem.Row{}, err
			}
		}
		return idem.Row{}, &idem.StoreError{Reason: "too large", NotApplied: true, TooMuch: true}
	}
	return s.Store.Complete(ctx, o)
}

// TestComplete_AnOutcomeIsStoredLaterAlsoWhenASuccessorWasThere: the call that took over says that nothing happened, so the row is gone, and
// the outcome of the first, which did happen, can't be stored just now. It has to be stored later, as it would be without a successor.
func TestComplete_AnOutcomeIsStoredLaterAlsoWhenASuccessorWasThere(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		successor func(*play)
		step      idemtest.Step
		fault     idemtest.Fault
	}{
		"released, and the store away": {
			func(p *play) { p.store.Edit(payRow, func(r *idem.Row) { r.State = idem.StateAbsent }) },
			idemtest.StepComplete,
			idemtest.Fault{Skip: 1, Times: idemtest.Always},
		},
		"lapsed, and the store away": {
			func(p *play) { p.store.Age(payRow, 2*time.Minute) },
			idemtest.StepTakeOver,
			idemtest.Fault{Times: idemtest.Always},
		},
		"lapsed, and the answers to the retaking lost": {
			func(p *play) { p.store.Age(payRow, 2*time.Minute) },
			idemtest.StepTakeOver,
			idemtest.Fault{Do: idemtest.LoseAnswer, Times: idemtest.Always},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlay(t)
			var away *idemtest.Injection
			p.method = func(context.Context, int64) (string, error) {
				p.store.Edit(payRow, func(r *idem.Row) { r.Owner, r.Attempt = idem.Owner{9}, 2 })
				away = p.store.Inject(c.step, c.fault)
				time.AfterFunc(20*time.Millisecond, func() { c.successor(p) })
				return "mine", nil
			}
			out, err := p.pay(t.Context())
			t.Logf("the call got %q, %v", out, err)
			if away.Hits() == 0 {
				t.Error("the store did not fail")
			}
			away.Stop()
			p.method = nil
			p.soon("the outcome", func() bool { return p.store.Row(payRow).State == idem.StateDone })
			p.store.Age(payRow, 2*time.Minute) // past the lease, if nobody renews it
			out, err = p.pay(t.Context())
			if out != "mine" || err != nil || p.runs.Load() != 1 {
				t.Errorf("a later call got %q, %v; the method ran %d times", out, err, p.runs.Load())
			}
		})
	}
}

// TestComplete_AnOutcomeThatIsStoredLaterRetakesAClaimToo: while the store was away for this process, another one took over, and it
// came to nothing there. Whoever is still there to store the outcome does what he would have done at once.
func TestComplete_AnOutcomeThatIsStoredLaterRetakesAClaimToo(t *testing.T) {
	t.Parallel()
	for name, after := range map[string]func(*play){
		"lapsed by then": func(p *play) { p.store.Age(payRow, 2*time.Minute) },
		"released later": func(p *play) {
			time.AfterFunc(200*time.Millisecond, func() {
				p.store.Edit(payRow, func(r *idem.Row) { r.State = idem.StateAbsent })
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlay(t)
			down := p.store.Inject(idemtest.StepComplete, idemtest.Fault{Times: idemtest.Always})
			if out, err := p.pay(t.Context()); out != "ran 1" || err != nil || down.Hits() == 0 {
				t.Errorf("got %q, %v", out, err)
			}
			p.store.Edit(payRow, func(r *idem.Row) { r.Owner, r.Attempt = idem.Owner{9}, 2 })
			after(p)
			down.Stop()
			p.soon("the outcome", func() bool { return p.store.Row(payRow).State == idem.StateDone })
			out, err := p.pay(t.Context())
			if out != "ran 1" || err != nil || p.runs.Load() != 1 {
				t.Errorf("a later call got %q, %v; the method ran %d times", out, err, p.runs.Load())
			}
		})
	}
}

// TestComplete_ASuccessWithoutAResultIsStoredLaterToo: a codec ends the goroutine while the store is away.
func TestComplete_ASuccessWithoutAResultIsStoredLaterToo(t *testing.T) {
	t.Parallel()
	p := newPlay(t)
	down := p.store.Inject(idemtest.StepComplete, idemtest.Fault{Times: idemtest.Always})
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = p.pay(t.Context(), func(op *idem.Operation[string]) { op.Codec = exiting{} })
	}()
	<-done
	if down.Hits() == 0 {
		t.Error("the store did not fail")
	}
	down.Stop()
	p.soon("the tombstone", func() bool { return p.store.Row(payRow).State == idem.StateDone })
	p.store.Age(payRow, 2*time.Minute) // past the lease, if nobody renews it
	if _, err := p.pay(t.Context()); !errors.Is(err, idem.ErrResultNotStored) || p.runs.Load() != 1 {
		t.Errorf("a later call got %v; the method ran %d times", err, p.runs.Load())
	}
}

// exiting is a codec that ends its goroutine.
type exiting struct{ idem.JSON[string] }

func (exiting) Encode(idem.Ref, string) ([]byte, error) {
	runtime.Goexit()
	return nil, nil
}

// TestRelease_ARefusalThatPassesDoesNotMakeNothingUnknown: the method says that nothing happened while the database is read-only for a
// moment, in a failover say. A result is kept through that; so must be the word that there is nothing to decide.
func TestRelease_ARefusalThatPassesDoesNotMakeNothingUnknown(t *testing.T) {
	t.Parallel()
	p := newPlay(t)
	refused := p.store.Inject(idemtest.StepRelease, idemtest.Fault{Err: &idem.StoreError{Reason: "read-only", NotApplied: true}})
	holding := func(op *idem.Operation[string]) { op.Takeover = idem.TakeoverHold }
	p.method = func(_ context.Context, run int64) (string, error) {
		if run == 1 {
			return "", idem.NoEffect(errors.New("declined"))
		}
		return "charged", nil
	}
	if _, err := p.pay(t.Context(), holding); err == nil || refused.Hits() != 1 {
		t.Errorf("got %v", err)
	}
	time.Sleep(100 * time.Millisecond)
	p.store.Age(payRow, 2*time.Minute)
	if out, err := p.pay(t.Context(), holding); out != "charged" || err != nil {
		t.Errorf("a retry got %q, %v; want a run", out, err)
	}
}

// TestGiveBack_AClaimThatWasNeverRunIsGivenBackAfterALongOutageToo: the answer to the claim is lost, and the store is away for longer than the
// store timeout. The method was not started, so there is nothing that a person could decide.
func TestGiveBack_AClaimThatWasNeverRunIsGivenBackAfterALongOutageToo(t *testing.T) {
	t.Parallel()
	p := newPlay(t)
	holding := func(op *idem.Operation[string]) { op.Takeover = idem.TakeoverHold }
	away := p.store.Inject(idemtest.StepClaim, idemtest.Fault{Do: idemtest.LoseAnswer, Times: idemtest.Always})
	if _, err := p.pay(t.Context(), holding); !errors.Is(err, idem.ErrStore) || away.Hits() == 0 {
		t.Errorf("got %v", err)
	}
	time.Sleep(time.Second) // twice the store timeout
	away.Stop()
	time.Sleep(2 * time.Second)
	p.store.Age(payRow, 2*time.Minute)
	if out, err := p.pay(t.Context(), holding); out != "ran 1" || err != nil {
		t.Errorf("a retry got %q, %v; want a run", out, err)
	}
}
