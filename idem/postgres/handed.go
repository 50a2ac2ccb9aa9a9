package postgres

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"

	"github.com/idemgen/idemgen/idem"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// This file is the transaction as a method gets it: all of pgx's, but for its end, which is the store's. A method that commits would make
// its effect durable without its outcome.

// ErrTxHanded is the answer to Commit and Rollback of a transaction from TxFromContext, and to statements that would be one: it is committed
// when the method has returned without an error, and rolled back when it returns one.
var ErrTxHanded = errors.New("postgres: this transaction ends with the method it was handed to: return nil to commit, an error to roll back")

// ErrTxEnded is the answer to everything on a transaction from TxFromContext when the method it was handed to has returned.
var ErrTxEnded = errors.New("postgres: this transaction has ended, with the method it was handed to")

type txKey struct{}

// TxFromContext finds the transaction of the innermost running method under `tx own` or `tx optimistic`, in the context that method got; ok is
// false where there is none. What the method does in it becomes durable together with its outcome, or not at all. It may set savepoints with
// Begin, as pgx.BeginFunc does, and must close its Rows before it returns.
//
// Commit and Rollback are refused with ErrTxHanded. A method that had a Rollback refused can't succeed any more: what it wanted undone
// must not be committed. What a refusal can't reach, a COMMIT sent through Conn, is found when the method returns: its outcome is then unknown.
func TxFromContext(ctx context.Context) (tx pgx.Tx, ok bool) {
	h, ok := ctx.Value(txKey{}).(*handed)
	if !ok {
		return nil, false
	}
	return h, true
}

// Context is ctx with the transaction in it. See idem.Transaction.
func (t *transaction) Context(ctx context.Context) context.Context {
	return context.WithValue(ctx, txKey{}, t.handed)
}

// handed is a transaction in the hands of a method.
type handed struct {
	tx         pgx.Tx
	ended      atomic.Bool // the method has returned
	rolledBack atomic.Bool // or would be, had that not been refused
}

var _ pgx.Tx = (*handed)(nil)

// end takes the transaction back from a method that has returned without an error, and says what keeps its outcome from being stored.
func (h *handed) end(c *pgconn.PgConn) error {
	h.ended.Store(true)
	switch {
	case c.TxStatus() == 'I': // which it stays when the connection is lost afterwards
		return &idem.StoreError{Reason: "the method ended its transaction itself, so nobody knows whether its effect is there"}
	case c.IsClosed():
		return &idem.StoreError{Reason: "the connection of the method's transaction was lost, and the transaction with it", Temporary: true, NotApplied: true}
	case c.IsBusy():
		return refused("the connection of the method's transaction is still busy: the method left rows open, or something that it started goes on with it")
	case h.rolledBack.Load():
		return refused("the method had the Rollback of its transaction refused, and returned no error: return one to roll back")
	default:
		return nil
	}
}

// refusal is why a statement is not sent; nil: it is.
func (h *handed) refusal(sql string) error {
	switch {
	case h.ended.Load():
		return ErrTxEnded
	case !endsTransaction(sql):
		return nil
	case !strings.EqualFold(firstWords(sql, 1), "COMMIT") && !strings.EqualFold(firstWords(sql, 1), "END"):
		h.rolledBack.Store(true)
	}
	return ErrTxHanded
}

// endsTransaction reports whether a statement would begin or end one. It looks at the first words: what hides behind others is found when
// the method returns.
func endsTransaction(sql string) bool {
	switch strings.ToUpper(firstWords(sql, 1)) {
	case "COMMIT", "END", "ABORT":
		return true
	case "ROLLBACK": // ROLLBACK [WORK | TRANSACTION] TO goes to a savepoint
		return !strings.Contains(strings.ToUpper(firstWords(sql, 3))+" ", " TO ")
	case "PREPARE":
		return strings.EqualFold(firstWords(sql, 2), "PREPARE TRANSACTION")
	default:
		return false
	}
}

func firstWords(sql string, n int) string {
	words := strings.Fields(strings.ReplaceAll(sql[:min(len(sql), 100)], ";", " "))
	return strings.Join(words[:min(n, len(words))], " ")
}

// Begin sets a savepoint, to which the transaction it returns rolls back.
func (h *handed) Begin(ctx context.Context) (pgx.Tx, error) {
	if h.ended.Load() {
		return nil, ErrTxEnded
	}
	return h.tx.Begin(ctx)
}

// Commit is refused.
func (h *handed) Commit(context.Context) error { return h.refusal("COMMIT") }

// Rollback is refused.
func (h *handed) Rollback(context.Context) error { return h.refusal("ROLLBACK") }

// CopyFrom is pgx.Tx's.
func (h *handed) CopyFrom(ctx context.Context, table pgx.Identifier, columns []string, rows pgx.CopyFromSource) (int64, error) {
	if h.ended.Load() {
		return 0, ErrTxEnded
	}
	return h.tx.CopyFrom(ctx, table, columns, rows)
}

// SendBatch is pgx.Tx's.
func (h *handed) SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults {
	for _, q := range b.QueuedQueries {
		if err := h.refusal(q.SQL); err != nil {
			return pgx.FailedBatchResults(b, err)
		}
	}
	return h.tx.SendBatch(ctx, b)
}

// LargeObjects is pgx.Tx's.
func (h *handed) LargeObjects() pgx.LargeObjects { return h.tx.LargeObjects() }

// Prepare is pgx.Tx's.
func (h *handed) Prepare(ctx context.Context, name, sql string) (*pgconn.StatementDescription, error) {
	if err := h.refusal(sql); err != nil {
		return nil, err
	}
	return h.tx.Prepare(ctx, name, sql)
}

// Exec is pgx.Tx's.
func (h *handed) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	if err := h.refusal(sql); err != nil {
		return pgconn.CommandTag{}, err
	}
	return h.tx.Exec(ctx, sql, args...)
}

// Query is pgx.Tx's.
func (h *handed) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	if err := h.refusal(sql); err != nil {
		return refusedRows{err: err}, err
	}
	return h.tx.Query(ctx, sql, args...)
}

// QueryRow is pgx.Tx's.
func (h *handed) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	if err := h.refusal(sql); err != nil {
		return refusedRows{err: err}
	}
	return h.tx.QueryRow(ctx, sql, args...)
}

// Conn is pgx.Tx's: the connection itself, on which nothing is refused.
func (h *handed) Conn() *pgx.Conn { return h.tx.Conn() }

// refusedRows are the rows of a query that was not sent.
type refusedRows struct {
	pgx.Rows
	err error
}

func (r refusedRows) Close()                                       {}
func (r refusedRows) Err() error                                   { return r.err }
func (r refusedRows) CommandTag() pgconn.CommandTag                { return pgconn.CommandTag{} }
func (r refusedRows) FieldDescriptions() []pgconn.FieldDescription { return nil }
func (r refusedRows) Next() bool                                   { return false }
func (r refusedRows) Scan(...any) error                            { return r.err }
func (r refusedRows) Values() ([]any, error)                       { return nil, r.err }
func (r refusedRows) RawValues() [][]byte                          { return nil }
func (r refusedRows) Conn() *pgx.Conn                              { return nil }
