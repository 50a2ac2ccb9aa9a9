package scenarios

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
	"github.com/idemgen/idemgen/idem/postgres"
)

// This file is where calls in their caller's transaction end: in transactions that can't be, that the method ends, that wait for each other, and
// with pools that have no connection left.

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

func (d deaf) Driver() driver.Driver { return nil }

func (d deaf) Prepare(string) (driver.Stmt, error) { return nil, errors.New("syntax error") }

func (d deaf) Close() error { return nil }

func (d deaf) Begin() (driver.Tx, error) { return d, nil }

func (d deaf) Commit() error { return nil }

func (d deaf) Rollback() error { return nil }

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
