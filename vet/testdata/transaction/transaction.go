// Package transaction makes wrapped calls inside and outside of transactions.
package transaction

import (
	"context"
	"database/sql"
	"log"
	"os"
	"time"

	"example.com/shop/pay"
	"github.com/jackc/pgx/v5"
)

func between(ctx context.Context, db *sql.DB, p *pay.IdempotentPayments) error {
	_ = p.Void(ctx, 1)
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := p.Void(ctx, 1); err != nil { // want `pay.Payments.Void is called while the transaction tx is open, but its outcome is stored on its own, so a rollback would leave an outcome without its effect; call it before Begin or after Commit \[IDEM093\]`
		return err
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	return p.Void(ctx, 1)
}

func parameter(ctx context.Context, tx pgx.Tx, p pay.Payments) error {
	return p.Void(ctx, 1) // want `while the transaction tx is open`
}

func closure(ctx context.Context, db *pgx.Conn, p pay.Payments) error {
	err := pgx.BeginFunc(ctx, db, func(tx pgx.Tx) error {
		return p.Void(ctx, 1) // want `while the transaction tx is open`
	})
	_ = p.Void(ctx, 1)
	return err
}

func captured(ctx context.Context, db *pgx.Conn, p pay.Payments, each func(func())) {
	tx, _ := db.Begin(ctx)
	each(func() { _ = p.Void(ctx, 1) }) // want `IDEM093`
	func() { _ = p.Void(ctx, 1) }()     // want `IDEM093`
	_ = tx.Commit(ctx)
	each(func() { _ = p.Void(ctx, 1) })
}

func later(ctx context.Context, db *pgx.Conn, p pay.Payments) func() {
	tx, _ := db.Begin(ctx)
	defer p.Void(ctx, 1)
	defer func() { _ = p.Void(ctx, 1) }()
	go p.Void(ctx, 1)
	go func() { _ = p.Void(ctx, 1) }()
	f := func() { _ = p.Void(ctx, 1) }
	_ = tx.Commit(ctx)
	return f
}

func onePath(ctx context.Context, db *pgx.Conn, p pay.Payments, own bool) {
	var tx pgx.Tx
	if own {
		tx, _ = db.Begin(ctx)
	}
	_ = p.Void(ctx, 1) // nobody knows
	if own {
		_ = tx.Commit(ctx)
	}
}

func failing(ctx context.Context, db *pgx.Conn, p pay.Payments, bad bool) error {
	tx, _ := db.Begin(ctx)
	if bad {
		_ = tx.Rollback(ctx)
		return p.Void(ctx, 1)
	}
	_ = p.Void(ctx, 1) // want `IDEM093`
	return tx.Commit(ctx)
}

func loop(ctx context.Context, db *pgx.Conn, p pay.Payments) {
	for range 3 {
		tx, err := db.Begin(ctx)
		if err != nil {
			continue
		}
		_ = p.Void(ctx, 1) // want `IDEM093`
		_ = tx.Commit(ctx)
		_ = p.Void(ctx, 1)
	}
}

func finished(ctx context.Context, tx pgx.Tx, p pay.Payments) error {
	if err := finish(tx); err != nil {
		return err
	}
	return p.Void(ctx, 1)
}

func finish(tx pgx.Tx) error { return tx.Commit(context.TODO()) }

func unused(ctx context.Context, _ pgx.Tx, p pay.Payments) { _ = p.Void(ctx, 1) }

func panics(ctx context.Context, db *pgx.Conn, p pay.Payments) {
	tx, err := db.Begin(ctx)
	if err != nil {
		panic(err)
	}
	switch {
	case err == nil:
		_ = p.Void(ctx, 1) // want `IDEM093`
	default:
		_, _ = p.Balance(ctx)
	}
	_ = tx.Rollback(ctx)
}

// The function may be what ends it.
func endedInside(ctx context.Context, db *pgx.Conn, p pay.Payments, retry func(func() error) error) {
	tx, _ := db.Begin(ctx)
	_ = retry(func() error { return tx.Commit(ctx) })
	_ = p.Void(ctx, 1)
}

func nestedLoop(ctx context.Context, db *pgx.Conn, p pay.Payments) {
	tx, _ := db.Begin(ctx)
	for range 3 {
		_ = p.Void(ctx, 1) // want `IDEM093`
	}
	if err := tx.Commit(ctx); err != nil {
		for {
			_ = p.Void(ctx, 1)
		}
	}
}

func again(ctx context.Context, db *pgx.Conn, p pay.Payments) {
	tx, _ := db.Begin(ctx)
	_ = tx.Commit(ctx)
	tx, _ = db.Begin(ctx)
	_ = p.Void(ctx, 1) // want `IDEM093`
	_ = tx.Rollback(ctx)
}

// Where a path ends in a panic or an exit, nothing comes of what it ended.
func ends(ctx context.Context, db *pgx.Conn, p pay.Payments, how int) {
	tx, _ := db.Begin(ctx)
	switch how {
	case 1:
		_ = tx.Rollback(ctx)
		panic("no")
	case 2:
		_ = tx.Rollback(ctx)
		log.Fatalln("no")
	case 3:
		_ = tx.Rollback(ctx)
		os.Exit(1)
	}
	_ = p.Void(ctx, 1) // want `IDEM093`
	_ = tx.Commit(ctx)
}

// A function that is registered runs when the transaction is over.
func registered(ctx context.Context, db *pgx.Conn, p pay.Payments, t interface{ Cleanup(f func()) }) {
	tx, _ := db.Begin(ctx)
	t.Cleanup(func() { _ = p.Void(ctx, 1) })
	time.AfterFunc(time.Second, func() { _ = p.Void(ctx, 1) })
	_ = tx.Commit(ctx)
}

// A conversion begins none.
func none(ctx context.Context, p pay.Payments) *sql.Tx {
	tx := (*sql.Tx)(nil)
	_ = p.Void(ctx, 1)
	return tx
}
