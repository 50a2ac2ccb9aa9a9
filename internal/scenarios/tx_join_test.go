package scenarios

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
	"github.com/idemgen/idemgen/idem/postgres"
)

// This file is calls in their caller's transaction: claim, effect and outcome stand or fall with it, and whatever a call answers, the transaction
// is as good as before.

func joining(op *idem.Operation[string]) { op.Tx = idem.TxJoin }

// callers is a caller's transaction, of one of the txKinds there are.
type callers struct {
	*stage
	tx       any
	exec     func(sql string, args ...any) error
	ask      func(sql string, to any) error
	commit   func() error
	rollback func() error
}

// txKinds of transactions a caller may have.
var txKinds = map[string]func(*stage, string) *callers{
	"pgx": func(s *stage, level string) *callers {
		ctx := context.Background()
		tx, err := s.pool.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.TxIsoLevel(level)})
		if err != nil {
			s.Fatal(err)
		}
		s.Cleanup(func() { _ = tx.Rollback(ctx) })
		return &callers{
			stage: s, tx: tx, commit: func() error { return tx.Commit(ctx) }, rollback: func() error { return tx.Rollback(ctx) },
			exec: func(sql string, args ...any) error { _, err := tx.Exec(ctx, sql, args...); return err },
			ask:  func(sql string, to any) error { return tx.QueryRow(ctx, sql).Scan(to) },
		}
	},
	"sql": func(s *stage, level string) *callers {
		ctx := context.Background()
		db := stdlib.OpenDBFromPool(s.pool)
		tx, err := db.Begin()
		if err != nil {
			s.Fatal(err)
		}
		s.Cleanup(func() { _ = tx.Rollback(); _ = db.Close() })
		if level != "" {
			if _, err := tx.Exec("SET TRANSACTION ISOLATION LEVEL " + level); err != nil {
				s.Fatal(err)
			}
		}
		return &callers{
			stage: s, tx: tx, commit: tx.Commit, rollback: tx.Rollback,
			exec: func(sql string, args ...any) error { _, err := tx.ExecContext(ctx, sql, args...); return err },
			ask:  func(sql string, to any) error { return tx.QueryRowContext(ctx, sql).Scan(to) },
		}
	},
}

// pay calls in the transaction. The method has its effect in it, and then does what then says.
func (c *callers) pay(ctx context.Context, op *idem.Operation[string], key, arg string, then func() error) (string, error) {
	call := c.request(key, arg)
	call.Tx = c.tx
	call.Run = func(ctx context.Context) (string, error) {
		n := c.runs.Add(1)
		r, _ := idem.FromContext(ctx)
		if err := c.exec(sqlEffect+" VALUES ($1, $2)", r.DownstreamKey, n); err != nil {
			return "", err
		}
		if then != nil {
			return "lost", then()
		}
		return "paid", nil
	}
	return idem.Do(ctx, c.engine, op, call)
}

// fine fails the test unless the transaction can be used.
func (c *callers) fine() {
	c.Helper()
	var one int
	if err := c.ask("SELECT 1", &one); err != nil || one != 1 {
		c.Errorf("the caller's transaction is broken: %v", err)
	}
}

func (c *callers) mustCommit() {
	c.Helper()
	if err := c.commit(); err != nil {
		c.Errorf("commit: %v", err)
	}
}

// eachKind runs a test for each kind of transaction.
func eachKind(t *testing.T, test func(t *testing.T, s *stage, begin func() *callers)) {
	for name, kind := range txKinds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := withEffects(t)
			test(t, s, func() *callers { return kind(s, "") })
		})
	}
}

func TestJoin_EverythingIsInTheCallersTransaction(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, s *stage, begin func() *callers) {
		op := inTx(joining)
		c := begin()
		ctx, info := idem.WithInfo(t.Context())
		if out, err := c.pay(ctx, op, "k", "a", nil); out != "paid" || err != nil || !info.Stored || info.Replayed {
			t.Fatalf("got %q, %v, %+v", out, err, info)
		}
		s.wantEffects(0) // as others see it
		if out, err := c.pay(t.Context(), op, "k", "a", nil); out != "paid" || err != nil {
			t.Errorf("in the same transaction again: %q, %v", out, err)
		}
		_, err := c.pay(t.Context(), op, "k", "other", nil)
		wantErr(t, err, idem.ErrMismatch)
		c.fine()
		if err := c.rollback(); err != nil {
			t.Fatal(err)
		}
		s.wantEffects(0)
		s.wantRowNow("k", "absent")
		c = begin()
		if out, err := c.pay(t.Context(), op, "k", "a", nil); out != "paid" || err != nil {
			t.Errorf("after the rollback: %q, %v", out, err)
		}
		c.mustCommit()
		s.wantEffects(1)
		s.wantRuns(2)
		if n := ask[int](s, "SELECT count(*) FROM effects, idem_claims WHERE state = 2"); n != 1 {
			t.Errorf("%d", n)
		}
		c = begin()
		ctx, info = idem.WithInfo(t.Context())
		if out, err := c.pay(ctx, op, "k", "a", nil); out != "paid" || err != nil || !info.Replayed {
			t.Errorf("a duplicate: %q, %v, %+v", out, err, info)
		}
		c.mustCommit()
		s.wantEffects(1)
		s.wantRuns(2)
	})
}

// TestA11: whoever meets a key that another open transaction has claimed is told so, in a moment, and his own transaction goes on and commits.
func TestA11_ADuplicateInItsOwnTransactionIsAnsweredAndItsTransactionGoesOn(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, s *stage, begin func() *callers) {
		first, second := begin(), begin()
		if _, err := first.pay(t.Context(), inTx(joining), "k", "a", nil); err != nil {
			t.Fatal(err)
		}
		if err := second.exec("SET LOCAL lock_timeout = '7s'"); err != nil {
			t.Fatal(err)
		}
		if err := second.exec("INSERT INTO effects VALUES ('its own', 0)"); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			_, err := second.pay(t.Context(), inTx(joining, conflict), "k", "a", nil)
			wantErr(t, err, idem.ErrInFlight)
			second.fine()
		}
		first.mustCommit()
		if out, err := second.pay(t.Context(), inTx(joining, conflict), "k", "a", nil); out != "paid" || err != nil {
			t.Errorf("after the commit: %q, %v", out, err)
		}
		if out, err := second.pay(t.Context(), inTx(joining, conflict), "k2", "a", nil); out != "paid" || err != nil {
			t.Errorf("another key: %q, %v", out, err)
		}
		var timeout string
		if err := second.ask("SHOW lock_timeout", &timeout); err != nil || timeout != "7s" {
			t.Errorf("lock_timeout is %s, %v", timeout, err)
		}
		second.mustCommit()
		s.wantRuns(2)
		if n := ask[int](s, "SELECT count(*) FROM effects"); n != 3 {
			t.Errorf("%d effects", n)
		}
	})
}

func TestJoin_AWaitingDuplicateGetsTheOutcomeWhenItIsCommitted(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, s *stage, begin func() *callers) {
		first, second, third := begin(), begin(), begin()
		if _, err := first.pay(t.Context(), inTx(joining), "k", "a", nil); err != nil {
			t.Fatal(err)
		}
		answers := make(chan answer, 2)
		for _, c := range []*callers{second, third} {
			go func() {
				out, err := c.pay(t.Context(), inTx(joining), "k", "a", nil)
				answers <- answer{out, err}
			}()
		}
		s.await(idem.EventWaited, 2)
		first.mustCommit()
		for range 2 {
			s.wantAnswer(<-answers, "paid", nil)
		}
		second.mustCommit()
		third.mustCommit()
		s.wantEffects(1)
		s.wantRuns(1)
	})
}

// TestJoin_AnErrorStoresNothing: the caller may commit all the same, and then what the method did before stays: it is his transaction.
func TestJoin_AnErrorStoresNothing(t *testing.T) {
	t.Parallel()
	for name, then := range map[string]func() error{
		"plain":   func() error { return errPlain },
		"unknown": func() error { return idem.Unknown(errPlain) },
		"final":   func() error { return idem.Final(errPlain) },
		"context": func() error { return context.DeadlineExceeded },
		"panic":   func() error { panic("on fire") },
	} {
		for kind, begin := range txKinds {
			t.Run(kind+"/"+name, func(t *testing.T) {
				t.Parallel()
				s := withEffects(t)
				c := begin(s, "")
				var returned error
				func() {
					defer func() { _ = recover() }()
					out, err := c.pay(t.Context(), inTx(joining), "k", "a", func() error { returned = then(); return returned })
					if out != "" || err != returned || err == nil {
						t.Errorf("got %q, %v; want the method's own error", out, err)
					}
				}()
				c.fine()
				c.mustCommit()
				s.wantRowNow("k", "absent")
				if n := ask[int](s, "SELECT count(*) FROM effects"); n != 1 {
					t.Errorf("%d effects; what the method did is the caller's to keep", n)
				}
				c = begin(s, "")
				if out, err := c.pay(t.Context(), inTx(joining), "k", "a", nil); out != "paid" || err != nil {
					t.Errorf("the next caller got %q, %v", out, err)
				}
				c.mustCommit()
				s.wantRowNow("k", "done")
			})
		}
	}
}

func TestJoin_StrongerIsolationNeedsACallerWhoRetries(t *testing.T) {
	t.Parallel()
	for kind, begin := range txKinds {
		for _, level := range []string{"repeatable read", "serializable"} {
			t.Run(kind+"/"+level, func(t *testing.T) {
				t.Parallel()
				s := withEffects(t)
				c := begin(s, level)
				_, err := c.pay(t.Context(), inTx(joining), "k", "a", nil)
				wantErr(t, err, idem.ErrBadOperation)
				c.fine()
				c.mustCommit()
				s.wantRuns(0)
				s.wantRowNow("k", "absent")

				ctx := postgres.WithTxRetries(t.Context())
				late := begin(s, level)
				late.fine() // has its snapshot
				c = begin(s, level)
				if out, err := c.pay(ctx, inTx(joining), "k", "a", nil); out != "paid" || err != nil {
					t.Errorf("got %q, %v", out, err)
				}
				c.mustCommit()
				_, err = late.pay(ctx, inTx(joining), "k", "a", nil)
				wantErr(t, err, idem.ErrStore)
				var pg *pgconn.PgError
				if !errors.As(err, &pg) || pg.Code != "40001" {
					t.Errorf("the caller can't see that he has to retry: %v", err)
				}
				_ = late.rollback()
				late = begin(s, level)
				if out, err := late.pay(ctx, inTx(joining), "k", "a", nil); out != "paid" || err != nil {
					t.Errorf("retried: %q, %v", out, err)
				}
				s.wantRuns(1)
				s.wantEffects(1)
			})
		}
	}
}

// TestJoin_WhatIsThereAlreadyIsDecidedAsEver: rows of another mode's runs, and expired ones.
func TestJoin_WhatIsThereAlreadyIsDecidedAsEver(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, s *stage, begin func() *callers) {
		op := inTx(joining)
		plain := &charge
		s.method = func(context.Context, int64) (string, error) { return "", idem.Unknown(errPlain) }
		if _, err := s.call(t.Context(), plain, "lapsed", "a"); err == nil {
			t.Fatal("no error")
		}
		s.method = func(context.Context, int64) (string, error) { return "old", nil }
		for _, key := range []string{"expired", "done"} {
			if _, err := s.call(t.Context(), plain, key, "a"); err != nil {
				t.Fatal(err)
			}
		}
		s.age("expired", 2*defaultTTL)
		_, _ = s.call(t.Context(), with(holding), "held", "a")
		s.editRow("held", "state = 4, completed_at = NULL, expires_at = NULL, codec = NULL, schema_hash = NULL, result = NULL")
		before := s.runs.Load()

		c := begin()
		if out, err := c.pay(t.Context(), op, "done", "a", nil); out != "old" || err != nil {
			t.Errorf("done: %q, %v", out, err)
		}
		_, err := c.pay(t.Context(), op, "lapsed", "other", nil)
		wantErr(t, err, idem.ErrMismatch)
		_, err = c.pay(t.Context(), op, "held", "a", nil)
		wantErr(t, err, idem.ErrOutcomeUnknown)
		if _, err = c.pay(t.Context(), op, "lapsed", "a", func() error { return errPlain }); err != errPlain {
			t.Error(err)
		}
		c.mustCommit()
		s.wantRowNow("lapsed", abandoned) // the earlier run may have had its effect: the row still says so
		c = begin()
		for _, key := range []string{"expired", "lapsed"} {
			if out, err := c.pay(t.Context(), op, key, "a", nil); out != "paid" || err != nil {
				t.Errorf("%s: %q, %v", key, out, err)
			}
		}
		c.mustCommit()
		s.wantRowNow("lapsed", "done")
		s.wantRowNow("expired", "done")
		if ran := s.runs.Load() - before; ran != 3 {
			t.Errorf("%d runs", ran)
		}
	})
}

func TestJoin_WhatIsNoTransactionOfOursIsRefused(t *testing.T) {
	t.Parallel()
	s := withEffects(t)
	db := sql.OpenDB(deaf{})
	t.Cleanup(func() { _ = db.Close() })
	foreign, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = foreign.Rollback() }()
	ended := txKinds["pgx"](s, "")
	ended.mustCommit()
	endedSQL := txKinds["sql"](s, "")
	endedSQL.mustCommit()
	broken := txKinds["pgx"](s, "")
	if broken.exec("SELECT 1/0") == nil {
		t.Fatal("no error")
	}
	for name, c := range map[string]struct {
		tx   any
		kind error
	}{
		"nothing":          {nil, idem.ErrBadOperation},
		"a text":           {"tx", idem.ErrBadOperation},
		"a nil *sql.Tx":    {(*sql.Tx)(nil), idem.ErrBadOperation},
		"another database": {foreign, idem.ErrStore},
		"an ended one":     {ended.tx, idem.ErrStore},
		"an ended sql.Tx":  {endedSQL.tx, idem.ErrStore},
		"a broken one":     {broken.tx, idem.ErrStore},
	} {
		call := s.request("k", "a")
		call.Tx = c.tx
		_, err := idem.Do(t.Context(), s.engine, inTx(joining), call)
		if !errors.Is(err, c.kind) {
			t.Errorf("%s: %v", name, err)
		}
		call = s.request("k", "a")
		if call.Tx = c.tx; c.tx == nil {
			continue
		}
		if _, err := idem.Do(t.Context(), s.engine, inTx(own), call); !errors.Is(err, idem.ErrBadOperation) {
			t.Errorf("%s, under own: %v", name, err)
		}
	}
	s.wantRuns(0)
}

// deaf is a driver of another database: it understands nothing that is asked of it.
type deaf struct{}

func (d deaf) Connect(context.Context) (driver.Conn, error) { return d, nil }
func (d deaf) Driver() driver.Driver                        { return nil }
func (d deaf) Prepare(string) (driver.Stmt, error)          { return nil, errors.New("syntax error") }
func (d deaf) Close() error                                 { return nil }
func (d deaf) Begin() (driver.Tx, error)                    { return d, nil }
func (d deaf) Commit() error                                { return nil }
func (d deaf) Rollback() error                              { return nil }

// TestJoin_AMethodThatEndsTheCallersTransactionIsHeld: its effect is there, and its outcome can't be.
func TestJoin_AMethodThatEndsTheCallersTransactionIsHeld(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, s *stage, begin func() *callers) {
		c := begin()
		_, err := c.pay(t.Context(), inTx(joining), "k", "a", c.commit)
		wantErr(t, err, idem.ErrOutcomeUnknown)
		s.wantRowNow("k", "unknown")
		c = begin()
		_, err = c.pay(t.Context(), inTx(joining), "k", "a", nil)
		wantErr(t, err, idem.ErrOutcomeUnknown)
		s.wantRuns(1)
	})
}

// TestJoin_InsideAnotherMethodsTransaction: the transaction that own hands to a method can be joined.
func TestJoin_InsideAnotherMethodsTransaction(t *testing.T) {
	t.Parallel()
	s := withEffects(t)
	fails := true
	s.method = func(ctx context.Context, run int64) (string, error) {
		handed, _ := postgres.TxFromContext(ctx)
		call := s.request("inner", "a")
		call.Tx = handed
		call.Run = func(ctx context.Context) (string, error) {
			r, _ := idem.FromContext(ctx)
			_, err := handed.Exec(ctx, sqlEffect+" VALUES ($1, $2)", r.DownstreamKey, run)
			return "inner", err
		}
		out, err := idem.Do(ctx, s.engine, inTx(joining), call)
		if out != "inner" || err != nil {
			t.Errorf("the inner call got %q, %v", out, err)
		}
		if fails {
			return "", errPlain
		}
		return "paid", effect(ctx, run)
	}
	if _, err := s.call(t.Context(), inTx(own), "outer", "a"); err != errPlain {
		t.Error(err)
	}
	s.wantEffects(0)
	fails = false
	s.wantPaid(inTx(own), "outer", false)
	s.wantEffects(2)
	s.wantRuns(2)
}

// TestJoin_ACallersEndLeavesNoClaim: before the method is started, and after.
func TestJoin_ACallersEndLeavesNoClaim(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, s *stage, begin func() *callers) {
		ctx, cancel := context.WithCancel(t.Context())
		s.worksOn(postgres.NewStore(s.pool), idem.WithObserver(idem.ObserverFunc(func(_ context.Context, ev idem.Event) {
			if ev.Kind == idem.EventClaimed {
				cancel()
			}
		})))
		c := begin()
		if out, err := c.pay(ctx, inTx(joining), "k", "a", nil); out != "paid" || err != nil {
			t.Errorf("a success is a success: %q, %v", out, err)
		}
		c.mustCommit()
		c = begin()
		_, err := c.pay(ctx, inTx(joining), "k2", "a", nil)
		wantErr(t, err, context.Canceled)
		c.fine()
		c.mustCommit()
		s.wantEffects(1)
	})
}

// TestJoin_NoOtherConnectionIsNeeded: the caller may hold the pool's only one.
func TestJoin_NoOtherConnectionIsNeeded(t *testing.T) {
	t.Parallel()
	s := withEffects(t)
	pool := s.storing(conns(1), nil)
	s.pool, pool = pool, s.pool
	c := txKinds["pgx"](s, "")
	if out, err := c.pay(t.Context(), inTx(joining), "k", "a", nil); out != "paid" || err != nil {
		t.Errorf("got %q, %v", out, err)
	}
	c.mustCommit()
	s.pool = pool
	s.wantEffects(1)
}

// TestJoin_ACrowdInTransactionsOfItsOwn: one effect, and an answer for each.
func TestJoin_ACrowdInTransactionsOfItsOwn(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, s *stage, begin func() *callers) {
		txs := make([]*callers, 4)
		for i := range txs {
			txs[i] = begin()
		}
		idemtest.Callers(t, len(txs), func(i int) {
			if out, err := txs[i].pay(t.Context(), inTx(joining), "k", "a", nil); out != "paid" || err != nil {
				t.Errorf("%d: %q, %v", i, out, err)
			}
			txs[i].mustCommit()
		})
		s.wantRuns(1)
		s.wantEffects(1)
	})
}
