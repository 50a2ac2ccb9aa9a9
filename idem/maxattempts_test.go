package idem_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
)

// This file is the end of trying: an input that kills every process that runs it must not kill them all.

// TestMaxAttempts_LapsesAndPanicsCountAndImpatienceDoesNot: a poisonous input must not end every process there is, and nobody may
// spoil a key by hanging up.
func TestMaxAttempts_LapsesAndPanicsCountAndImpatienceDoesNot(t *testing.T) {
	t.Parallel()
	lapse := func(p *asking) { p.store.Age(payRow, 2*pay.Lease) }
	for _, takeover := range []idem.Takeover{idem.TakeoverRerun, idem.TakeoverRecover} {
		for name, end := range map[string]func(*asking) (counts bool){
			"lapses": func(p *asking) bool { // the process dies: what its goroutine does then reaches nobody
				gate := idemtest.NewGate(t)
				p.method = func(context.Context, int64) (string, error) { _ = gate.Enter(context.Background()); return "", errDead }
				go func() { _, _ = p.pay(context.Background(), takenOver(takeover)) }()
				gate.Await(t, 1)
				lapse(p)
				t.Cleanup(gate.Open)
				return true
			},
			"panics": func(p *asking) bool {
				p.method = func(context.Context, int64) (string, error) { panic("poison") }
				func() {
					defer func() { _ = recover() }()
					_, _ = p.pay(context.Background(), takenOver(takeover))
				}()
				return true
			},
			"impatience": func(p *asking) bool {
				ctx, cancel := context.WithCancel(context.Background())
				p.method = func(ctx context.Context, _ int64) (string, error) { cancel(); return "", ctx.Err() }
				_, _ = p.pay(ctx, takenOver(takeover))
				return false
			},
		} {
			p := newAsking(t)
			counts := false
			for range 10 { // the default
				counts = end(p)
			}
			if n := p.runs.Load(); n != 10 {
				t.Errorf("%s: %d runs of 10", name, n)
			}
			p.method = nil
			out, err := p.pay(t.Context(), takenOver(takeover))
			failed, _ := errors.AsType[*idem.Error](err)
			switch row := p.store.Row(payRow); {
			case counts != errors.Is(err, idem.ErrOutcomeUnknown) || counts == (out == "ran"):
				t.Errorf("%s: then the next caller got %q, %v", name, out, err)
			case counts && (failed.Attempt != 10 || failed.Since != row.ClaimedAt || failed.State != idem.StateUnknown || !strings.Contains(failed.Error(), "attempt 10 began at 2")):
				t.Errorf("%s: it says %+v", name, failed)
			case counts && rowText(row) != "unknown 10 lapses "+map[string]string{"lapses": "9", "panics": "10"}[name]:
				t.Errorf("%s: the row is %q", name, rowText(row))
			}
		}
	}
}
