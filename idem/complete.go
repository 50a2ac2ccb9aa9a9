package idem

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"
)

// This file stores the outcome of a method that has succeeded. From here on nothing may invite a second run: there is no
// release, the lease is kept until the outcome is stored, and a row that is another's by now decides what the caller gets.

// complete stores the result and makes it, or the outcome that another call stored meanwhile, the call's answer.
func (r *ending) complete(ctx context.Context, b body) error {
	r.lease.settle()
	o, cause := r.outcome(b)
	if cause != nil {
		r.report(EventCompleteFailed, r.row, cause)
	}
	got, err := r.store(&o)
	if err != nil {
		return r.unstored(o, err)
	}
	return r.settled(ctx, b, o, got)
}

// unstored is the answer of a call whose outcome could not be stored yet: the result is real, and the caller gets it. Storing
// goes on without him.
func (r *ending) unstored(o Outcome, cause error) error {
	r.report(EventCompleteFailed, r.row, cause)
	r.completeLater(o, false)
	return nil
}

// completeWithout stores that the method has succeeded, without a result.
func (r *ending) completeWithout(cause error) {
	r.report(EventCompleteFailed, r.row, cause)
	o := tombstone(r.blank())
	got, err := r.store(&o)
	if err != nil || !r.q.stored(got) {
		r.completeLater(o, false)
		return
	}
	r.lease.stop()
	r.report(EventCompleted, got, nil)
}

// store sends an outcome until it is answered. Where the store does not take its result, o becomes a tombstone, if that fits.
func (r *ending) store(o *Outcome) (Row, error) {
	row, _, err := settle(r, r.completing(o))
	if !r.shrinks(*o, err) {
		return row, err
	}
	stone := tombstone(*o)
	if smaller, _, failed := settle(r, r.completing(&stone)); failed == nil {
		r.report(EventCompleteFailed, r.row, err)
		*o, row, err = stone, smaller, nil
	}
	return row, err
}

func (r *ending) completing(o *Outcome) func(context.Context) (Row, error) {
	return func(ctx context.Context) (Row, error) { return r.e.store.Complete(ctx, *o) }
}

// shrinks reports whether err says that the store does not take o's result: a full disk may still take something small.
func (r *ending) shrinks(o Outcome, err error) bool {
	s, ok := errors.AsType[*StoreError](err)
	return ok && s.TooMuch && o.Codec != codecNone
}

// blank is the run's outcome without a result.
func (r *ending) blank() Outcome {
	return Outcome{Claim: r.q.claim(), Attempt: r.row.Attempt, Fence: r.row.Fence, State: StateDone, TTL: r.q.ttl}
}

// outcome is what the run is completed with: the encoded result, or a tombstone and the reason for it.
func (r *ending) outcome(b body) (o Outcome, cause error) {
	o = r.blank()
	enc, err := b.encode()
	switch limit := r.e.config.maxResult; {
	case err != nil:
		return tombstone(o), err
	case len(enc.data) > limit:
		return tombstone(o), fmt.Errorf("the result has %d bytes; at most %d are stored", len(enc.data), limit)
	}
	o.Codec, o.Schema, o.Result = enc.codec, enc.schema, enc.data
	return o, nil
}

// tombstone is o without its result: done, and later callers are told that the result was not stored.
func tombstone(o Outcome) Outcome {
	o.Codec, o.Schema, o.Result = codecNone, []byte{}, []byte{}
	return o
}

// settled is the call's answer, by what the row is after the outcome was sent.
func (r *ending) settled(ctx context.Context, b body, o Outcome, got Row) error {
	q := r.q
	if !q.stored(got) {
		r.report(EventFenced, got, nil)
		row, err := r.afterOther(ctx, &o, got)
		if err != nil || !q.stored(row) {
			return r.overtaken(ctx, b, o, row, err)
		}
		got = row
	}
	r.lease.stop()
	q.info.Stored = got.Codec != codecNone
	q.info.Attempt, q.info.CompletedAt, q.info.ExpiresAt = got.Attempt, got.CompletedAt, got.ExpiresAt
	r.report(EventCompleted, got, nil)
	return nil
}

// overtaken is the answer of a call that another one overtook, by the row as it was last seen. Unless that says all, storing goes on:
// should the other call come to nothing, the next one must not run again.
func (r *ending) overtaken(ctx context.Context, b body, o Outcome, row Row, cause error) error {
	switch r.q.successor(row) {
	case successorFinal:
		r.lease.stop()
		return r.otherAnswer(ctx, b, row, cause)
	case successorRunning:
		r.completeLater(o, true)
		return r.otherAnswer(ctx, b, row, cause)
	default: // nobody else is on it
		r.report(EventCompleteFailed, r.row, cause)
		r.completeLater(o, true)
		return nil
	}
}

// stored reports whether row is settled by this call.
func (q *request) stored(row Row) bool { return row.Owner == q.owner && row.settled() }

func (r Row) settled() bool { return r.State == StateDone || r.State == StateFailed }

// otherAnswer is the call's answer when another call has the row: its outcome, if it is one of the same request, because all
// callers of a key get one answer. Else the method's own result goes with the error.
func (r *ending) otherAnswer(ctx context.Context, b body, row Row, cause error) error {
	own := b.lost()
	var failed *Error
	switch {
	case cause == nil && row.settled() && r.q.same(row):
		if err := r.e.replay(ctx, r.q, b, row); err == nil {
			return nil
		} else if !errors.As(err, &failed) {
			return err
		}
	default:
		failed = r.q.fail(ErrLeaseLost, row)
		failed.Cause = cause
		failed.Reason = "the method succeeded, and another call has its claim"
	}
	failed.result, failed.RetryAfter = own, 0 // no invitation to try again
	return failed
}

// afterOther waits, as a duplicate would, while another call runs under the claim this one lost, and returns the row as it is
// then. If the other call lapses, or what it left has expired, its claim is retaken to store the outcome that is there already: else
// the next caller would run again.
func (r *ending) afterOther(ctx context.Context, o *Outcome, row Row) (Row, error) {
	giveUp := time.Now().Add(r.q.maxWait)
	for faster := 0; faster < maxFaster; faster++ {
		switch r.q.successor(row) {
		case successorFinal:
			return row, nil
		case successorRunning:
			if r.q.policy == PolicyConflict {
				return row, nil
			}
			if err := r.e.waitUntil(ctx, giveUp, func(ctx context.Context) error { return r.e.poller.wait(ctx, row) }); err != nil {
				return row, r.e.waitEnded(ctx, giveUp, err)
			}
			faster = -1 // a wait is no race lost
		case successorLapsed:
			taken, _, err := settle(r, r.retaking(row))
			if err != nil {
				return row, err
			}
			row = taken
			r.retaken(o, taken)
		}
		next, err := r.store(o)
		if err != nil {
			return row, err
		}
		row = next
	}
	return row, nil
}

// successor is what became of the row of a call that was overtaken.
type successor uint8

const (
	successorNone    successor = iota // there is none: what it left is gone, or the row is this call's again
	successorLapsed                   // it is over
	successorRunning                  // it is on it
	successorFinal                    // there is nothing to wait for
)

func (q *request) successor(row Row) successor {
	switch {
	case row.State == StateAbsent, row.Owner == q.owner && !row.settled():
		return successorNone
	case q.stored(row):
		return successorFinal
	case row.Expired:
		return successorLapsed
	case row.State != StateRunning || !q.same(row):
		return successorFinal
	case row.Lapsed:
		return successorLapsed
	default:
		return successorRunning
	}
}

// retaking is the step that gets the row of a call that overtook this one and lapsed or expired since.
func (r *ending) retaking(seen Row) func(context.Context) (Row, error) {
	take := r.e.store.TakeOver
	if seen.Expired {
		take = r.e.store.Reclaim
	}
	return func(ctx context.Context) (Row, error) { return take(ctx, r.q.claim(), seen.Owner) }
}

// retaken makes o the outcome of the claim as it was retaken.
func (r *ending) retaken(o *Outcome, taken Row) {
	if taken.Owner == r.q.owner {
		o.Attempt, o.Fence = taken.Attempt, taken.Fence
	}
}

// completeLater goes on storing the outcome, with the lease kept, until it is stored, another call has settled the row, or the
// engine is closed. Fenced says that an overtaking was reported. The caller has the result by then, so the bytes must not share its
// memory.
func (r *ending) completeLater(o Outcome, fenced bool) {
	o.Result = bytes.Clone(o.Result)
	if o.Result == nil {
		o.Result = []byte{}
	}
	taken := r.e.goBackground(func(base context.Context) {
		defer r.lease.stop()
		for {
			got, _, err := settleLater(base, r, true, r.completingOrSmaller(&o))
			switch {
			case err != nil:
				return
			case r.q.stored(got):
				r.report(EventCompleted, got, nil)
				return
			}
			if !fenced {
				r.report(EventFenced, got, nil)
				fenced = true
			}
			if !r.getAgain(base, &o, got) {
				return
			}
		}
	})
	if !taken {
		r.lease.stop()
	}
}

// completingOrSmaller is a step that stores an outcome, or its tombstone where the store does not take it.
func (r *ending) completingOrSmaller(o *Outcome) func(context.Context) (Row, error) {
	return func(ctx context.Context) (Row, error) {
		row, err := r.e.store.Complete(ctx, *o)
		if !r.shrinks(*o, err) {
			return row, err
		}
		stone := tombstone(*o)
		smaller, failed := r.e.store.Complete(ctx, stone)
		if failed != nil {
			return row, err
		}
		r.report(EventCompleteFailed, r.row, err)
		*o = stone
		return smaller, nil
	}
}

// getAgain waits in the background until a call that overtook this one has ended, and retakes what it left; false: there is nothing
// to get.
func (r *ending) getAgain(base context.Context, o *Outcome, row Row) bool {
	switch r.q.successor(row) {
	case successorFinal:
		return false
	case successorRunning: // nobody shuts down for another one's run
		return r.e.poller.wait(r.e.closing, row) == nil || pause(r.e.closing, lastLook) == nil
	case successorLapsed:
		taken, _, err := settleLater(base, r, true, r.retaking(row))
		if err != nil {
			return false
		}
		r.retaken(o, taken)
	}
	return pause(base, firstLook) == nil
}
