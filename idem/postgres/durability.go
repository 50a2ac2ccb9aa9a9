package postgres

import (
	"context"
	"errors"
	"log/slog"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// This file is about whether the database keeps what it acknowledges. A claim that vanishes in a failover can be won a second
// time. Where a standby must acknowledge each commit, the server can be made to stop waiting for it (by an operator, or
// by a request to cancel); it then reports success, with a warning that must not be overheard.

// The keys of what is noted on a connection.
const (
	listening    = "idem: listening"
	unreplicated = "idem: unreplicated"
)

// Configure prepares the configuration of a pool that a Store is going to use, so that a commit which the server stopped waiting
// for is not taken for a safe one. Call it before pgxpool.NewWithConfig; it keeps OnNotice and AfterConnect as they are and adds to
// them. Only databases with synchronous_standby_names need it: a Store on one logs a warning when it was not called. It costs a
// statement in each transaction, which makes sure that the server says what it has to say.
func Configure(cfg *pgxpool.Config) {
	notice := cfg.ConnConfig.OnNotice
	cfg.ConnConfig.OnNotice = func(c *pgconn.PgConn, n *pgconn.Notice) {
		if n.Routine == "SyncRepWaitForLSN" { // its text is translated, and its SQLSTATE that of any warning
			c.CustomData()[unreplicated] = true
		}
		if notice != nil {
			notice(c, n)
		}
	}
	connected := cfg.AfterConnect
	cfg.AfterConnect = func(ctx context.Context, c *pgx.Conn) error {
		c.PgConn().CustomData()[listening] = true
		if connected != nil {
			return connected(ctx, c)
		}
		return nil
	}
}

// errUnreplicated says of a transaction that it was committed and may be lost.
var errUnreplicated = errors.New("the wait for a standby was cancelled")

// replicated forgets what was noted on a connection, and returns errUnreplicated if the server has stopped waiting for a standby.
func replicated(c *pgx.Conn) error {
	noted := c.PgConn().CustomData()
	if noted[unreplicated] == nil {
		return nil
	}
	delete(noted, unreplicated)
	return errUnreplicated
}

// WithLogger sets where a Store warns, once, of a database that may not keep what it acknowledges: with synchronous_commit off, with
// an UNLOGGED table, or with standbys and without Configure. Default slog.Default().
func WithLogger(l *slog.Logger) Option { return func(s *Store) { s.logger = l } }

// askDurability looks, after the first step of a Store, at what its promises rest on, and warns. That it can't look is no reason to
// fail.
func (s *Store) askDurability(ctx context.Context, c *pgx.Conn) {
	if s.asked.Load() || s.asked.Swap(true) {
		return
	}
	d, err := s.db.Durability(ctx, c)
	if err != nil {
		return
	}
	logger := s.logger
	if logger == nil {
		logger = slog.Default()
	}
	switch standbys := d.SynchronousStandbyNames != ""; {
	case d.Unlogged:
		logger.WarnContext(ctx, "the table idem_claims is UNLOGGED: after a crash of the database its claims and outcomes are gone")
	case d.SynchronousCommit == "off":
		logger.WarnContext(ctx, "synchronous_commit is off: after a crash of the database the last claims and outcomes are gone")
	case standbys && d.SynchronousCommit == "local":
		logger.WarnContext(ctx, "synchronous_commit is local: after a failover to a standby the last claims and outcomes are gone")
	case standbys && c.PgConn().CustomData()[listening] == nil:
		logger.WarnContext(ctx, "synchronous_standby_names is set, and postgres.Configure was not called: a commit that no standby has acknowledged may be taken for a safe one")
	}
}
