package idem

import (
	"context"
	"time"
)

// This file is a method that has succeeded, or failed for good, under a claim that another call got meanwhile. What became of that call
// decides what this one gets; and should it have come to nothing, its claim is retaken for the outcome that is there already.

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
		return r.final.answer()
	}
}

// otherAnswer is the call's answer when another call has the row: its outcome, if it is one of the same request, because all
// callers of a key get one answer. Else what the method returned goes with the error.
func (r *ending) otherAnswer(ctx context.Context, b body, row Row, cause error) error {
	own, how := b.lost(), "succeeded"
	if r.final != nil {
		own, how = r.final.err, "failed for good"
	}
	var failed *Error
	switch {
	case cause == nil && row.settled() && r.q.same(row):
		switch err := r.e.replay(ctx, r.q, b, row).(type) { //nolint:errorlint // an error that was stored is the answer, whatever it wraps
		case *Error:
			failed = err
		case *StoredError:
			err.lost = func() any { return own }
			return err
		default:
			return err
		}
	default:
		failed = r.q.fail(ErrLeaseLost, row)
		failed.Cause = cause
		failed.Reason = "the method " + how + ", and another call has its claim"
	}
	failed.result, failed.RetryAfter = func() any { return own }, 0 // no invitation to try again
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
