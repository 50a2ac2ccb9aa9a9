package sqlite

import (
	"context"
	"database/sql"
	"log/slog"
)

// This file looks, at the first step of a Store and when migrating, whether the database is one that can keep claims at all: one that all
// connections of the pool share, and that is still whole after a crash.

// inMemory is why a database is refused.
const inMemory = "the database has no file, so each connection of the pool has a database of its own: open a file, or db.SetMaxOpenConns(1)"

// check refuses a database that the pool's connections do not share, and warns of one that may be lost in a crash. What was found to
// be good is not looked at again.
func (s *Store) check(ctx context.Context, c *connection) error {
	if s.checked.Load() {
		return nil
	}
	file, err := fileOf(ctx, c.Conn)
	if err != nil {
		return err
	}
	if file == "" && s.pool.Stats().MaxOpenConnections != 1 {
		return refused(inMemory)
	}
	if !s.checked.Swap(true) && file != "" {
		s.warn(ctx, c)
	}
	return nil
}

// fileOf is the file of the connection's main database; empty: it has none.
func fileOf(ctx context.Context, c *sql.Conn) (file string, err error) {
	var found sql.NullString
	err = c.QueryRowContext(ctx, "SELECT file FROM pragma_database_list WHERE name = 'main'").Scan(&found)
	return found.String, err
}

// warn says in the log what the promises would not survive.
func (s *Store) warn(ctx context.Context, c *connection) {
	var journal string
	if c.QueryRowContext(ctx, "PRAGMA journal_mode").Scan(&journal) != nil || journal != "off" && journal != "memory" {
		return
	}
	logger := s.logger
	if logger == nil {
		logger = slog.Default()
	}
	logger.WarnContext(ctx, "the journal_mode of the database is "+journal+": when a process dies while it writes, the file may be damaged, and its claims and outcomes gone")
}
