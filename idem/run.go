package idem

import (
	"context"
	"time"
)

// This file is the owner's part of a call: make sure that the lease holds, run the method under it, and end the run the way
// the method ended. Each ending has exactly one action in the store (settle.go).

// start runs the method under the claim a. Again is true when it could not be started because the claim is not the call's any more.
func (e *Engine) start(ctx context.Context, q *request, b body, a acked) (again bool, err error) {
	run := &Run{
		Operation: q.ref.Operation, Attempt: a.row.Attempt, Fence: a.row.Fence,
		DownstreamKey: downstreamKey(q.id, q.fingerprint), id: q.id,
	}
	mctx, cancel := context.WithCancelCause(methodContext(ctx, run))
	defer cancel(nil)
	if time.Since(a.sent) >= valid(q.lease) { // the answer was long on its way: no start on a lease that may be over
		sent := time.Now()
		answers, err := e.store.Renew(ctx, []Lease{{ID: q.id, Owner: q.owner, Lease: q.lease}})
		switch {
		case err != nil && ctx.Err() == nil:
			e.notify(ctx, q.storeEvent(err))
			e.giveBack(ctx, q, a.undo)
			return false, q.storeFailed(err)
		case err == nil && answers[0] != RenewalDone, err == nil && time.Since(sent) >= valid(q.lease):
			return true, nil
		}
		a.sent = sent
	}
	l := &lease{id: q.id, owner: q.owner, length: q.lease, renew: q.renew}
	l.onLost = func(cause error) {
		ev := q.event(EventLeaseLost, a.row)
		ev.Err = cause
		cancel(ErrLeaseLost)
		e.notify(ctx, ev)
	}
	l.onFailed = func(err error) { e.notify(ctx, q.storeEvent(err)) }
	e.notify(ctx, q.event(a.kind(), a.row))
	e.renewer.hold(l, a.sent)
	switch {
	case ctx.Err() != nil:
		l.stop()
		e.giveBack(ctx, q, a.undo)
		return false, q.gaveUp(ctx, a.row)
	case l.over(): // the claim is looked at again; it may still be this call's
		l.stop()
		return true, nil
	}
	return false, e.runUnder(ctx, mctx, q, b, a.row, l)
}

// kind is the event of winning a.
func (a acked) kind() EventKind {
	switch {
	case a.taken.State == StateAbsent:
		return EventClaimed
	case a.taken.Expired:
		return EventReclaimed
	default:
		return EventTakenOver
	}
}

// runUnder runs the method and ends the run. There is no recover in it: a panic, or runtime.Goexit, passes through with its
// stack, and the deferred function only finds that the method has not returned.
func (e *Engine) runUnder(ctx, mctx context.Context, q *request, b body, row Row, l *lease) error {
	q.info.Attempt = row.Attempt
	detached := context.WithoutCancel(ctx) // the run is ended whatever becomes of the caller
	began, returned := time.Now(), false
	defer func() {
		if !returned {
			l.stop()
			e.abandon(detached, q, row, began, abandonment{lapse: true})
		}
	}()
	err := b.run(mctx)
	returned = true
	ended := mctx.Err() != nil
	if err == nil {
		return e.complete(ctx, q, b, row, l, began)
	}
	l.stop()
	if e.classify(q, err, ended) == noEffect {
		e.release(detached, q, row, began, err)
	} else {
		e.abandon(detached, q, row, began, abandonment{hold: q.takeover == TakeoverHold, cause: err})
	}
	return err
}
