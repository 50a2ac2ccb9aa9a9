package idem

import (
	"context"
	"errors"
	"sync/atomic"
	"time"
)

// This file is a method that runs before anything is claimed: its effect, the claim and the outcome are one transaction, and of several that run at
// once for one key only one can commit. Whoever comes too late undoes what it did and gets that one's outcome. A row that is there
// all the same, left by a run in another mode, is treated as ever: a lapsed or expired one is taken, and the method runs under that claim.

// first is the step that a call begins with.
func (c *claiming) first() step {
	if c.q.tx != TxOptimistic {
		return c.steps.Claim
	}
	e := c.e
	return func(ctx context.Context, asked Claim) (Row, error) {
		rows, err := e.store.Read(ctx, []ID{asked.ID})
		if s, ok := errors.AsType[*StoreError](err); ok { // a read leaves nothing to give back
			unapplied := *s
			unapplied.NotApplied = true
			return Row{}, &unapplied
		}
		if err != nil {
			return Row{}, err
		}
		return rows[0], nil
	}
}

// startUnclaimed runs the method without a claim. Without started and without an error another call was faster, and all was undone.
func (e *Engine) startUnclaimed(ctx context.Context, c *claiming, b body) (started bool, err error) {
	c.undo = nil
	s := &starting{e: e, c: c, q: c.q, b: b, unclaimed: true, begun: func() {}}
	if c.q.detach {
		return s.detached(ctx)
	}
	return s.under(ctx, ctx)
}

// underNothing is under for a run that has no claim, and so no lease.
func (s *starting) underNothing(caller, ctx context.Context) (started bool, err error) {
	e, q := s.e, s.q
	switch {
	case caller.Err() != nil:
		return false, q.gaveUp(caller, Row{})
	case e.closing.Err() != nil:
		return false, q.fail(ErrClosed, Row{})
	}
	run := &Run{
		Operation: q.ref.Operation, Attempt: 1,
		DownstreamKey: downstreamKey(q.id, q.fingerprint), id: q.id, ended: new(atomic.Bool),
	}
	defer run.ended.Store(true)
	mctx, cancel := context.WithCancelCause(methodContext(ctx, run))
	defer cancel(nil)
	defer context.AfterFunc(e.runs, func() { cancel(ErrClosed) })()
	r := &ending{e: e, q: q, row: Row{Attempt: 1}, began: time.Now(), ctx: context.WithoutCancel(ctx)}
	s.begun()
	again, err := r.runInTransaction(ctx, mctx, s.c, s.b)
	return !again, err
}
