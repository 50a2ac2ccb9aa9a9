package main

import (
	"context"
	"errors"
	"log/slog"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// This file is what the wrapper is there to replace: "have I seen this key?" as it is written by hand, and as the
// demo shows to charge cards twice. Two callers can both look before either has acted, and a process that dies
// between acting and remembering forgets.

// byHand is Payments with check-then-act.
type byHand struct {
	Payments
	pool *pgxpool.Pool
}

const createSeen = `CREATE TABLE IF NOT EXISTS seen_by_hand (key text PRIMARY KEY, receipt jsonb NOT NULL)`

func (h byHand) Charge(ctx context.Context, req ChargeRequest) (Receipt, error) {
	return h.once(ctx, req.IdempotencyKey, func() (Receipt, error) { return h.Payments.Charge(ctx, req) })
}

func (h byHand) Refund(ctx context.Context, req RefundRequest) (Receipt, error) {
	return h.once(ctx, req.IdempotencyKey, func() (Receipt, error) { return h.Payments.Refund(ctx, req) })
}

// once looks for the key, acts, and remembers.
func (h byHand) once(ctx context.Context, key string, act func() (Receipt, error)) (receipt Receipt, err error) {
	err = h.pool.QueryRow(ctx, `SELECT receipt FROM seen_by_hand WHERE key = $1`, key).Scan(&receipt)
	if err == nil {
		slog.DebugContext(ctx, "by hand: replayed", "event", "replayed")
		return receipt, nil
	}
	if !errors.Is(err, pgx.ErrNoRows) {
		return Receipt{}, err
	}
	receipt, err = act() // whoever looked at the same time as we did acts, too
	if err != nil {
		return Receipt{}, err
	}
	const remember = `INSERT INTO seen_by_hand (key, receipt) VALUES ($1, $2) ON CONFLICT DO NOTHING`
	_, err = h.pool.Exec(ctx, remember, key, receipt)
	return receipt, err
}
