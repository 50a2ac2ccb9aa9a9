package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/postgres/internal/db"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// This file is the transactions that the store opens for methods, in which effect and outcome commit together. What a method gets of one is in
// handed.go.

var _ idem.Transactor = (*Store)(nil)

// WithTxOptions sets how the store opens the transactions of methods under `tx own` and `tx optimistic`; default READ COMMITTED. In a
// stronger isolation a method sees one state of the database, may be run more often (a serialization failure is no error, but a reason to
// run again), and must keep its lease without renewals under `tx own`: each of them would be a change that came after the snapshot. So
// operations under `tx own` need NoRenew then (`//idem:stale 1m norenew`), and are refused without.
func WithTxOptions(o pgx.TxOptions) Option { return func(s *Store) { s.txOptions = o } }

// CheckTx says why the store can't run an operation in a mode. See idem.Transactor.
func (s *Store) CheckTx(mode idem.TxMode, renewed bool) (reason string) {
	o := s.txOptions
	switch {
	case mode == idem.TxJoin:
		return ""
	case o.BeginQuery != "" || o.CommitQuery != "":
		return "WithTxOptions has statements of its own for begin or commit, which the store has too"
	case o.AccessMode == pgx.ReadOnly:
		return "WithTxOptions asks for read-only transactions, in which no outcome can be stored"
	case mode == idem.TxOwn && renewed && stronger(string(o.IsoLevel)):
		return fmt.Sprintf("in a transaction that is %s a renewal of the lease would make the outcome fail: it needs NoRenew, and a lease longer than its slowest run", o.IsoLevel)
	default:
		return ""
	}
}

// stronger reports whether an isolation level keeps one snapshot for the whole transaction.
func stronger(level string) bool {
	return level == string(pgx.RepeatableRead) || level == string(pgx.Serializable)
}

// beginSQL opens a transaction that the server ends when nothing was sent in it for as long as idle: should its client be out of reach
// without the server noticing, its locks, that on the claim included, would stay until then.
func (s *Store) beginSQL(idle time.Duration) string {
	o := s.txOptions
	level := o.IsoLevel
	if level == "" {
		level = pgx.ReadCommitted
	}
	sql := "-- name: BeginEffect\nbegin isolation level " + string(level)
	if o.AccessMode != "" {
		sql += " " + string(o.AccessMode)
	}
	if o.DeferrableMode != "" {
		sql += " " + string(o.DeferrableMode)
	}
	const most = 1<<31 - 1 // milliseconds
	return fmt.Sprintf("%s; set local idle_in_transaction_session_timeout = %d", sql, min(max(1, idle.Milliseconds()), most))
}

const commitSQL = "-- name: CommitOutcome\ncommit"

// Begin opens a transaction for a method. See idem.Transactor.
func (s *Store) Begin(ctx context.Context, idle time.Duration) (idem.Transaction, error) {
	c, err := s.acquire(ctx)
	if err != nil {
		return nil, err
	}
	tx, err := c.Conn().BeginTx(ctx, pgx.TxOptions{BeginQuery: s.beginSQL(idle), CommitQuery: commitSQL})
	if err != nil {
		if c.Conn().IsClosed() && ctx.Err() == nil {
			s.doubtful.Store(s.pool.Stat().TotalConns())
		}
		c.Release() // and close, if it is in a transaction
		return nil, failure(err, true, connectionLost)
	}
	return &transaction{store: s, conn: c, tx: tx, handed: &handed{tx: tx}}, nil
}

// transaction is one that the store opened for a method.
type transaction struct {
	store  *Store
	conn   *pgxpool.Conn
	tx     pgx.Tx
	handed *handed
}

// Complete stores an outcome in its owner's row. See idem.Transaction.
func (t *transaction) Complete(ctx context.Context, o idem.Outcome) (idem.Row, error) {
	return t.last(ctx, o, t.store.completing)
}

// Insert stores an outcome where there is no row. See idem.Transaction.
func (t *transaction) Insert(ctx context.Context, o idem.Outcome) (idem.Row, error) {
	return t.last(ctx, o, t.store.insertingSettled)
}

// last sends the statement that stores the outcome, when the method has left the transaction as it may be.
func (t *transaction) last(ctx context.Context, o idem.Outcome, storing func(idem.Outcome, *idem.Row) query) (row idem.Row, err error) {
	if err := checkOutcome(o); err != nil {
		return row, err
	}
	if err := t.handed.end(t.conn.Conn().PgConn()); err != nil {
		return row, err
	}
	queries := []query{storing(o, &row)}
	if t.conn.Conn().PgConn().CustomData()[listening] != nil {
		queries = append([]query{warn}, queries...)
	}
	if err := sendIn(ctx, t.tx, queries...); err != nil {
		return idem.Row{}, failure(err, true, connectionLost)
	}
	return row, nil
}

// sendIn sends queries in a transaction, in one round trip.
func sendIn(ctx context.Context, tx pgx.Tx, queries ...query) error {
	batch := &pgx.Batch{}
	for _, q := range queries {
		_ = q(ctx, recorder{batch})
	}
	answers := tx.SendBatch(ctx, batch)
	var failed error
	for _, q := range queries {
		if err := q(ctx, player{answers}); err != nil && failed == nil {
			failed = err
		}
	}
	return errors.Join(failed, answers.Close())
}

// Commit makes effect and outcome durable. See idem.Transaction.
func (t *transaction) Commit(ctx context.Context) error {
	defer t.conn.Release()
	c := t.conn.Conn()
	err := errors.Join(t.tx.Commit(ctx), replicated(c))
	switch {
	case err == nil:
		t.store.askDurability(ctx, c)
		return nil
	case errors.Is(err, errUnreplicated):
		return failure(err, false, connectionLost)
	default:
		return failure(err, refusedByServer(err) || errors.Is(err, pgx.ErrTxCommitRollback) || pgconn.SafeToRetry(err), connectionLost)
	}
}

// Rollback undoes it, or gives the connection up. See idem.Transaction.
func (t *transaction) Rollback(ctx context.Context) (undone bool) {
	t.handed.ended.Store(true)
	undone = t.conn.Conn().PgConn().TxStatus() != 'I'
	_ = t.tx.Rollback(ctx) // after a failure the driver closes the connection, and what was not committed never will be
	t.conn.Release()
	return undone
}

// Reown gives the row of a call whose commit was not answered to a new owner. See idem.Transactor.
func (s *Store) Reown(ctx context.Context, c idem.Claim, seen idem.Owner) (idem.Row, error) {
	row, err := s.get(ctx, c, func(ctx context.Context, q db.DBTX) (int64, error) {
		return s.db.Reown(ctx, q, db.ReownParams{ID: uuid(c.ID), Seen: uuid(seen), Owner: uuid(c.Owner), LeaseUs: micros(c.Lease)})
	}, s.db.WaitBriefly)
	if err == nil && row.Owner == seen {
		return s.confirm(ctx, c.ID, seen)
	}
	return row, err
}

// insertingSettled is the query that inserts the row of an outcome of which nothing was claimed.
func (s *Store) insertingSettled(o idem.Outcome, to *idem.Row) query {
	c := o.Claim
	return func(ctx context.Context, q db.DBTX) error {
		r, err := s.db.InsertSettled(ctx, q, db.InsertSettledParams{
			ID: uuid(c.ID), Owner: uuid(c.Owner), State: int16(o.State), TtlUs: ttl(o.TTL),
			Fingerprint: c.Fingerprint, Operation: c.Ref.Operation, Scope: c.Ref.Scope, Key: s.key(c), Origin: text(c.Origin),
			Codec: text(o.Codec), SchemaHash: notNull(o.Schema), ErrorCode: text(o.Code), Result: notNull(o.Result),
		})
		switch {
		case errors.Is(err, pgx.ErrNoRows):
			return nil
		case err != nil:
			return err
		}
		*to = idem.Row{
			ID: c.ID, Ref: c.Ref, State: o.State, Owner: c.Owner, Attempt: 1, Fence: r.Fence, Fingerprint: c.Fingerprint,
			ClaimedAt: instant(r.ClaimedAt), CompletedAt: instant(r.CompletedAt), ExpiresAt: instant(r.ExpiresAt),
			Codec: o.Codec, Schema: o.Schema, Result: o.Result, Code: o.Code, Origin: c.Origin,
		}
		return nil
	}
}
