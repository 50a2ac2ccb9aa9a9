package idem

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// This file stores the outcome of a method that has succeeded. From here on nothing may invite a second run: there is no
// release, the lease is kept until the outcome is stored, and a row that is another's by now decides what the caller gets.

// complete stores the result and makes it, or the outcome that another call stored meanwhile, the call's answer.
func (e *Engine) complete(ctx context.Context, q *request, b body, row Row, l *lease, began time.Time) error {
	l.settle()
	o, cause := e.outcome(q, b, row)
	if cause != nil {
		e.completeFailed(ctx, q, row, cause)
	}
	got, err := settle(context.WithoutCancel(ctx), e, q, func(ctx context.Context) (Row, error) { return e.store.Complete(ctx, o) })
	if err != nil && permanent(err) && o.Codec != codecNone { // a full disk may still take something small
		e.completeFailed(ctx, q, row, err)
		small := tombstone(o)
		if stone, again := settle(context.WithoutCancel(ctx), e, q, func(ctx context.Context) (Row, error) { return e.store.Complete(ctx, small) }); again == nil {
			got, err = stone, nil
		}
	}
	if err != nil { // the result is real, and the caller gets it; storing goes on without him
		e.completeFailed(ctx, q, row, err)
		e.completeLater(ctx, q, o, l, began)
		return nil
	}
	defer l.stop()
	return e.settled(ctx, q, b, o, got, began)
}

// outcome is what the run is completed with: the encoded result, or a tombstone and the reason for it.
func (e *Engine) outcome(q *request, b body, row Row) (o Outcome, cause error) {
	o = Outcome{Claim: q.claim(), Attempt: row.Attempt, Fence: row.Fence, State: StateDone, TTL: q.ttl}
	enc, err := b.encode()
	switch {
	case err != nil:
		return tombstone(o), err
	case len(enc.data) > e.config.maxResult:
		return tombstone(o), fmt.Errorf("the result has %d bytes; at most %d are stored", len(enc.data), e.config.maxResult)
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
func (e *Engine) settled(ctx context.Context, q *request, b body, o Outcome, got Row, began time.Time) error {
	if q.stored(got) {
		q.info.Stored = got.Codec != codecNone
		q.info.Attempt, q.info.CompletedAt, q.info.ExpiresAt = got.Attempt, got.CompletedAt, got.ExpiresAt
		e.completed(ctx, q, got, began)
		return nil
	}
	own := b.lost()
	e.fenced(ctx, q, got, began)
	got, err := e.afterOther(ctx, q, o, got)
	switch {
	case err != nil:
	case q.stored(got):
		return e.settled(ctx, q, b, o, got, began)
	case (got.State == StateDone || got.State == StateFailed) && q.same(got):
		// all callers of a key get one answer: the stored one, be it another run's
		if err = e.replay(ctx, q, b, got); err == nil {
			return nil
		}
	}
	return q.leaseLost(got, own, err)
}

// stored reports whether row is settled by this call.
func (q *request) stored(row Row) bool {
	return row.Owner == q.owner && (row.State == StateDone || row.State == StateFailed)
}

// leaseLost says that the method succeeded and another call owns the outcome. It carries what the method returned, and is never an
// invitation to try again with another key.
func (q *request) leaseLost(row Row, result any, cause error) *Error {
	err, ok := errors.AsType[*Error](cause)
	if !ok {
		err = q.fail(ErrLeaseLost, row)
		err.Cause = cause
		err.Reason = "the method succeeded, and another call has its claim"
	}
	err.result, err.RetryAfter = result, 0
	return err
}

// afterOther waits, as a duplicate would, while another call runs under the claim this one lost, and returns the row as it is then. If
// the other call lapses, its claim is taken over to store the outcome that is there already.
func (e *Engine) afterOther(ctx context.Context, q *request, o Outcome, row Row) (Row, error) {
	giveUp := time.Now().Add(q.maxWait)
	complete := func(ctx context.Context) (Row, error) { return e.store.Complete(ctx, o) }
	for range maxFaster {
		switch {
		case row.State == StateAbsent:
		case row.State != StateRunning || !q.same(row) || q.stored(row):
			return row, nil
		case row.Lapsed:
			seen := row.Owner
			taken, err := settle(context.WithoutCancel(ctx), e, q, func(ctx context.Context) (Row, error) { return e.store.TakeOver(ctx, q.claim(), seen) })
			if err != nil {
				return row, err
			}
			o.Attempt, o.Fence = taken.Attempt, taken.Fence
		case q.policy == PolicyConflict:
			return row, nil
		default:
			if err := e.waitUntil(ctx, row, giveUp); err != nil {
				return row, err
			}
		}
		next, err := settle(context.WithoutCancel(ctx), e, q, complete)
		if err != nil {
			return row, err
		}
		row = next
	}
	return row, nil
}

// completeLater goes on storing the outcome, with the lease kept, until it is stored, another call has the row, or the
// engine is closed.
func (e *Engine) completeLater(ctx context.Context, q *request, o Outcome, l *lease, began time.Time) {
	ctx = context.WithoutCancel(ctx)
	e.goBackground(func(base context.Context) {
		defer l.stop()
		for try := 0; pause(base, backoff(try)) == nil; try++ {
			got, err := once(base, e, func(ctx context.Context) (Row, error) { return e.store.Complete(ctx, o) })
			switch {
			case err != nil:
				e.notify(ctx, q.storeEvent(err))
				continue
			case q.stored(got):
				e.completed(ctx, q, got, began)
			default:
				e.fenced(ctx, q, got, began)
			}
			return
		}
	})
}

func (e *Engine) completed(ctx context.Context, q *request, row Row, began time.Time) {
	ev := q.event(EventCompleted, row)
	ev.Duration = time.Since(began)
	e.notify(context.WithoutCancel(ctx), ev)
}

func (e *Engine) completeFailed(ctx context.Context, q *request, row Row, cause error) {
	ev := q.event(EventCompleteFailed, row)
	ev.Err = cause
	e.notify(context.WithoutCancel(ctx), ev)
}

func (e *Engine) fenced(ctx context.Context, q *request, row Row, began time.Time) {
	ev := q.event(EventFenced, row)
	ev.Duration = time.Since(began)
	e.notify(context.WithoutCancel(ctx), ev)
}
