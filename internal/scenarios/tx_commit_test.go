package scenarios

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
)

// This file is commits whose answer is lost. Whether one has happened is found out by taking the row for a new owner, which waits for the old
// backend; the commit is never sent again.

// TestD13: on a fresh connection a COMMIT succeeds without a transaction. Nothing is taken for committed that is not there.
func TestD13_ACommitWithoutAnswerIsResolvedByTheRow(t *testing.T) {
	t.Parallel()
	for mode, tx := range engineModes {
		for name, c := range map[string]struct {
			do   idemtest.Action
			land bool // the server gets the commit after all, when its fate is already asked for
			runs int64
		}{
			"committed":           {do: idemtest.LoseAnswer, runs: 1},
			"never arrived":       {do: idemtest.Refuse, runs: 2},
			"arrives late":        {do: idemtest.ApplyLate, land: true, runs: 1},
			"swallowed for good":  {do: idemtest.ApplyLate, runs: 2}, // the server ends the transaction when it was idle for a lease
			"broke, not answered": {do: idemtest.LoseLast, runs: 1},
		} {
			t.Run(mode+"/"+name, func(t *testing.T) {
				t.Parallel()
				w := wiredEffects(t)
				lost := w.cut.Inject(sqlCommitOutcome, idemtest.Fault{Do: c.do})
				op := inTx(tx, func(op *idem.Operation[string]) { op.Lease = 4 * time.Second })
				ctx, info := idem.WithInfo(t.Context())
				done := make(chan answer, 1)
				go func() {
					out, err := w.call(ctx, op, "k", "a")
					done <- answer{out, err}
				}()
				if c.land {
					held := map[string]string{"own": sqlReown, "optimistic": sqlClaim}[mode]
					w.awaitHeld(1, held)
					if n := lost.Land(); n != 1 {
						t.Errorf("%d commits landed", n)
					}
				}
				w.wantAnswer(<-done, "paid", nil)
				if lost.Hits() != 1 || !info.Stored || info.Replayed {
					t.Errorf("%d commits were lost; %+v", lost.Hits(), info)
				}
				w.wantRuns(c.runs)
				w.wantEffects(1)
				w.wantRowNow("k", "done")
				w.other.method = w.method
				w.other.wantPaid(op, "k", true)
			})
		}
	}
}

// TestD9: a commit of which nobody says what became of it, for longer than a call waits, is an answer of its own. The same key asked again
// finds out.
func TestD9_ACommitWhoseFateNobodyTellsIsAnUnknownOutcomeThatTheKeyTellsLater(t *testing.T) {
	t.Parallel()
	for mode, tx := range engineModes {
		for name, c := range map[string]struct {
			do   idemtest.Action
			runs int64
		}{"committed": {idemtest.LoseAnswer, 1}, "not committed": {idemtest.Refuse, 2}} {
			t.Run(mode+"/"+name, func(t *testing.T) {
				t.Parallel()
				w := wiredEffects(t, idem.WithStoreTimeout(3*time.Second))
				w.cut.Inject(sqlCommitOutcome, idemtest.Fault{Do: c.do})
				op := inTx(tx, func(op *idem.Operation[string]) { op.Lease = 3 * time.Second })
				paying, gone := w.method, make(chan struct{})
				w.method = func(ctx context.Context, run int64) (string, error) {
					out, err := paying(ctx, run)
					w.cut.Inject(map[string]string{"own": sqlReown, "optimistic": sqlClaim}[mode], idemtest.Fault{Times: idemtest.Always})
					close(gone)
					return out, err
				}
				out, err := w.call(t.Context(), op, "k", "a")
				<-gone
				e := wantErr(t, err, idem.ErrOutcomeUnknown)
				if out != "" || e.RetryAfter < time.Second {
					t.Errorf("got %q and %+v; want to be asked again later", out, e)
				}
				if _, ok := idem.LostResult[string](err); ok {
					t.Error("a result of which nobody knows whether it holds was handed out")
				}
				w.method = paying
				w.other.eventually("an answer of the key", func() bool {
					out, err := w.other.call(t.Context(), op, "k", "a")
					return out == "paid" && err == nil
				})
				w.wantRuns(c.runs)
				w.wantEffects(1)
			})
		}
	}
}

// TestTx_WhatBreaks: what is lost before the commit is certain never to
// be committed, so the claim is given back at once.
func TestTx_WhatBreaksBeforeTheCommitIsUndone(t *testing.T) {
	t.Parallel()
	for mode, tx := range engineModes {
		completes := map[string]string{"own": sqlComplete, "optimistic": sqlInsertSettled}[mode]
		for _, sql := range []string{sqlBeginEffect, sqlEffect, completes} {
			for name, do := range map[string]idemtest.Action{"before": idemtest.Refuse, "after": idemtest.LoseAnswer} {
				t.Run(fmt.Sprint(mode, "/", sql, "/", name), func(t *testing.T) {
					t.Parallel()
					w := wiredEffects(t)
					lost := w.cut.Inject(sql, idemtest.Fault{Do: do})
					out, err := w.call(t.Context(), inTx(tx), "k", "a")
					if lost.Hits() != 1 {
						t.Fatalf("%d hits", lost.Hits())
					}
					if sql == sqlBeginEffect { // nothing has happened yet, so it is sent again
						w.wantAnswer(answer{out, err}, "paid", nil)
						w.wantRuns(1)
						w.wantEffects(1)
						return
					}
					if out != "" || err == nil || sql == completes && !errors.Is(err, idem.ErrStore) {
						t.Errorf("got %q, %v", out, err)
					}
					w.wantRow("k", "absent")
					w.wantEffects(0)
					w.wantPaid(inTx(tx), "k", false)
					w.wantEffects(1)
					w.wantRuns(2)
				})
			}
		}
	}
}
