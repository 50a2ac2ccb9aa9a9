package sqlite

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/idemgen/idemgen/idem/sqlite/internal/db"
)

// This file makes one transaction of a step. SQLite has one writer at a time for the whole file. A step that writes says so when it begins:
// one that began by reading could find, when it wants to write, that the file has changed under it, and would have to start again.

// step is what is done in one transaction, or reads without one. What it makes of its answers counts only when the whole was
// acknowledged. It is called again where the database was found locked in the middle of it.
type step func(ctx context.Context, q *db.Queries) error

// read does a step that only reads. It takes no lock that a writer would have to wait for, where the journal is a WAL.
func (s *Store) read(ctx context.Context, f step) error {
	c, err := s.acquire(ctx)
	if err != nil {
		return err
	}
	defer c.release()
	waiting, cancel := limited(ctx, s.busyTimeout)
	defer cancel()
	err = c.retried(waiting, func() error { return f(context.WithoutCancel(ctx), db.New(c)) })
	return failure(ctx, err, true)
}

// write does a step in a transaction that may write, and waits for that as long as the store waits for other writers.
func (s *Store) write(ctx context.Context, f step) error {
	return s.writeWithin(ctx, s.busyTimeout, f)
}

// writeWithin is write with a limit of its own for the wait for other writers, those of this process included.
func (s *Store) writeWithin(ctx context.Context, limit time.Duration, f step) error {
	waiting, cancel := limited(ctx, limit)
	defer cancel()
	if err := ctx.Err(); err != nil {
		return failure(ctx, err, true)
	}
	select {
	case s.writing <- struct{}{}:
	case <-waiting.Done():
		return failure(ctx, errors.Join(errOwnQueue, waiting.Err()), true)
	}
	defer func() { <-s.writing }()
	c, err := s.acquire(ctx)
	if err != nil {
		return err
	}
	defer c.release()
	return c.transact(ctx, waiting, f)
}

// transact does f in a transaction, once the write lock is there, for which it waits as long as waiting. From then on nothing waits for
// others any more, and the step is not cut short: it is a matter of the disk alone.
//
// Whatever fails before the commit is certain to have no effect: also where the transaction could not be rolled back, since nothing
// but a commit makes it last, and closing the connection is a rollback. A commit that fails otherwise than by finding the
// database locked leaves open what became of it.
func (c *connection) transact(ctx, waiting context.Context, f step) error {
	quiet := context.WithoutCancel(ctx)
	committing := false
	err := c.retried(waiting, func() error {
		err := c.begin(quiet, f)
		committing = err == nil
		return err
	})
	if committing { // where the journal is none that readers can read beside, a commit waits for them
		err = c.retried(waiting, func() error { return c.exec(quiet, "COMMIT") })
	}
	if err != nil && committing {
		c.rollback(quiet)
	}
	return failure(ctx, err, !committing || isBusy(err))
}

// begin does f in a transaction, and leaves that open unless it failed.
func (c *connection) begin(ctx context.Context, f step) error {
	err := c.makeDurable(ctx)
	if err == nil {
		err = c.exec(ctx, "BEGIN IMMEDIATE")
	}
	if err != nil {
		return err
	}
	if err := f(ctx, db.New(c)); err != nil {
		c.rollback(ctx)
		return err
	}
	return nil
}

// rollback ends the transaction. SQLite has rolled back by itself after some errors, and then says that there is none.
func (c *connection) rollback(ctx context.Context) {
	if err := c.exec(ctx, "ROLLBACK"); err != nil && !strings.Contains(err.Error(), "no transaction is active") {
		c.broken = true
	}
}

// wait sleeps for about d, unless ctx ends before.
func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d/2 + rand.N(d/2+1))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
