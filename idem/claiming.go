package idem

import (
	"context"
	"errors"
	"time"
)

// This file sends the steps of claiming (claim, take over, reclaim, hold) until they are answered, and gives back what was won
// and not run. After an error a step may have been applied, or may be so later; the same step sent again by the same owner
// then says "mine", and nothing else says so for certain.

// step is one step of claiming.
type step func(context.Context, Claim) (Row, error)

// claiming is what a call has sent to get its row.
type claiming struct {
	e *Engine
	q *request
	// steps are the store's, or those in the caller's transaction.
	steps Steps
	// undo is the step that has won the row, or may have; nil: the row is certain not to be the call's, or its method was started.
	undo step
	// attempt is the row's, while undo is not nil.
	attempt int
	// open: a sending of some step was not answered, and may be applied when nobody expects it any more.
	open bool
	// told: the observers know that the claim was won.
	told bool
	// giveUp is when waiting ends; lockPause the last pause before a locked row was asked for again.
	giveUp    time.Time
	lockPause time.Duration
	// reruns is how often all was undone and the method may be run again.
	reruns int
}

// acked is the acknowledged answer to a step.
type acked struct {
	// locked: there was none, because somebody's open transaction has the row.
	locked bool
	row    Row
	taken  Row       // what was taken over or reclaimed, if the row is
	sent   time.Time // what lease deadlines count from: before the step was sent first
}

// send sends s until it is answered, as long as that may help: for at most the store timeout, and not after the caller's context.
func (c *claiming) send(ctx context.Context, s step) (acked, error) {
	a := acked{sent: time.Now()}
	if ctx.Err() != nil {
		return a, c.q.gaveUp(ctx, Row{})
	}
	limit, cancel := context.WithTimeout(ctx, c.e.config.storeTimeout)
	defer cancel()
	for try := 0; ; try++ {
		row, err := once(limit, c.e, func(ctx context.Context) (Row, error) { return s(ctx, c.q.claim()) })
		if err == nil {
			c.undo = nil
			if row.Owner == c.q.owner {
				c.undo, c.attempt = s, row.Attempt
			}
			a.row = row
			// a row that was the caller's before is older than this statement: its lease counts from its own beginning
			a.sent = a.sent.Add(min(0, row.LeaseLeft-c.q.lease))
			return a, nil
		}
		notApplied, temporary := storeError(err)
		if !notApplied {
			c.undo, c.open = s, true
		}
		if ctx.Err() != nil {
			return a, c.q.gaveUp(ctx, Row{})
		}
		if a.locked = locked(err); a.locked {
			return a, nil
		}
		c.e.notify(ctx, c.q.storeEvent(err))
		if !temporary || try == maxTries || pause(limit, backoff(try)) != nil {
			if ctx.Err() != nil {
				return a, c.q.gaveUp(ctx, Row{})
			}
			return a, c.q.storeFailed(err)
		}
	}
}

// leave is the end of a call: a claim whose method was not started is given up.
func (c *claiming) leave(ctx context.Context) {
	if c.q.tx == TxJoin {
		c.leaveJoined(ctx)
		return
	}
	c.giveBack(ctx)
}

// giveBack gives up a claim whose method was not started, in the background. The step that may have won it is sent again by
// the same owner first, so that one that already waits for the row is answered before the row is let go. Where a sending was not
// answered, the row is not deleted but expired: a sending that the database has not begun with may come later, and must find it.
func (c *claiming) giveBack(ctx context.Context) {
	if c.undo == nil {
		return
	}
	q, s := c.q, c.undo
	r := &ending{e: c.e, q: q, began: time.Now(), ctx: context.WithoutCancel(ctx)}
	again := func(ctx context.Context) (Row, error) { return s(ctx, q.claim()) }
	taken := c.e.goBackground(func(base context.Context) {
		var cancel context.CancelFunc
		r.ctx, cancel = context.WithCancel(r.ctx)
		r.later = true
		defer cancel()
		defer context.AfterFunc(base, cancel)()
		row, open, err := settle(r, again)
		if err != nil {
			row, open, err = insist(r, open, again)
		}
		r.letGo(row, open || c.open, err)
	})
	if !taken { // the engine was closed meanwhile: the call itself does it
		row, open, err := settle(r, again)
		r.letGo(row, open || c.open, err)
	}
}

// letGo ends a claim that was not run, if it turned out to be the call's.
func (r *ending) letGo(row Row, open bool, err error) {
	r.row, r.open = row, open
	switch {
	case err != nil || row.Owner != r.q.owner || row.settled():
	case row.Attempt > 1: // an earlier run may have had an effect: the row is evidence
		r.abandon(abandonment{})
	default:
		r.release(nil)
	}
}

// maxTries is how often a step of claiming is sent again; with backoff this is over in about a second.
const maxTries = 5

// storeError says of a store's error whether the step is known not to have been applied, and whether to send it again.
func storeError(err error) (notApplied, temporary bool) {
	var s *StoreError
	if !errors.As(err, &s) {
		return false, false
	}
	return s.NotApplied, s.Temporary
}

func locked(err error) bool {
	s, ok := errors.AsType[*StoreError](err)
	return ok && s.Locked
}
