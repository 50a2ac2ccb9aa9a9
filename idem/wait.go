package idem

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"
)

// This file is what a duplicate does while another call is running: it waits, holding no connection, until the row may say
// something else, and then goes back to claim-or-read. A wait that ends without an answer is never permission to run.

// wait waits until the row may say something else, or says that the call is in flight. A row that somebody is just changing can't be
// looked at: it is asked for again, after pauses that grow, and the observers hear of the first.
func (c *claiming) wait(ctx context.Context, a acked) error {
	e, q, row := c.e, c.q, a.row
	if q.policy == PolicyConflict && !c.brief(a) {
		e.notify(ctx, q.event(EventConflict, row))
		return q.conflict(row)
	}
	if q.policy == PolicyPoll && (!a.locked || c.lockPause == 0) {
		e.notify(ctx, q.event(EventWaited, row))
	}
	err := e.waitUntil(ctx, c.giveUp, func(ctx context.Context) error {
		if !a.locked {
			return e.poller.wait(ctx, row)
		}
		c.lockPause = min(max(firstLook, 2*c.lockPause), lastLook)
		return pause(ctx, c.lockPause)
	})
	if err == nil {
		return nil
	}
	failed := q.conflict(row)
	switch cause := e.waitEnded(ctx, c.giveUp, err); {
	case cause == nil || ctx.Err() != nil || errors.Is(cause, ErrClosed): // in flight, and perhaps something else too
		failed.Cause = cause
	default:
		e.notify(ctx, q.storeEvent(cause))
		return q.storeFailed(cause)
	}
	e.notify(ctx, q.event(EventConflict, row))
	return failed
}

// brief reports whether a lock may have been one of a moment, for which nobody is told of a conflict. It need not even have been the
// row's: while many insert, the table's growing is waited for too.
func (c *claiming) brief(a acked) bool { return a.locked && c.lockPause < 2*firstLook }

// waitEnded is why a wait ended without an answer: the caller's context, the engine's closing, the store; nil: its time was over. (That
// is told by the clock: the store's own time limits show as the same error.)
func (e *Engine) waitEnded(ctx context.Context, giveUp time.Time, err error) error {
	switch {
	case ctx.Err() != nil:
		return errors.Join(ctx.Err(), context.Cause(ctx))
	case e.closing.Err() != nil:
		return ErrClosed
	case !time.Now().Before(giveUp):
		return nil
	default:
		return err
	}
}

// waitUntil is a wait that ends with the deadline and with the engine's closing too.
func (e *Engine) waitUntil(ctx context.Context, giveUp time.Time, until func(context.Context) error) error {
	ctx, cancel := context.WithDeadline(ctx, giveUp)
	defer cancel()
	defer context.AfterFunc(e.closing, cancel)()
	return until(ctx)
}

// pause sleeps for about d, and less when ctx ends.
func pause(ctx context.Context, d time.Duration) error {
	d = d*3/4 + time.Duration(rand.Int64N(int64(d)/2+1))
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return ctx.Err()
	case <-ctx.Done():
		return ctx.Err()
	}
}
