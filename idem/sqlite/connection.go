package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"time"
)

// This file is about the connection that a step works on: where it comes from, the settings that the step needs on it, and in what
// state it goes back.

// connection is one of the pool, for one step.
type connection struct {
	*sql.Conn
	synchronous int64
	restore     []string // what brings back the settings that it had
	broken      bool     // it may be in a transaction, or can't be brought back: not to go to the pool again
}

// fullySynchronous is the setting under which a commit is on the disk when it is acknowledged, whatever the journal: EXTRA. NORMAL, which
// one popular driver makes the default in WAL mode, may forget the last commits when the power fails.
const fullySynchronous = 3

// settingsSQL asks for what a step may have to change on its connection. sqlc knows no pragmas.
const settingsSQL = "SELECT (SELECT timeout FROM pragma_busy_timeout), (SELECT synchronous FROM pragma_synchronous)"

// acquire takes a connection of the pool, for a limited time: a pool that is exhausted must be an answer, not a deadlock.
func (s *Store) acquire(ctx context.Context) (*connection, error) {
	waiting, cancel := limited(ctx, s.acquireTimeout)
	defer cancel()
	conn, err := s.pool.Conn(waiting)
	if err != nil {
		return nil, notAcquired(ctx, err, s.pool.Stats())
	}
	c := &connection{Conn: conn}
	if err := s.prepare(waiting, c); err != nil {
		c.release()
		return nil, err
	}
	return c, nil
}

// prepare makes the connection one that does not wait in SQLite, where no context ends it, and looks at the database once.
func (s *Store) prepare(ctx context.Context, c *connection) error {
	quiet := context.WithoutCancel(ctx)
	var busyTimeout int64
	err := c.retried(ctx, func() error {
		return c.QueryRowContext(quiet, settingsSQL).Scan(&busyTimeout, &c.synchronous)
	})
	if err == nil && busyTimeout != 0 {
		err = c.set(quiet, "busy_timeout", 0, busyTimeout)
	}
	if err != nil {
		return failure(ctx, err, true)
	}
	return failure(ctx, c.retried(ctx, func() error { return s.check(quiet, c) }), true)
}

// makeDurable makes the connection one whose commits are on the disk.
func (c *connection) makeDurable(ctx context.Context) error {
	if c.synchronous >= fullySynchronous {
		return nil
	}
	err := c.set(ctx, "synchronous", fullySynchronous, c.synchronous)
	if err == nil {
		c.synchronous = fullySynchronous
	}
	return err
}

// set changes a setting until the connection is given back.
func (c *connection) set(ctx context.Context, pragma string, value, before int64) error {
	c.restore = append(c.restore, fmt.Sprintf("PRAGMA %s = %d", pragma, before))
	return c.exec(ctx, fmt.Sprintf("PRAGMA %s = %d", pragma, value))
}

func (c *connection) exec(ctx context.Context, sql string) error {
	_, err := c.ExecContext(ctx, sql)
	return err
}

// release gives the connection back as it was. One that can't be brought back there is closed, which also ends its transaction.
func (c *connection) release() {
	for _, sql := range c.restore {
		if !c.broken {
			c.broken = c.exec(context.Background(), sql) != nil
		}
	}
	if c.broken {
		_ = c.Raw(func(any) error { return driver.ErrBadConn }) // the pool then closes it
	}
	_ = c.Close()
}

// The pauses between two looks at a database that somebody has locked.
const (
	firstPause   = 200 * time.Microsecond
	longestPause = 10 * time.Millisecond
)

// retried calls f again while the database is locked by somebody and ctx has not ended.
func (c *connection) retried(ctx context.Context, f func() error) error {
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		err := f()
		if !isBusy(err) {
			return err
		}
		if ctx.Err() != nil || wait(ctx, pause) != nil {
			return errors.Join(err, ctx.Err())
		}
	}
}
