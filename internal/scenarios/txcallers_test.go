package scenarios

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/idemgen/idemgen/idem"
)

// This file is the callers whose transactions calls are made in: of pgx, and of database/sql.

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
