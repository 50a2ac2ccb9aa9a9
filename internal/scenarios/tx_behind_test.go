package scenarios

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
	"github.com/idemgen/idemgen/idem/postgres"
)

// This file is where modes meet what else a call can be: a method that commits behind the engine's back and fails then, a caller who has left, a
// winner who wants what replays get.

// TestTx_AMethodThatCommitsItselfAndFailsIsHeld: an error says nothing of an effect that is committed already, and a second run would have it again.
func TestTx_AMethodThatCommitsItselfAndFailsIsHeld(t *testing.T) {
	t.Parallel()
	for mode, tx := range engineModes {
		for name, end := range map[string]func() error{
			"an error":           func() error { return errPlain },
			"no effect, it says": func() error { return idem.NoEffect(errPlain) },
			"a panic":            func() error { panic("on fire") },
		} {
			t.Run(mode+"/"+name, func(t *testing.T) {
				t.Parallel()
				s := withEffects(t)
				s.method = func(ctx context.Context, run int64) (string, error) {
					handed, _ := postgres.TxFromContext(ctx)
					err := effect(ctx, run)
					if _, failed := handed.Conn().Exec(ctx, "commit"); err != nil || failed != nil {
						t.Error(err, failed)
					}
					return "", end()
				}
				func() {
					defer func() { _ = recover() }()
					if _, err := s.call(t.Context(), inTx(tx), "k", "a"); !errors.Is(err, errPlain) {
						t.Errorf("got %v, want the method's own error", err)
					}
				}()
				s.wantRowNow("k", "unknown")
				_, err := s.call(t.Context(), inTx(tx), "k", "a")
				wantErr(t, err, idem.ErrOutcomeUnknown)
				s.wantRuns(1)
			})
		}
	}
}

// TestJoin_AMethodThatEndsTheCallersTransactionAndFailsIsHeld: its claim was committed with its effect.
func TestJoin_AMethodThatEndsTheCallersTransactionAndFailsIsHeld(t *testing.T) {
	t.Parallel()
	for name, commit := range map[string]func(context.Context, pgx.Tx) error{
		"by the transaction": func(ctx context.Context, tx pgx.Tx) error { return tx.Commit(ctx) },
		"by the connection":  func(ctx context.Context, tx pgx.Tx) error { _, err := tx.Conn().Exec(ctx, "commit"); return err },
	} {
		for result, returned := range map[string]error{"an error": errPlain, "a success": nil} {
			t.Run(name+"/"+result, func(t *testing.T) {
				t.Parallel()
				s := withEffects(t)
				tx, err := s.pool.Begin(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				call := s.request("k", "a")
				call.Tx = tx
				call.Run = func(ctx context.Context) (string, error) {
					_, err := tx.Exec(ctx, sqlEffect+" VALUES ('x', 1)")
					if err := errors.Join(err, commit(ctx, tx)); err != nil {
						t.Error(err)
					}
					return "", returned
				}
				_, err = idem.Do(t.Context(), s.engine, inTx(joining), call)
				_ = tx.Rollback(t.Context())
				if returned != nil && err != returned || returned == nil && !errors.Is(err, idem.ErrOutcomeUnknown) {
					t.Errorf("got %v", err)
				}
				s.wantRowNow("k", "unknown")
			})
		}
	}
}

// storedAs stores every result as one text, as a codec may that rounds or cuts.
type storedAs struct{ idem.JSON[string] }

func (storedAs) Name() string                                   { return "stored-as" }
func (storedAs) Encode(idem.Ref, string) ([]byte, error)        { return []byte("as stored"), nil }
func (storedAs) Decode(_ idem.Ref, data []byte) (string, error) { return string(data), nil }

// TestTx_TheWinnerGetsWhatIsStoredIfAsked: WithStoredResults holds in every mode.
func TestTx_TheWinnerGetsWhatIsStoredIfAsked(t *testing.T) {
	t.Parallel()
	s := withEffects(t, idem.WithStoredResults())
	coded := func(op *idem.Operation[string]) { op.Codec = storedAs{} }
	for mode, tx := range engineModes {
		if out, err := s.call(t.Context(), inTx(tx, coded), mode, "a"); out != "as stored" || err != nil {
			t.Errorf("%s: got %q, %v", mode, out, err)
		}
	}
	err := pgx.BeginFunc(t.Context(), s.pool, func(tx pgx.Tx) error {
		call := s.request("join", "a")
		call.Tx = tx
		call.Run = func(context.Context) (string, error) { return "as it was", nil }
		out, err := idem.Do(t.Context(), s.engine, inTx(joining, coded), call)
		if out != "as stored" {
			t.Errorf("join: got %q", out)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestTx_ADetachedRunWhoseCommitWasLost: the row has a new owner then, which is this very call, and nobody it would have to wait for.
func TestTx_ADetachedRunWhoseCommitWasLost(t *testing.T) {
	t.Parallel()
	for mode, tx := range engineModes {
		for name, leaves := range map[string]bool{"runs again at once": false, "leaves nothing where its caller has left": true} {
			t.Run(mode+"/"+name, func(t *testing.T) {
				t.Parallel()
				w := wiredEffects(t)
				w.cut.Inject(sqlCommitOutcome, idemtest.Fault{Do: idemtest.Refuse})
				op := inTx(tx, detached, func(op *idem.Operation[string]) { op.Lease, op.MaxWait = time.Hour, time.Minute })
				gate, ctx := w.gatedEffect(), t.Context()
				ctx, cancel := context.WithCancel(ctx)
				defer cancel()
				call := w.async(ctx, op, "k", "a")
				gate.Await(t, 1)
				if leaves {
					cancel()
					wantErr(t, (<-call).err, idem.ErrInFlight)
				}
				gate.Open()
				if leaves {
					w.eventually("the commit rolled back", func() bool { return w.events.count(idem.EventRolledBack) > 0 })
					w.eventually("the row gone", func() bool { return w.charged("k").State == int(idem.StateAbsent) })
					w.wantEffects(0)
					w.wantRuns(1)
					return
				}
				w.wantAnswer(<-call, "paid", nil)
				w.wantEffects(1)
				w.wantRuns(2)
			})
		}
	}
}
