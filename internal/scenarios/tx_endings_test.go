package scenarios

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/postgres"
)

// This file is every way in which a run in a transaction can end. Only a success has an effect and an outcome; after every other ending there is
// neither, and no row: the next caller runs as if nobody had.

func TestTx_EveryEndingButCommitLeavesNothing(t *testing.T) {
	t.Parallel()
	for mode, tx := range engineModes {
		for name, end := range map[string]func(ctx context.Context, cancel func()) error{
			"a plain error":             func(context.Context, func()) error { return errPlain },
			"an error marked unknown":   func(context.Context, func()) error { return idem.Unknown(errPlain) },
			"an error marked no effect": func(context.Context, func()) error { return idem.NoEffect(errPlain) },
			"a lost connection's error": func(context.Context, func()) error { return fmt.Errorf("call: %w", io.ErrUnexpectedEOF) },
			"the caller's end":          func(ctx context.Context, cancel func()) error { cancel(); <-ctx.Done(); return ctx.Err() },
			"the caller's end in a statement": func(ctx context.Context, cancel func()) error {
				handed, _ := postgres.TxFromContext(ctx)
				cancel()
				_, err := handed.Exec(ctx, "SELECT pg_sleep(10)")
				return err
			},
			"a broken transaction": func(ctx context.Context, _ func()) error {
				handed, _ := postgres.TxFromContext(ctx)
				_, err := handed.Exec(ctx, "SELECT 1/0")
				return err
			},
			"a panic":    func(context.Context, func()) error { panic("on fire") },
			"panic(nil)": func(context.Context, func()) error { panic(nil) }, //nolint:govet // on purpose
			"Goexit":     func(context.Context, func()) error { runtime.Goexit(); return nil },
		} {
			t.Run(mode+"/"+name, func(t *testing.T) {
				t.Parallel()
				s := withEffects(t)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				paying := s.method
				var returned error
				s.method = func(ctx context.Context, run int64) (string, error) {
					if err := effect(ctx, run); err != nil {
						t.Error(err)
					}
					returned = end(ctx, cancel)
					return "lost", returned
				}
				done := make(chan struct{})
				go func() {
					defer close(done)
					defer func() { _ = recover() }()
					ctx, info := idem.WithInfo(ctx)
					out, err := s.call(ctx, inTx(tx), "k", "a")
					if out != "" || err == nil || returned != err || info.Stored {
						t.Errorf("got %q, %v, %+v; want the method's own error, %v", out, err, info, returned)
					}
				}()
				<-done
				s.wantRow("k", "absent")
				s.wantEffects(0)
				if n := s.events.count(idem.EventAbandoned) + s.events.count(idem.EventFenced); n != 0 {
					t.Errorf("events: %v", s.events.kinds())
				}
				s.method = paying
				s.wantPaid(inTx(tx), "k", false)
				s.wantPaid(inTx(tx), "k", true)
				s.wantEffects(1)
				s.wantRuns(2)
			})
		}
	}
}

func TestTx_EffectAndOutcomeCommitTogether(t *testing.T) {
	t.Parallel()
	for mode, tx := range engineModes {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			s := withEffects(t)
			seen := ""
			s.method = func(ctx context.Context, run int64) (string, error) {
				err := effect(ctx, run)
				seen = fmt.Sprint(s.charged("k"), ", effects: ", ask[int](s, "SELECT count(*) FROM effects"))
				return "paid", err
			}
			s.wantPaid(inTx(tx), "k", false)
			want := map[string]string{"own": "running, effects: 0", "optimistic": "absent, effects: 0"}[mode] // as others see it
			if seen != want {
				t.Errorf("while it runs others see %s, want %s", seen, want)
			}
			s.wantEffects(1)
			s.wantPaid(inTx(tx), "k", true)
			_, err := s.call(t.Context(), inTx(tx), "k", "other")
			wantErr(t, err, idem.ErrMismatch)
			s.wantRuns(1)
			// One transaction wrote both.
			if n := ask[int](s, "SELECT count(*) FROM effects e, idem_claims c WHERE e.xmin = c.xmin"); n != 1 {
				t.Error("effect and outcome are of different transactions")
			}
		})
	}
}

// TestTx_TheHandedTransactionRefusesItsEnd: whichever way a method tries to end its transaction, its effect is never there without an outcome.
func TestTx_TheHandedTransactionRefusesItsEnd(t *testing.T) {
	t.Parallel()
	sends := func(sql string) func(context.Context, pgx.Tx) error {
		return func(ctx context.Context, tx pgx.Tx) error { _, err := tx.Exec(ctx, sql); return err }
	}
	for mode, tx := range engineModes {
		for name, c := range map[string]struct {
			end     func(context.Context, pgx.Tx) error
			succeed bool // where the method goes on, and returns no error
		}{
			"Commit":              {func(ctx context.Context, tx pgx.Tx) error { return tx.Commit(ctx) }, true},
			"Rollback":            {func(ctx context.Context, tx pgx.Tx) error { return tx.Rollback(ctx) }, false},
			"COMMIT":              {sends("COMMIT"), true},
			"end":                 {sends(" end;"), true},
			"ROLLBACK":            {sends("rollback"), false},
			"ROLLBACK AND CHAIN":  {sends("rollback and chain"), false},
			"ABORT":               {sends("Abort"), false},
			"PREPARE TRANSACTION": {sends("prepare transaction 'x'"), false},
			"COMMIT as a query":   {func(ctx context.Context, tx pgx.Tx) error { _, err := tx.Query(ctx, "commit"); return err }, true},
			"COMMIT as one row":   {func(ctx context.Context, tx pgx.Tx) error { return tx.QueryRow(ctx, "commit").Scan() }, true},
			"COMMIT in a batch": {func(ctx context.Context, tx pgx.Tx) error {
				b := &pgx.Batch{}
				b.Queue("commit")
				return tx.SendBatch(ctx, b).Close()
			}, true},
			"COMMIT as a prepared": {func(ctx context.Context, tx pgx.Tx) error { _, err := tx.Prepare(ctx, "c", "commit"); return err }, true},
		} {
			t.Run(mode+"/"+name, func(t *testing.T) {
				t.Parallel()
				s := withEffects(t)
				var refusal error
				s.method = func(ctx context.Context, run int64) (string, error) {
					handed, _ := postgres.TxFromContext(ctx)
					err := effect(ctx, run)
					refusal = c.end(ctx, handed)
					return "paid", err
				}
				out, err := s.call(t.Context(), inTx(tx), "k", "a")
				if !errors.Is(refusal, postgres.ErrTxHanded) {
					t.Errorf("refused with %v", refusal)
				}
				if c.succeed {
					if out != "paid" || err != nil {
						t.Errorf("got %q, %v", out, err)
					}
					s.wantEffects(1)
					return
				}
				wantErr(t, err, idem.ErrStore)
				s.wantEffects(0)
				s.wantRow("k", "absent")
			})
		}
	}
}

func TestTx_SavepointsAreTheMethodsOwn(t *testing.T) {
	t.Parallel()
	for mode, tx := range engineModes {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			s := withEffects(t)
			s.method = func(ctx context.Context, run int64) (string, error) {
				handed, _ := postgres.TxFromContext(ctx)
				err := pgx.BeginFunc(ctx, handed, func(inner pgx.Tx) error {
					if _, err := inner.Exec(ctx, "INSERT INTO effects VALUES ('undone', 0)"); err != nil {
						return err
					}
					_, err := inner.Exec(ctx, "SELECT 1/0")
					return err
				})
				if err == nil {
					t.Error("division by zero is fine")
				}
				if _, err := handed.Exec(ctx, "savepoint mine"); err != nil {
					return "", err
				}
				if _, err := handed.Exec(ctx, "rollback to savepoint mine"); err != nil {
					return "", err
				}
				if _, err := handed.Exec(ctx, "rollback transaction to mine"); err != nil {
					return "", err
				}
				return "paid", pgx.BeginFunc(ctx, handed, func(pgx.Tx) error { return effect(ctx, run) })
			}
			s.wantPaid(inTx(tx), "k", false)
			s.wantEffects(1)
		})
	}
}

// TestTx_AMethodThatEndsItsTransactionBehindOurBackIsHeld: through the connection everything is possible. Nobody knows then whether the effect
// is there, so nobody runs again by himself.
func TestTx_AMethodThatEndsItsTransactionBehindOurBackIsHeld(t *testing.T) {
	t.Parallel()
	for mode, tx := range engineModes {
		for _, sql := range []string{"commit", "rollback"} {
			t.Run(mode+"/"+sql, func(t *testing.T) {
				t.Parallel()
				s := withEffects(t)
				s.method = func(ctx context.Context, run int64) (string, error) {
					handed, _ := postgres.TxFromContext(ctx)
					err := effect(ctx, run)
					_, end := handed.Conn().Exec(ctx, sql)
					return "paid", errors.Join(err, end)
				}
				_, err := s.call(t.Context(), inTx(tx), "k", "a")
				if e := wantErr(t, err, idem.ErrOutcomeUnknown); e.RetryAfter != 0 {
					t.Errorf("%+v invites another try", e)
				}
				s.wantRowNow("k", "unknown")
				_, err = s.call(t.Context(), inTx(tx), "k", "a")
				wantErr(t, err, idem.ErrOutcomeUnknown)
				s.wantRuns(1)
			})
		}
	}
}

// TestTx_NothingReachesTheTransactionAfterItsMethod: what the method started must not write into somebody else's transaction, on a connection that
// is the pool's again.
func TestTx_NothingReachesTheTransactionAfterItsMethod(t *testing.T) {
	t.Parallel()
	s := withEffects(t)
	var handed, inner pgx.Tx
	s.method = func(ctx context.Context, run int64) (out string, err error) {
		handed, _ = postgres.TxFromContext(ctx)
		inner, err = handed.Begin(ctx)
		return "paid", errors.Join(err, effect(ctx, run))
	}
	s.wantPaid(inTx(own), "k", false)
	ctx := t.Context()
	_, exec := handed.Exec(ctx, "SELECT 1")
	_, query := handed.Query(ctx, "SELECT 1")
	_, begin := handed.Begin(ctx)
	_, prepare := handed.Prepare(ctx, "x", "SELECT 1")
	_, copied := handed.CopyFrom(ctx, pgx.Identifier{"effects"}, nil, nil)
	b := &pgx.Batch{}
	b.Queue("SELECT 1")
	for i, err := range []error{exec, query, begin, prepare, copied, handed.QueryRow(ctx, "SELECT 1").Scan(), handed.SendBatch(ctx, b).Close(), handed.Commit(ctx), handed.Rollback(ctx)} {
		if !errors.Is(err, postgres.ErrTxEnded) {
			t.Errorf("%d: %v", i, err)
		}
	}
	if _, err := inner.Exec(ctx, "SELECT 1"); !errors.Is(err, pgx.ErrTxClosed) {
		t.Errorf("the savepoint's transaction: %v", err)
	}
	s.wantEffects(1)
}

// TestTx_RowsLeftOpenAreAnError: the connection is still busy with them, so neither the outcome nor a rollback can be sent.
func TestTx_RowsLeftOpenAreAnError(t *testing.T) {
	t.Parallel()
	s := withEffects(t)
	s.method = func(ctx context.Context, run int64) (string, error) {
		handed, _ := postgres.TxFromContext(ctx)
		if err := effect(ctx, run); err != nil {
			return "", err
		}
		_, err := handed.Query(ctx, "SELECT generate_series(1, 100000)") //nolint:sqlclosecheck // on purpose
		return "paid", err
	}
	_, err := s.call(t.Context(), inTx(own), "k", "a")
	wantErr(t, err, idem.ErrStore)
	s.wantEffects(0)
	s.wantRow("k", "absent")
}
