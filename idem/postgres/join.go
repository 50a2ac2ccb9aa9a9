package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"reflect"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/postgres/internal/db"
	"github.com/jackc/pgx/v5"
)

// This file is the steps of a call that works in its caller's transaction. Each is made between a savepoint and its release, so that one that
// fails, say because another transaction is inserting the same key, leaves the transaction usable; and it leaves lock_timeout as the caller had it.

type retriesKey struct{}

// WithTxRetries says of the calls made with the context that their caller begins his transaction anew when the database could not
// serialize it (SQLSTATE 40001, which errors.As finds in a call's error). Without that, methods under `tx join` are refused in
// REPEATABLE READ and SERIALIZABLE: there a duplicate can't see the outcome that was committed after the transaction began, and can only fail.
func WithTxRetries(ctx context.Context) context.Context {
	return context.WithValue(ctx, retriesKey{}, true)
}

// Join makes steps that work in a caller's transaction: a pgx.Tx, or a *sql.Tx whose driver speaks to Postgres. See idem.Transactor.
func (s *Store) Join(ctx context.Context, tx any) (idem.Steps, error) {
	j := &joined{store: s, retries: ctx.Value(retriesKey{}) != nil}
	if v := reflect.ValueOf(tx); v.Kind() == reflect.Pointer && v.IsNil() {
		return nil, unusable("the caller's transaction is nil")
	}
	switch tx := tx.(type) {
	case pgx.Tx:
		j.in = inPgx{tx}
	case *sql.Tx:
		j.in = inSQL{tx}
	default:
		return nil, unusable(fmt.Sprintf("the caller's transaction is a %T, neither a pgx.Tx nor a *sql.Tx", tx))
	}
	return j, nil
}

// unusable is the error of a call that the caller has to make otherwise.
func unusable(reason string) error {
	return &idem.StoreError{Reason: reason, NotApplied: true, Err: idem.ErrBadOperation}
}

// joined are the steps in one transaction.
type joined struct {
	store   *Store
	in      sender
	retries bool
	checked bool // the isolation level will do
}

// sender sends queries in a caller's transaction.
type sender interface {
	// send sends them in order, and stops at the first that fails.
	send(ctx context.Context, queries ...query) error
	// exec sends one statement.
	exec(ctx context.Context, sql string) error
}

const (
	savepointSQL = "savepoint idem_step"
	releaseSQL   = "release savepoint idem_step"
	undoSQL      = "rollback to savepoint idem_step"
)

// step makes one step.
func (j *joined) step(ctx context.Context, queries ...query) error {
	all := []query{statement(savepointSQL)}
	all = append(append(all, queries...), statement(releaseSQL))
	err := j.in.send(ctx, all...)
	if err == nil {
		return nil
	}
	if j.in.exec(ctx, undoSQL) == nil {
		_ = j.in.exec(ctx, releaseSQL)
	}
	return joinFailure(err)
}

func joinFailure(err error) error {
	code, _ := sqlState(err)
	if errors.Is(err, pgx.ErrTxClosed) || errors.Is(err, sql.ErrTxDone) || code == "25P01" { // of a savepoint outside a transaction
		return &idem.StoreError{Reason: "the caller's transaction has ended", Err: err}
	}
	failed := failure(err, true, connectionLost)
	if e, ok := errors.AsType[*idem.StoreError](failed); ok { // what failed in a transaction fails again in it
		e.Temporary = false
	}
	return failed
}

// statement is a statement without arguments as a query.
func statement(text string) query {
	return func(ctx context.Context, q db.DBTX) error { _, err := q.Exec(ctx, text); return err }
}

// get makes a step that may get a row, and waits only briefly for who has it.
func (j *joined) get(ctx context.Context, c idem.Claim, changes ...query) (row idem.Row, err error) {
	s := j.store
	var level string
	enter := func(ctx context.Context, q db.DBTX) (err error) {
		level, err = s.db.EnterJoined(ctx, q)
		return err
	}
	queries := append([]query{enter}, changes...)
	err = j.step(ctx, append(queries, s.readInto(&row, c.ID), s.db.LeaveJoined)...)
	if stronger(level) && !j.retries && !j.checked {
		if err == nil {
			_, _ = j.Release(ctx, c.ID, c.Owner)
		}
		return idem.Row{}, unusable(fmt.Sprintf("the caller's transaction is %s, where a duplicate can only fail: make it READ COMMITTED, or begin it anew after "+
			"SQLSTATE 40001 and say so with postgres.WithTxRetries", level))
	}
	j.checked = true
	return row, err
}

// Claim is documented at idem.Store.
func (j *joined) Claim(ctx context.Context, c idem.Claim) (idem.Row, error) {
	if err := checkClaim(c); err != nil {
		return idem.Row{}, err
	}
	return j.get(ctx, c, unanswered(j.store.claiming(c)))
}

// TakeOver is documented at idem.Store.
func (j *joined) TakeOver(ctx context.Context, c idem.Claim, seen idem.Owner) (idem.Row, error) {
	if err := checkClaim(c); err != nil {
		return idem.Row{}, err
	}
	return j.get(ctx, c, j.store.db.WaitBriefly, unanswered(j.store.takingOver(c, seen)))
}

// Reclaim is documented at idem.Store.
func (j *joined) Reclaim(ctx context.Context, c idem.Claim, seen idem.Owner) (idem.Row, error) {
	if err := checkClaim(c); err != nil {
		return idem.Row{}, err
	}
	return j.get(ctx, c, j.store.db.WaitBriefly, unanswered(j.store.reclaiming(c, seen)))
}

// unanswered is a change as a query whose number of rows does not matter: the row that is read then says it.
func unanswered(c change) query {
	return func(ctx context.Context, q db.DBTX) error { _, err := c(ctx, q); return err }
}

// Complete is documented at idem.Store, but for a row that is gone: an absent one is returned.
func (j *joined) Complete(ctx context.Context, o idem.Outcome) (row idem.Row, err error) {
	if err := checkOutcome(o); err != nil {
		return row, err
	}
	err = j.step(ctx, j.store.completing(o, &row))
	return row, err
}

// Release is documented at idem.Store.
func (j *joined) Release(ctx context.Context, id idem.ID, owner idem.Owner) (changed bool, err error) {
	err = j.step(ctx, j.store.releasing(id, owner, &changed))
	return changed, err
}

// Abandon is documented at idem.Store.
func (j *joined) Abandon(ctx context.Context, a idem.Abandonment) (changed bool, err error) {
	err = j.step(ctx, j.store.abandoning(a))
	return err == nil, err
}

// inPgx sends in a transaction of pgx's, in one round trip.
type inPgx struct{ pgx.Tx }

func (t inPgx) send(ctx context.Context, queries ...query) error {
	return sendIn(ctx, t.Tx, queries...)
}

func (t inPgx) exec(ctx context.Context, text string) error {
	_, err := t.Exec(ctx, text)
	return err
}
