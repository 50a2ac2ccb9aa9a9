package sqlite

import (
	"context"
	"database/sql"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/idemgen/idemgen/idem"
)

// This file is the store as its user sees it. How its steps become transactions is in transact.go, and what they do in claim.go,
// settle.go, renew.go, read.go and sweep.go, and for people in admin.go and decide.go. The store moves rows and compares owners; what a row means is the engine's business.

// Store keeps claims in SQLite. It is an idem.Store and an idem.Admin, safe for use by any number of goroutines.
type Store struct {
	pool           *sql.DB
	writing        chan struct{} // full while a step of this store writes: SQLite has one writer, and those who queue here need not ask
	acquireTimeout time.Duration
	busyTimeout    time.Duration
	withoutKeys    bool
	logger         *slog.Logger
	checked        atomic.Bool // check has found the database usable
}

var _ idem.Store = (*Store)(nil)

// Option configures NewStore.
type Option func(*Store)

const (
	defaultAcquireTimeout = 5 * time.Second
	defaultBusyTimeout    = 5 * time.Second
)

// NewStore makes a store on pool. It does nothing yet: a database that can't be used shows at the first step, a table that is
// missing or older than this package as a *SchemaError.
//
// A database in memory is accepted where the pool is limited to one connection (SetMaxOpenConns), because each connection would have
// a database of its own.
func NewStore(pool *sql.DB, opts ...Option) *Store {
	s := &Store{pool: pool, writing: make(chan struct{}, 1), acquireTimeout: defaultAcquireTimeout, busyTimeout: defaultBusyTimeout}
	for _, o := range opts {
		o(s)
	}
	return s
}

// WithAcquireTimeout limits how long a step waits for a connection of the pool, on top of its context; default 5s. At 0 and
// below the context alone does.
func WithAcquireTimeout(d time.Duration) Option { return func(s *Store) { s.acquireTimeout = d } }

// WithBusyTimeout limits how long a step waits while somebody else writes to the file, on top of its context; default 5s. At 0 and
// below the context alone does. A busy_timeout of the connection has no meaning for the store's steps: they wait in Go, so that they
// end with their contexts.
func WithBusyTimeout(d time.Duration) Option { return func(s *Store) { s.busyTimeout = d } }

// WithoutKeys leaves the keys out of the rows: what is stored of a key is then the row's id alone, from which nobody can
// compute it, though a key that can be guessed can be checked. Rows stored with their keys stay as they are until they are claimed again.
func WithoutKeys() Option { return func(s *Store) { s.withoutKeys = true } }

// WithLogger sets where a Store warns, once, of a database that may not keep what it acknowledges: one without a journal on disk.
// Default slog.Default().
func WithLogger(l *slog.Logger) Option { return func(s *Store) { s.logger = l } }

// limited is ctx for at most d; d at 0 and below is no limit.
func limited(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	if d <= 0 {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, d)
}
