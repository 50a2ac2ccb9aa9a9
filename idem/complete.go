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
	got, err := r.store(o)
	if tooMuch(err) && o.Codec != codecNone { // a full disk may still take something small
		r.report(EventCompleteFailed, r.row, err)
		if stone, again := r.store(tombstone(o)); again == nil {
			got, err = stone, nil
		}
	}
	if err != nil {
		return r.unstored(o, err)
	}
	return r.settled(ctx, b, o, got)
}

// unstored is the answer of a call whose outcome could not be stored yet: the result is real, and the caller gets it. Storing
// goes on without him.
func (r *ending) unstored(o Outcome, cause error) error {
	r.report(EventCompleteFailed, r.row, cause)
	r.completeLater(o)
	return nil
}

// completeWithout stores that the method has succeeded, without a result.
func (r *ending) completeWithout(cause error) {
	defer r.lease.stop()
	r.report(EventCompleteFailed, r.row, cause)
	if got, err := r.store(tombstone(r.blank())); err == nil && r.q.stored(got) {
		r.report(EventCompleted, got, nil)
	}
}

// store sends an outcome until it is answered.
func (r *ending) store(o Outcome) (Row, error) {
	row, _, err := settle(r, func(ctx context.Context) (Row, error) { return r.e.store.Complete(ctx, o) })
	return row, err
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
		row, retaken, err := r.afterOther(ctx, &o, got)
		if err != nil && retaken { // the claim is this call's again, and waits for its outcome
			return r.unstored(o, err)
		}
		if err != nil || !q.stored(row) {
			defer r.lease.stop()
			return r.otherAnswer(ctx, b, row, err)
		}
		got = row
	}
	defer r.lease.stop()
	q.info.Stored = got.Codec != codecNone
	q.info.Attempt, q.info.CompletedAt, q.info.ExpiresAt = got.Attempt, got.CompletedAt, got.ExpiresAt
	r.report(EventCompleted, got, nil)
	return nil
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
func (r *ending) afterOther(ctx context.Context, o *Outcome, row Row) (_ Row, retaken bool, err error) {
	giveUp := time.Now().Add(r.q.maxWait)
	for faster := 0; faster < maxFaster; faster++ {
		switch r.q.successor(row) {
		case successorFinal:
			return row, retaken, nil
		case successorRunning:
			if err := r.e.waitUntil(ctx, giveUp, func(ctx context.Context) error { return r.e.poller.wait(ctx, row) }); err != nil {
				return row, retaken, r.e.waitEnded(ctx, err)
			}
			faster = -1 // a wait is no race lost
		case successorLapsed:
			taken, err := r.retake(row)
			if err != nil {
				return row, retaken, err
			}
			retaken = taken.Owner == r.q.owner
			o.Attempt, o.Fence = taken.Attempt, taken.Fence
		}
		next, err := r.store(*o)
		if err != nil {
			return row, retaken, err
		}
		row = next
	}
	return row, retaken, nil
}

// successor is what became of the row of a call that was overtaken.
type successor uint8

const (
	successorGone    successor = iota // what it left is gone: released, say
	successorLapsed                   // or is over
	successorRunning                  // it is on it
	successorFinal                    // there is nothing to wait for
)

func (q *request) successor(row Row) successor {
	switch {
	case row.State == StateAbsent:
		return successorGone
	case q.stored(row):
		return successorFinal
	case row.Expired:
		return successorLapsed
	case row.State != StateRunning || !q.same(row):
		return successorFinal
	case row.Lapsed:
		return successorLapsed
	case q.policy == PolicyConflict:
		return successorFinal
	default:
		return successorRunning
	}
}

// retake gets the row of a call that overtook this one and lapsed or expired since, or finds out who has it.
func (r *ending) retake(seen Row) (Row, error) {
	take := r.e.store.TakeOver
	if seen.Expired {
		take = r.e.store.Reclaim
	}
	row, _, err := settle(r, func(ctx context.Context) (Row, error) { return take(ctx, r.q.claim(), seen.Owner) })
	return row, err
}

// completeLater goes on storing the outcome, with the lease kept, until it is stored, another call has the row, or the
// engine is closed. The caller has the result by then, so the bytes must not share its memory.
func (r *ending) completeLater(o Outcome) {
	o.Result = bytes.Clone(o.Result)
	if o.Result == nil {
		o.Result = []byte{}
	}
	taken := r.e.goBackground(func(base context.Context) {
		defer r.lease.stop()
		for try := 0; pause(base, backoff(try)) == nil; try++ {
			got, err := once(base, r.e, func(ctx context.Context) (Row, error) { return r.e.store.Complete(ctx, o) })
			switch {
			case err != nil:
				r.e.notify(r.ctx, r.q.storeEvent(err))
				continue
			case r.q.stored(got):
				r.report(EventCompleted, got, nil)
			default:
				r.report(EventFenced, got, nil)
			}
			return
		}
	})
	if !taken {
		r.lease.stop()
	}
}
