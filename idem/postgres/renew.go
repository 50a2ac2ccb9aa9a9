package postgres

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/postgres/internal/db"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"
)

// This file keeps leases alive. Renewals have a connection of their own, because a lease that waits for a connection
// of a busy pool is lost.

// Renew extends leases. See idem.Store.
func (s *Store) Renew(ctx context.Context, leases []idem.Lease) ([]idem.Renewal, error) {
	if len(leases) == 0 {
		return nil, nil
	}
	var asked db.RenewParams
	for _, l := range leases {
		asked.Ids = append(asked.Ids, uuid(l.ID))
		asked.Owners = append(asked.Owners, uuid(l.Owner))
		asked.LeaseUs = append(asked.LeaseUs, micros(l.Lease))
	}
	var renewed []db.RenewRow
	var held []db.HeldRow
	queries := []query{
		s.db.PlanByRow,
		func(ctx context.Context, q db.DBTX) (err error) {
			renewed, err = s.db.Renew(ctx, q, asked)
			return err
		},
		func(ctx context.Context, q db.DBTX) (err error) {
			held, err = s.db.Held(ctx, q, asked.Ids)
			return err
		},
	}
	err := s.renewals.transact(ctx, queries...)
	if errors.Is(err, errNoConnection) {
		err = s.borrowing(ctx, queries...)
	}
	if err != nil {
		return nil, err
	}
	return renewalsOf(leases, renewed, held), nil
}

// borrowing sends a renewal on a connection of the pool, one at a time: those that hang must not take them all.
func (s *Store) borrowing(ctx context.Context, queries ...query) error {
	select {
	case s.borrowed <- struct{}{}:
	case <-ctx.Done():
		return failure(ctx.Err(), true, driverFailed)
	}
	c, err := s.acquire(ctx)
	if err != nil {
		<-s.borrowed
		return err
	}
	err = send(ctx, c.Conn(), queries...)
	closed := c.Conn().IsClosed()
	cleaned := c.Conn().PgConn().CleanupDone()
	c.Release()
	if !closed {
		<-s.borrowed
		return err
	}
	go func() { // a connection that was cut short is the pool's until it is cleaned up, which takes a hanging one a while
		<-cleaned
		<-s.borrowed
	}()
	return err
}

// renewalsOf puts the answers in order: what was not renewed and is held all the same was locked.
func renewalsOf(leases []idem.Lease, renewed []db.RenewRow, held []db.HeldRow) []idem.Renewal {
	type claim struct{ id, owner pgtype.UUID }
	became := map[claim]idem.Renewal{}
	for _, r := range held {
		became[claim{r.ID, r.Owner}] = idem.RenewalLocked
	}
	for _, r := range renewed {
		became[claim{r.ID, r.Owner}] = idem.RenewalDone
	}
	answers := make([]idem.Renewal, len(leases))
	for i, l := range leases {
		answers[i] = became[claim{uuid(l.ID), uuid(l.Owner)}]
	}
	return answers
}

// busyFor is how long a renewal waits for the one before it. After that the connection is taken to hang, and the pool's do.
const busyFor = 200 * time.Millisecond

// errNoConnection says that nothing was sent: the connection for renewals hangs, can't be made (new logins may be refused where old
// ones go on), or is closed. The pool may have a better one.
var errNoConnection = errors.New("no connection for renewals")

// keepIdle is how long the connection for renewals is kept without one.
const keepIdle = time.Minute

// renewals is the connection for renewals, used by one at a time.
type renewals struct {
	pool *pgxpool.Pool
	// slot holds the connection while nobody uses it; nil: there is none yet.
	slot   chan *pgx.Conn
	idle   *time.Timer
	closed atomic.Bool
}

func newRenewals(pool *pgxpool.Pool) *renewals {
	r := &renewals{pool: pool, slot: make(chan *pgx.Conn, 1)}
	r.slot <- nil
	r.idle = time.AfterFunc(keepIdle, r.drop)
	return r
}

// transact sends queries on the connection, made or made anew where necessary. One that broke while it was not used is
// replaced at once, so the queries must bear being sent twice.
func (r *renewals) transact(ctx context.Context, queries ...query) error {
	var c *pgx.Conn
	busy := time.NewTimer(busyFor)
	defer busy.Stop()
	select {
	case <-busy.C:
		return errNoConnection
	case <-ctx.Done():
		return failure(ctx.Err(), true, driverFailed)
	case c = <-r.slot:
	}
	defer func() { r.park(c) }()
	if r.closed.Load() {
		return errNoConnection
	}
	for {
		fresh := c == nil
		if fresh {
			var err error
			if c, err = r.dial(ctx); err != nil {
				return errNoConnection
			}
		}
		err := send(ctx, c, queries...)
		if c.IsClosed() || c.PgConn().TxStatus() != 'I' {
			closeConn(c)
			c = nil
			if !fresh && ctx.Err() == nil {
				continue
			}
		}
		return err
	}
}

// dial connects as the pool would.
func (r *renewals) dial(ctx context.Context) (*pgx.Conn, error) {
	cfg := r.pool.Config()
	if cfg.BeforeConnect != nil {
		if err := cfg.BeforeConnect(ctx, cfg.ConnConfig); err != nil {
			return nil, err
		}
	}
	c, err := pgx.ConnectConfig(ctx, cfg.ConnConfig)
	if err != nil {
		return nil, err
	}
	if cfg.AfterConnect != nil {
		if err := cfg.AfterConnect(ctx, c); err != nil {
			closeConn(c)
			return nil, err
		}
	}
	return c, nil
}

// park gives the connection back until the next renewal.
func (r *renewals) park(c *pgx.Conn) {
	r.slot <- c
	if r.closed.Load() {
		r.drop()
		return
	}
	r.idle.Reset(keepIdle)
}

// drop closes the connection if nobody uses it.
func (r *renewals) drop() {
	select {
	case c := <-r.slot:
		if c != nil {
			closeConn(c)
		}
		r.slot <- nil
	default: // in use: park looks whether it is closed
	}
}

func (r *renewals) close() {
	r.closed.Store(true)
	r.idle.Stop()
	r.drop()
}

// closeConn says goodbye to the server, if that can be done quickly.
func closeConn(c *pgx.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = c.Close(ctx)
}
