// Package pgx has the names of the real one.
package pgx

import "context"

// Tx is a transaction.
type Tx interface {
	Exec(ctx context.Context, sql string, args ...any) error
	Commit(ctx context.Context) error
	Rollback(ctx context.Context) error
}

// Conn is a connection.
type Conn struct{}

// Begin begins.
func (c *Conn) Begin(ctx context.Context) (Tx, error) { return nil, nil }

// BeginFunc runs fn in a transaction.
func BeginFunc(ctx context.Context, db *Conn, fn func(Tx) error) error { return fn(nil) }
