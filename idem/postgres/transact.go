package postgres

import (
	"context"
	"errors"
	"slices"

	"github.com/idemgen/idemgen/idem/postgres/internal/db"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// This file sends several generated queries as one READ COMMITTED transaction in one round trip.
//
// A generated method binds its arguments and reads its answer in one call, but a batch wants all arguments before the first
// answer. So each method is called twice: once with a database that only notes what would be sent, and once with
// one that hands out the answers. That keeps the order of arguments and columns where sqlc put it, checked by the compiler.

// query is one call of a generated method. It is called twice, the first time in vain; what it makes of its answer counts only
// when the whole transaction was acknowledged.
type query func(ctx context.Context, q db.DBTX) error

// transact sends queries as one transaction on c. When it fails, aborted says whether it is certain to have had no effect, now
// and later.
func transact(ctx context.Context, c *pgx.Conn, queries ...query) (aborted bool, err error) {
	batch := &pgx.Batch{}
	batch.Queue("begin isolation level read committed")
	if c.PgConn().CustomData()[listening] != nil {
		queries = slices.Insert(slices.Clone(queries), 0, query(warn))
	}
	for _, q := range queries {
		_ = q(ctx, recorder{batch})
	}
	batch.Queue("commit")
	answers := c.SendBatch(ctx, batch)
	err = read(ctx, answers, queries)
	err = errors.Join(err, answers.Close(), replicated(c))
	if c.PgConn().TxStatus() == 'E' { // a refused statement: the connection is as good as before
		_, _ = c.Exec(ctx, "rollback")
	}
	if errors.Is(err, errUnreplicated) {
		return false, err
	}
	return refusedByServer(err) || errors.Is(err, pgx.ErrTxCommitRollback) || pgconn.SafeToRetry(err), err
}

func warn(ctx context.Context, q db.DBTX) error { return new(db.Queries).Warn(ctx, q) }

// read hands the answers to the queries. Their first error is not the end: the transaction may be committed all the same, and what
// is known of that comes last.
func read(ctx context.Context, answers pgx.BatchResults, queries []query) error {
	if _, err := answers.Exec(); err != nil {
		return err
	}
	var failed error
	for _, q := range queries {
		failed = errors.Join(failed, q(ctx, player{answers}))
	}
	tag, err := answers.Exec()
	if err == nil && tag.String() != "COMMIT" {
		err = pgx.ErrTxCommitRollback
	}
	return errors.Join(failed, err)
}

// refusedByServer reports whether the server answered with an ordinary error, to a statement or to commit, which is proof that nothing
// was committed. A fatal one is not: a pooler sends one when it loses the server, whatever that has done.
func refusedByServer(err error) bool {
	e, ok := errors.AsType[*pgconn.PgError](err)
	return ok && e.SeverityUnlocalized == "ERROR"
}

var errRecorded = errors.New("recorded")

// recorder notes queries in a batch and answers none.
type recorder struct{ batch *pgx.Batch }

func (r recorder) Exec(_ context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	r.batch.Queue(sql, args...)
	return pgconn.CommandTag{}, errRecorded
}

func (r recorder) Query(_ context.Context, sql string, args ...any) (pgx.Rows, error) {
	r.batch.Queue(sql, args...)
	return nil, errRecorded
}

func (r recorder) QueryRow(_ context.Context, sql string, args ...any) pgx.Row {
	r.batch.Queue(sql, args...)
	return recordedRow{}
}

type recordedRow struct{}

func (recordedRow) Scan(...any) error { return errRecorded }

// player hands out the answers of a batch in order.
type player struct{ answers pgx.BatchResults }

func (p player) Exec(context.Context, string, ...any) (pgconn.CommandTag, error) {
	return p.answers.Exec()
}

func (p player) Query(context.Context, string, ...any) (pgx.Rows, error) { return p.answers.Query() }

func (p player) QueryRow(context.Context, string, ...any) pgx.Row { return p.answers.QueryRow() }
