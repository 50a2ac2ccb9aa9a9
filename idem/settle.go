package idem

import (
	"context"
	"crypto/rand"
	"errors"
	"time"
)

// This file ends runs without an outcome: release and abandon. It goes on when the caller's context has ended, for a bounded
// time: a delete on a cancelled context is never sent. What can't be sent at all ends with the lease.

// ending is a run that has ended, or a claim that was never run, and what the store has to hear of it.
type ending struct {
	e     *Engine
	q     *request
	row   Row
	began time.Time
	// ctx is the caller's without its end.
	ctx context.Context
	// lease is kept until the outcome is stored; nil where there is none.
	lease *lease
}

// settle sends one step of ending a run until it is answered, for at most the store timeout. An error that sending again
// can't mend ends it at once. Open says whether an earlier sending may have been applied unanswered.
func settle[T any](r *ending, step func(context.Context) (T, error)) (answer T, open bool, err error) {
	ctx, cancel := context.WithTimeout(r.ctx, r.e.config.storeTimeout)
	defer cancel()
	for try := 0; ; try++ {
		if answer, err = once(ctx, r.e, step); err == nil {
			return answer, open, nil
		}
		notApplied, _ := storeError(err)
		open = open || !notApplied
		r.e.notify(ctx, r.q.storeEvent(err))
		if permanent(err) || pause(ctx, backoff(try)) != nil {
			return answer, open, err
		}
	}
}

// once sends a step with a time limit that leaves room for others.
func once[T any](ctx context.Context, e *Engine, step func(context.Context) (T, error)) (T, error) {
	ctx, cancel := context.WithTimeout(ctx, e.config.storeTimeout/3)
	defer cancel()
	return step(ctx)
}

// backoff is the pause after try number n, from 0.
func backoff(n int) time.Duration {
	return min(20*time.Millisecond<<min(n, 10), time.Second)
}

// permanent reports whether the store itself says that the same step can't succeed.
func permanent(err error) bool {
	s, ok := errors.AsType[*StoreError](err)
	return ok && !s.Temporary
}

// tooMuch reports whether the store refused what it was to store, rather than to store.
func tooMuch(err error) bool {
	s, ok := errors.AsType[*StoreError](err)
	return ok && s.TooMuch && !s.Temporary
}

// release deletes the row of a run that is known to have had no effect.
func (r *ending) release(cause error) {
	r.end(EventReleased, cause, func(ctx context.Context) (bool, error) {
		return r.e.store.Release(ctx, r.q.id, r.q.owner)
	})
}

// abandonment is how a run of unknown effect is given up.
type abandonment struct {
	lapse bool // it counts as a lapse
	hold  bool // nobody may run it again by himself
	// unstarted: it was none, the method was never started.
	unstarted bool
	cause     error
}

// abandon ends the lease of a run that may have had an effect.
func (r *ending) abandon(how abandonment) {
	a := Abandonment{ID: r.q.id, Owner: r.q.owner, Lapse: how.lapse, Hold: how.hold, Unstarted: how.unstarted}
	_, _ = rand.Read(a.Next[:]) // never fails
	kind := EventAbandoned
	switch {
	case how.hold:
		kind = EventHeld
	case how.unstarted:
		kind = EventReleased
	}
	r.end(kind, how.cause, func(ctx context.Context) (bool, error) { return r.e.store.Abandon(ctx, a) })
}

// end sends the step that ends a run and reports the ending, or that the row was another's by then. An ending that can't be
// sent comes with the lease; the failures were reported one by one.
func (r *ending) end(kind EventKind, cause error, step func(context.Context) (bool, error)) {
	changed, open, err := settle(r, step)
	switch {
	case err != nil:
		return
	case !changed && !open: // else it may be this call's own sending that was applied and not answered
		kind = EventFenced
	}
	r.report(kind, r.row, cause)
}

// report tells those who wait for the row in this process, and the observers, of the ending.
func (r *ending) report(kind EventKind, row Row, err error) {
	if kind != EventCompleteFailed { // then nothing has ended yet
		r.e.poller.changed(r.q.id)
	}
	ev := r.q.event(kind, row)
	ev.Duration, ev.Err = time.Since(r.began), err
	r.e.notify(r.ctx, ev)
}
