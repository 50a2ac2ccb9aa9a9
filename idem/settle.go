package idem

import (
	"context"
	"crypto/rand"
	"errors"
	"time"
)

// This file ends runs without an outcome: release, abandon, and giving back a claim that was never run. All of it goes on
// when the caller's context has ended, for a bounded time: a delete on a cancelled context is never sent. What can't be
// sent at all ends with the lease.

// settle sends one step of ending a run until it is answered, for at most the settle timeout. An error that sending again
// can't mend ends it at once. Its context is one that the caller's end does not end.
func settle[T any](ctx context.Context, e *Engine, q *request, step func(context.Context) (T, error)) (T, error) {
	answer, _, err := settleOpen(ctx, e, q, step)
	return answer, err
}

// settleOpen is settle, and says whether an earlier sending may have been applied unanswered.
func settleOpen[T any](ctx context.Context, e *Engine, q *request, step func(context.Context) (T, error)) (_ T, open bool, _ error) {
	ctx, cancel := context.WithTimeout(ctx, e.config.settleTimeout)
	defer cancel()
	for try := 0; ; try++ {
		answer, err := once(ctx, e, step)
		if err == nil {
			return answer, open, nil
		}
		notApplied, _ := storeError(err)
		open = open || !notApplied
		e.notify(ctx, q.storeEvent(err))
		if permanent(err) || pause(ctx, backoff(try)) != nil {
			return answer, open, err
		}
	}
}

// once sends a step with a time limit that leaves room for others.
func once[T any](ctx context.Context, e *Engine, step func(context.Context) (T, error)) (T, error) {
	ctx, cancel := context.WithTimeout(ctx, e.config.settleTimeout/3)
	defer cancel()
	return step(ctx)
}

// permanent reports whether the store itself says that the same step can't succeed.
func permanent(err error) bool {
	s, ok := errors.AsType[*StoreError](err)
	return ok && !s.Temporary
}

// release deletes the row of a run that is known to have had no effect.
func (e *Engine) release(ctx context.Context, q *request, row Row, began time.Time, cause error) {
	e.end(ctx, q, row, began, EventReleased, cause, func(ctx context.Context) (bool, error) {
		return e.store.Release(ctx, q.id, q.owner)
	})
}

// abandonment is how a run of unknown effect is given up.
type abandonment struct {
	lapse bool // it counts as a lapse
	hold  bool // nobody may run it again by himself
	cause error
}

// abandon ends the lease of a run that may have had an effect.
func (e *Engine) abandon(ctx context.Context, q *request, row Row, began time.Time, how abandonment) {
	a := Abandonment{ID: q.id, Owner: q.owner, Lapse: how.lapse, Hold: how.hold}
	_, _ = rand.Read(a.Next[:]) // never fails
	kind := EventAbandoned
	if how.hold {
		kind = EventHeld
	}
	e.end(ctx, q, row, began, kind, how.cause, func(ctx context.Context) (bool, error) { return e.store.Abandon(ctx, a) })
}

// end sends the step that ends a run and reports the ending, or that the row was another's by then. An ending that can't be
// sent comes with the lease; the failures were reported one by one.
func (e *Engine) end(ctx context.Context, q *request, row Row, began time.Time, kind EventKind, cause error, step func(context.Context) (bool, error)) {
	changed, open, err := settleOpen(ctx, e, q, step)
	switch {
	case err != nil:
		return
	case !changed && !open: // else it may be this call's own sending that was applied and not answered
		kind = EventFenced
	}
	ev := q.event(kind, row)
	ev.Duration, ev.Err = time.Since(began), cause
	e.notify(ctx, ev)
}

// giveBack gives up a claim whose method was never started, in the background. The step that may have won it is sent again by the same
// owner first: one that is still in flight might land after a release, but not after its own repetition was answered.
func (e *Engine) giveBack(ctx context.Context, q *request, step func(context.Context, Claim) (Row, error)) {
	ctx = context.WithoutCancel(ctx)
	e.goBackground(func(base context.Context) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(base, cancel)()
		began := time.Now()
		row, err := settle(ctx, e, q, func(ctx context.Context) (Row, error) { return step(ctx, q.claim()) })
		switch {
		case err != nil || row.Owner != q.owner || row.State != StateRunning:
		case row.Attempt > 1: // an earlier run may have had an effect: the row is evidence
			e.abandon(ctx, q, row, began, abandonment{})
		default:
			e.release(ctx, q, row, began, nil)
		}
	})
}
