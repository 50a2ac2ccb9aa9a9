package idem

import (
	"context"
	"errors"
	"sync/atomic"
	"time"
)

// This file is the owner's part of a call: make sure that the lease holds, run the method under it, and end the run the way
// the method ended. Each ending has exactly one action in the store (settle.go).

// start runs the method under the claim a. Where it could not be started, started is false: with an error, or without one because the
// claim may not be the call's any more.
func (e *Engine) start(ctx context.Context, c *claiming, b body, a acked) (started bool, err error) {
	q, undo := c.q, c.undo
	if q.tx == TxJoin {
		return true, c.runJoined(ctx, b, a)
	}
	if time.Since(a.sent) >= valid(q.lease) { // the answer was long on its way: no start on a lease that may be over
		var again bool
		if a.sent, again, err = e.renewFirst(ctx, q); again || err != nil {
			return false, err
		}
	}
	s := &starting{e: e, c: c, q: q, b: b, a: a, begun: func() {}}
	if q.detach {
		started, err = s.detached(ctx)
	} else {
		started, err = s.under(ctx, ctx)
	}
	if !started {
		c.undo = undo
	}
	return started, err
}

// starting is a claim that is about to be run.
type starting struct {
	e *Engine
	c *claiming
	q *request // c's; but a detached run has its own
	b body
	a acked
	// unclaimed: there is no claim, and the run has a transaction instead.
	unclaimed bool
	// begun is called before anything of the caller's runs: from then on the claiming is not touched.
	begun func()
}

// under runs the method in ctx, unless its caller has gone before it could be started.
func (s *starting) under(caller, ctx context.Context) (started bool, err error) {
	if s.unclaimed {
		return s.underNothing(caller, ctx)
	}
	e, q, a := s.e, s.q, s.a
	run := &Run{
		Operation: q.ref.Operation, Attempt: a.row.Attempt, Fence: a.row.Fence,
		DownstreamKey: downstreamKey(q.id, q.fingerprint), id: q.id, ended: new(atomic.Bool),
	}
	defer run.ended.Store(true)
	mctx, cancel := context.WithCancelCause(methodContext(ctx, run))
	defer cancel(nil)
	defer context.AfterFunc(e.runs, func() { cancel(ErrClosed) })()
	l := &lease{id: q.id, owner: q.owner, length: q.lease, renew: q.renew}
	l.onLost = func(cause error) {
		ev := q.event(EventLeaseLost, a.row)
		ev.Err = cause
		cancel(ErrLeaseLost)
		e.notify(ctx, ev)
	}
	l.onFailed = func(err error) { e.notify(ctx, q.storeEvent(err)) }
	e.renewer.hold(l, a.sent)
	if !s.c.told { // before the last look at the lease: observers take their time
		s.c.told = true
		e.notify(ctx, q.event(a.kind(), a.row))
	}
	r := &ending{e: e, q: q, row: a.row, lease: l, began: time.Now(), ctx: context.WithoutCancel(ctx), open: s.c.open}
	if may, err := r.mayStart(caller); !may {
		l.stop()
		return false, err
	}
	s.c.undo = nil
	s.begun()
	if q.tx != TxOff {
		again, err := r.runInTransaction(ctx, mctx, s.c, s.b)
		return !again, err
	}
	return r.runUnder(ctx, mctx, s.b)
}

// mayStart reports whether the method may be started now; if not, it says why, or else the claim has to be looked at again: it may still
// be this call's.
func (r *ending) mayStart(ctx context.Context) (may bool, err error) {
	switch {
	case ctx.Err() != nil:
		return false, r.q.gaveUp(ctx, r.row)
	case r.e.closing.Err() != nil:
		return false, r.q.fail(ErrClosed, r.row)
	default:
		return !r.lease.over(), nil
	}
}

// renewFirst renews a claim before its method is started, and says when that was sent; again is true when it is lost, or nobody knows.
func (e *Engine) renewFirst(ctx context.Context, q *request) (sent time.Time, again bool, err error) {
	sent = time.Now()
	answers, err := once(ctx, e, func(ctx context.Context) ([]Renewal, error) {
		return e.store.Renew(ctx, []Lease{{ID: q.id, Owner: q.owner, Lease: q.lease}})
	})
	switch {
	case err == nil:
		return sent, answers[0] != RenewalDone, nil
	case ctx.Err() != nil:
		return sent, false, q.gaveUp(ctx, Row{})
	default:
		e.notify(ctx, q.storeEvent(err))
		return sent, false, q.storeFailed(err)
	}
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

// phase is how far a run has come.
type phase uint8

const (
	phaseRunning   phase = iota
	phaseSucceeded       // the method has returned without an error
	phaseEnded           // what the run left in the store is settled, or goes on being so in the background
)

// runUnder runs the method and ends the run, unless an earlier run turns out to have had the effect. There is no recover() in it: a
// panic, or runtime.Goexit, passes through with its stack, and the deferred function finds how far the run has come.
func (r *ending) runUnder(ctx, mctx context.Context, b body) (started bool, err error) {
	r.q.info.Attempt = r.row.Attempt
	at := phaseRunning
	defer func() {
		switch at {
		case phaseRunning:
			r.lease.stop()
			r.abandon(abandonment{lapse: true, cause: howEnded()})
		case phaseSucceeded: // something ended the goroutine while the outcome was stored, say a codec
			r.completeWithout(errors.New("the call was ended before its outcome was stored"))
		}
	}()
	run := b.run
	if r.asks() {
		happened, err := b.recover(mctx)
		may, why := r.mayStart(ctx)
		switch {
		case err != nil:
			at = phaseEnded
			r.unanswered(err)
			return true, err
		case happened:
			run = r.recovered
		case !may:
			at = phaseEnded
			r.lease.stop()
			return false, why
		}
	}
	err = run(mctx)
	ended := mctx.Err() != nil || ctx.Err() != nil // the end of a context that is not the standard library's is passed on with a delay
	if err == nil {
		at = phaseSucceeded
		err = r.complete(ctx, b)
		at = phaseEnded
		return true, err
	}
	c := r.e.classify(r.q, err, ended) // asks methods of the error, whose panic is the run's
	at = phaseEnded
	if c == final {
		return true, r.completeFinal(ctx, b, err)
	}
	r.lease.stop()
	switch {
	case c == noEffect, c == unclassified && r.row.Attempt == 1:
		r.release(err)
	default: // of a later attempt's plain error too: the earlier ones may have had an effect, and the row is what knows of them
		r.abandon(abandonment{hold: r.q.takeover == TakeoverHold, cause: err})
	}
	return true, err
}
