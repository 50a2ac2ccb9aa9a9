package postgres

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/postgres/internal/db"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// This file is the store as its user sees it, and how its steps get a connection. What the steps do is in claim.go, settle.go,
// renew.go, read.go and sweep.go. The store moves rows and compares owners; what a row means is the engine's business.

// Store keeps claims in Postgres. It is an idem.Store, safe for use by any number of goroutines.
type Store struct {
	pool           *pgxpool.Pool
	renewals       *renewals
	db             db.Queries
	borrowed       chan struct{} // full while a renewal uses a connection of the pool
	acquireTimeout time.Duration
	withoutKeys    bool
	txOptions      pgx.TxOptions
	logger         *slog.Logger
	asked          atomic.Bool  // askDurability has
	doubtful       atomic.Int32 // how many of the pool's connections may be as dead as one that broke
}

var _ idem.Store = (*Store)(nil)

// Option configures NewStore.
type Option func(*Store)

const defaultAcquireTimeout = 5 * time.Second

// NewStore makes a store on pool. It sends nothing: a table that is missing or older than this package shows at the first
// step, as a *SchemaError.
func NewStore(pool *pgxpool.Pool, opts ...Option) *Store {
	s := &Store{pool: pool, renewals: newRenewals(pool), borrowed: make(chan struct{}, 1), acquireTimeout: defaultAcquireTimeout}
	for _, o := range opts {
		o(s)
	}
	return s
}

// WithAcquireTimeout limits how long a step waits for a connection of the pool, on top of its context; default 5s. At 0 and
// below the context alone does.
func WithAcquireTimeout(d time.Duration) Option { return func(s *Store) { s.acquireTimeout = d } }

// WithoutKeys leaves the keys out of the rows: what is stored of a key is then the row's id alone, from which nobody can
// compute it, though a key that can be guessed can be checked. Rows stored with their keys stay as they are until they are claimed again.
func WithoutKeys() Option { return func(s *Store) { s.withoutKeys = true } }

// Close closes the connection that is kept for renewals. The pool is the application's, and stays open; renewals take its
// connections from then on. Closing twice is fine.
func (s *Store) Close() error {
	s.renewals.close()
	return nil
}

// transact sends queries as one transaction on a connection of the pool. Its error is a *idem.StoreError.
func (s *Store) transact(ctx context.Context, queries ...query) error {
	c, err := s.acquire(ctx)
	if err != nil {
		return err
	}
	defer c.Release()
	err = send(ctx, c.Conn(), queries...)
	switch {
	case err == nil:
		s.askDurability(ctx, c.Conn())
	case c.Conn().IsClosed() && ctx.Err() == nil:
		s.doubtful.Store(s.pool.Stat().TotalConns())
	}
	return err
}

func send(ctx context.Context, c *pgx.Conn, queries ...query) error {
	aborted, err := transact(ctx, c, queries...)
	switch {
	case err == nil:
		return nil
	case c.IsClosed():
		return failure(err, aborted, connectionLost)
	default:
		return failure(err, aborted, driverFailed)
	}
}

// acquire takes a connection of the pool, for a limited time: a pool that is exhausted must be an answer, not a deadlock. When a
// connection broke, the others probably did too, say in a restart of the server, and each would fail one step: they are tried out
// first.
func (s *Store) acquire(ctx context.Context) (*pgxpool.Conn, error) {
	limited, cancel := ctx, func() {}
	if s.acquireTimeout > 0 {
		limited, cancel = context.WithTimeout(ctx, s.acquireTimeout)
	}
	defer cancel()
	for {
		c, err := s.pool.Acquire(limited)
		if err != nil {
			return nil, notAcquired(ctx, err, s.pool.Stat())
		}
		if s.doubtful.Load() <= 0 || s.doubtful.Add(-1) < 0 || c.Ping(limited) == nil || limited.Err() != nil {
			return c, nil
		}
		c.Release() // and, since it is broken, close
	}
}
