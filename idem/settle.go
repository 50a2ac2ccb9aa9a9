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
	// open: a sending of the claim was not answered, and may still be applied.
	open bool
	// later: this is in the background already, and ctx ends with it.
	later bool
	// lease is kept until the outcome is stored; nil where there is none.
	lease *lease
	// final is the error that is the outcome; nil where the method succeeded.
	final *finalError
}

// settle sends one step of ending a run until it is answered, for at most the store timeout. An error that sending again
// can't mend ends it at once. Open says whether an earlier sending may have been applied unanswered.
func settle[T any](r *ending, step func(context.Context) (T, error)) (answer T, open bool, err error) {
	ctx, cancel := context.WithTimeout(r.ctx, r.e.config.storeTimeout)
	defer cancel()
	for try := 0; ; try++ {
		if answer, open, err = attempt(ctx, r, open, step); err == nil || permanent(err) || pause(ctx, backoff(try)) != nil {
			return answer, open, err
		}
	}
}

// settleLater is settle in the background, where even what looks permanent is given time to pass: a database that is read-only for
// a moment, say. It ends with ctx.
func settleLater[T any](ctx context.Context, r *ending, open bool, step func(context.Context) (T, error)) (answer T, _ bool, err error) {
	for try := 0; ; try++ {
		if answer, open, err = attempt(ctx, r, open, step); err == nil || pause(ctx, backoff(try)) != nil {
			return answer, open, err
		}
	}
}

// attempt sends a step once, and reports a failure.
func attempt[T any](ctx context.Context, r *ending, open bool, step func(context.Context) (T, error)) (T, bool, error) {
	answer, err := once(ctx, r.e, step)
	if err != nil {
		notApplied, _ := storeError(err)
		open = open || !notApplied
		r.e.notify(r.ctx, r.q.storeEvent(err))
	}
	return answer, open, err
}

// insist is settleLater for what lets a claim go, within bounds: the claim's lease ends it anyway, but only its owner can say that nothing
// happened. It ends when the engine begins to close.
func insist[T any](r *ending, open bool, step func(context.Context) (T, error)) (T, bool, error) {
	ctx, cancel := context.WithTimeout(r.ctx, max(r.q.lease, time.Minute))
	defer cancel()
	defer context.AfterFunc(r.e.closing, cancel)()
	return settleLater(ctx, r, open, step)
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

// release deletes the row of a run that is known to have had no effect, or expires it where a claim of it may still come.
func (r *ending) release(cause error) {
	if r.open {
		r.abandon(abandonment{expire: true, cause: cause})
		return
	}
	r.end(EventReleased, cause, func(ctx context.Context) (bool, error) {
		return r.e.store.Release(ctx, r.q.id, r.q.owner)
	})
}

// abandonment is how a run of unknown effect is given up.
type abandonment struct {
	lapse bool // it counts as a lapse
	hold  bool // nobody may run it again by himself
	// expire: it is known to have had no effect.
	expire bool
	cause  error
}

// abandon ends the lease of a run that may have had an effect.
func (r *ending) abandon(how abandonment) {
	a := Abandonment{ID: r.q.id, Owner: r.q.owner, Lapse: how.lapse, Hold: how.hold, Expire: how.expire}
	_, _ = rand.Read(a.Next[:]) // never fails
	kind := EventAbandoned
	switch {
	case how.hold:
		kind = EventHeld
	case how.expire:
		kind = EventReleased
	}
	r.end(kind, how.cause, func(ctx context.Context) (bool, error) { return r.e.store.Abandon(ctx, a) })
}

// end sends the step that ends a run and reports the ending, or that the row was another's by then. What can't be sent while the
// caller waits is sent later; the failures are reported one by one.
func (r *ending) end(kind EventKind, cause error, step func(context.Context) (bool, error)) {
	changed, open, err := settle(r, step)
	if err == nil {
		r.ended(kind, cause, changed || open)
		return
	}
	later := func(context.Context) {
		if changed, open, err := insist(r, open, step); err == nil {
			r.ended(kind, cause, changed || open)
		}
	}
	if r.later {
		later(r.ctx)
		return
	}
	r.e.goBackground(later)
}

// ended reports an ending. Own is false when another call had the row by then; where an earlier sending may have been applied
// unanswered, it is taken for one's own.
func (r *ending) ended(kind EventKind, cause error, own bool) {
	switch {
	case own:
	case r.q.tx != TxOff: // what it did is undone
		kind = EventRolledBack
	default:
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
