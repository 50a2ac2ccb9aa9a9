package idem

import (
	"context"
	"errors"
	"sync/atomic"
	"time"
)

// This file is a call in its caller's transaction: claim, effect and outcome are in it, and stand or fall with it. Nobody else sees any of them
// before the caller commits; who has the same key meanwhile meets the row's lock, and is told that it is in flight. There is no lease to keep,
// and nothing to do afterwards: what the transaction is rolled back from never was.

// claimingOf prepares a call's claiming: in the store, or in the caller's transaction.
func (e *Engine) claimingOf(ctx context.Context, q *request) (*claiming, error) {
	c := &claiming{e: e, q: q, steps: e.store, giveUp: q.began.Add(q.maxWait)}
	if q.tx != TxJoin {
		return c, nil
	}
	steps, err := e.transactor.Join(ctx, q.callers)
	if err != nil {
		return nil, q.storeFailed(err)
	}
	c.steps = steps
	return c, nil
}

// runJoined runs the method under a claim in its caller's transaction, and stores the outcome there.
func (c *claiming) runJoined(ctx context.Context, b body, a acked) error {
	e, q := c.e, c.q
	switch {
	case ctx.Err() != nil:
		return q.gaveUp(ctx, a.row)
	case e.closing.Err() != nil:
		return q.fail(ErrClosed, a.row)
	}
	run := &Run{
		Operation: q.ref.Operation, Attempt: a.row.Attempt, Fence: a.row.Fence,
		DownstreamKey: downstreamKey(q.id, q.fingerprint), id: q.id, ended: new(atomic.Bool),
	}
	defer run.ended.Store(true)
	mctx, cancel := context.WithCancel(methodContext(ctx, run))
	defer cancel()
	e.notify(ctx, q.event(a.kind(), a.row))
	q.info.Attempt = a.row.Attempt
	r := &ending{e: e, q: q, row: a.row, began: time.Now(), ctx: context.WithoutCancel(ctx)}
	if err := b.run(mctx); err != nil {
		c.leaveJoined(ctx)
		r.report(EventReleased, r.row, err)
		return err
	}
	o, cause := r.outcome(b)
	if cause != nil {
		r.report(EventCompleteFailed, r.row, cause)
	}
	got, err := c.completeJoined(r, &o)
	switch {
	case err == nil && q.stored(got):
		c.undo = nil
		r.committed(got)
		if e.config.storedResults {
			return r.asStored(b, o)
		}
		return nil
	case err == nil:
		err = &StoreError{Reason: "the claim is not in the caller's transaction any more: it was rolled back past the call, or the method ended it"}
	}
	e.notify(r.ctx, q.storeEvent(err))
	failed := q.storeFailed(err)
	if notApplied, _ := storeError(err); !notApplied {
		c.undo = nil
		r.abandon(abandonment{hold: true, cause: failed})
		failed.Kind = ErrOutcomeUnknown
	}
	return failed
}

// completeJoined stores the outcome, or a tombstone where the database does not take its result.
func (c *claiming) completeJoined(r *ending, o *Outcome) (Row, error) {
	complete := func(ctx context.Context) (Row, error) { return c.steps.Complete(ctx, *o) }
	row, err := once(r.ctx, r.e, complete)
	if s, ok := errors.AsType[*StoreError](err); ok && s.TooMuch && o.Codec != codecNone {
		r.report(EventCompleteFailed, r.row, err)
		*o = tombstone(*o)
		return once(r.ctx, r.e, complete)
	}
	return row, err
}

// leaveJoined takes a claim without an outcome out of the caller's transaction: he may commit that all the same. Where the transaction is broken
// nothing can be done, and nothing needs to be. A row that was taken over goes back to being one whose run has ended.
// Where the method has ended the transaction itself, claim and effect may have been committed, and nobody may run it again by himself.
func (c *claiming) leaveJoined(ctx context.Context) {
	if c.undo == nil {
		return
	}
	c.undo = nil
	_, err := once(context.WithoutCancel(ctx), c.e, func(ctx context.Context) (bool, error) {
		if c.attempt > 1 {
			a := Abandonment{ID: c.q.id, Owner: c.q.owner, Next: newOwner()}
			return c.steps.Abandon(ctx, a)
		}
		return c.steps.Release(ctx, c.q.id, c.q.owner)
	})
	if notApplied, _ := storeError(err); err != nil && !notApplied {
		r := &ending{e: c.e, q: c.q, row: Row{Attempt: c.attempt}, began: time.Now(), ctx: context.WithoutCancel(ctx)}
		r.abandon(abandonment{hold: true, cause: err})
	}
}
