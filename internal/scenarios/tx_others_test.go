package scenarios

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
	"github.com/idemgen/idemgen/idem/postgres"
)

// This file is runs in a transaction that meet others: a call that takes the claim over, transactions the database can't keep apart, and a
// connection that nobody answers on.

// TestTx_AZombiesEffectVanishes: a run that was taken over finds that when it stores its outcome, undoes what it did, and is a duplicate like any
// other. It has nothing to tell of a result.
func TestTx_AZombiesEffectVanishes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		successor error // what the run that took over returns
		late      bool  // and only after the zombie
		conflict  bool
		want      string
		runs      int64
	}{
		"its successor has succeeded":           {want: "paid by 2", runs: 2},
		"its successor is running":              {late: true, want: "paid by 2", runs: 2},
		"its successor is running, and no poll": {late: true, conflict: true, runs: 2},
		"its successor has failed":              {successor: errPlain, want: "paid by 3", runs: 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := withEffects(t)
			zombie, second := idemtest.NewGate(t), idemtest.NewGate(t)
			s.method = func(ctx context.Context, run int64) (string, error) {
				err := effect(ctx, run)
				switch run {
				case 1:
					_ = zombie.Enter(context.WithoutCancel(ctx))
				case 2:
					_ = second.Enter(context.WithoutCancel(ctx))
					err = errors.Join(err, c.successor)
				}
				return fmt.Sprint("paid by ", run), err
			}
			op := inTx(own)
			if c.conflict {
				conflict(op)
			}
			first := s.async(t.Context(), op, "k", "a")
			zombie.Await(t, 1)
			s.age("k", time.Minute)
			other := s.twin()
			next := other.async(t.Context(), inTx(own), "k", "a")
			second.Await(t, 1)
			var took answer
			if !c.late {
				second.Open()
				took = <-next
			}
			zombie.Open()
			if c.late && !c.conflict {
				s.await(idem.EventWaited, 1)
				second.Open()
			}
			a := <-first
			if c.conflict {
				wantErr(t, a.err, idem.ErrInFlight)
				second.Open()
			} else if a != (answer{c.want, nil}) {
				t.Errorf("the zombie got %v", a)
			}
			if _, ok := idem.LostResult[string](a.err); ok {
				t.Error("the zombie's result was handed out, and its effect is gone")
			}
			if c.late {
				took = <-next
			}
			if !errors.Is(took.err, c.successor) {
				t.Errorf("its successor got %v", took)
			}
			s.wantRuns(c.runs)
			s.wantEffects(1)
			if s.events.count(idem.EventFenced) != 0 || s.events.count(idem.EventRolledBack) == 0 {
				t.Errorf("events: %v; want no alarm about an effect that is gone", s.events.kinds())
			}
		})
	}
}

// raise makes a transaction fail with an SQLSTATE.
func raise(ctx context.Context, tx pgx.Tx, state string) error {
	_, err := tx.Exec(ctx, "DO $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '"+state+"'; END $$")
	return err
}

func TestTx_AFailureToSerializeRunsTheEffectAgain(t *testing.T) {
	t.Parallel()
	for mode, tx := range engineModes {
		for _, state := range []string{"40001", "40P01"} {
			for how, returns := range map[string]func(error) error{
				"returned":  func(err error) error { return err },
				"wrapped":   func(err error) error { return fmt.Errorf("paying: %w", err) },
				"joined":    func(err error) error { return errors.Join(errPlain, err) },
				"marked":    idem.Unknown,
				"swallowed": func(error) error { return nil },
			} {
				t.Run(fmt.Sprint(mode, "/", state, "/", how), func(t *testing.T) {
					t.Parallel()
					s := withEffects(t)
					s.method = func(ctx context.Context, run int64) (string, error) {
						handed, _ := postgres.TxFromContext(ctx)
						if err := effect(ctx, run); err != nil {
							return "", err
						}
						if run < 3 {
							return "paid", returns(raise(ctx, handed, state))
						}
						return "paid", nil
					}
					s.wantPaid(inTx(tx), "k", false)
					s.wantRuns(3)
					s.wantEffects(1)
					if n := s.events.count(idem.EventRolledBack); n != 2 {
						t.Errorf("events: %v", s.events.kinds())
					}
					if claims := s.events.count(idem.EventClaimed); mode == "own" && claims != 1 {
						t.Errorf("%d claims; all runs are under one", claims)
					}
				})
			}
		}
	}
}

func TestTx_RunningAgainIsBounded(t *testing.T) {
	t.Parallel()
	for mode, tx := range engineModes {
		for _, swallowed := range []bool{false, true} {
			t.Run(fmt.Sprint(mode, "/swallowed ", swallowed), func(t *testing.T) {
				t.Parallel()
				s := withEffects(t)
				var last error
				s.method = func(ctx context.Context, run int64) (string, error) {
					handed, _ := postgres.TxFromContext(ctx)
					last = raise(ctx, handed, "40001")
					if swallowed {
						return "paid", nil
					}
					return "", last
				}
				_, err := s.call(t.Context(), inTx(tx), "k", "a")
				if swallowed {
					wantErr(t, err, idem.ErrStore)
				} else if err != last {
					t.Errorf("got %v, want the method's own error", err)
				}
				s.wantRuns(9)
				s.wantRow("k", "absent")
			})
		}
	}
}

// TestTx_StrongerIsolation: with one snapshot for the whole transaction, of two that read what the other writes one runs again.
func TestTx_StrongerIsolation(t *testing.T) {
	t.Parallel()
	for mode, tx := range engineModes {
		for _, level := range []pgx.TxIsoLevel{pgx.RepeatableRead, pgx.Serializable} {
			t.Run(fmt.Sprint(mode, "/", level), func(t *testing.T) {
				t.Parallel()
				s := withEffects(t)
				s.exec("CREATE TABLE balance (left_over int)")
				s.exec("INSERT INTO balance VALUES (100)")
				s.storing(nil, []postgres.Option{postgres.WithTxOptions(pgx.TxOptions{IsoLevel: level})})
				both := idemtest.NewGate(t)
				s.method = func(ctx context.Context, run int64) (string, error) {
					handed, _ := postgres.TxFromContext(ctx)
					var left int
					if err := handed.QueryRow(ctx, "SELECT left_over FROM balance").Scan(&left); err != nil {
						return "", err
					}
					_ = both.Enter(ctx) // until both have looked
					if _, err := handed.Exec(ctx, "UPDATE balance SET left_over = $1", left-10); err != nil {
						return "", err
					}
					return "paid", effect(ctx, run)
				}
				op := inTx(tx, func(op *idem.Operation[string]) { op.NoRenew = true })
				a, b := s.async(t.Context(), op, "k1", "a"), s.async(t.Context(), op, "k2", "a")
				both.Await(t, 2)
				both.Open()
				s.wantAnswer(<-a, "paid", nil)
				s.wantAnswer(<-b, "paid", nil)
				s.wantRuns(3)
				s.wantEffects(2)
				if left := ask[int](s, "SELECT left_over FROM balance"); left != 80 {
					t.Errorf("%d are left over: an update was lost", left)
				}
				if mode == "own" { // a renewal would make its outcome fail
					_, err := s.call(t.Context(), inTx(tx), "k3", "a")
					wantErr(t, err, idem.ErrBadOperation)
				}
			})
		}
	}
}
