package idem

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// This file stores the outcome of a method that has succeeded, or failed for good (finalends.go). From here on nothing may invite a second
// run: there is no release, the lease is kept until the outcome is stored, and a row that is another's by now decides what the caller gets.

// complete stores the result and makes it, or the outcome that another call stored meanwhile, the call's answer.
func (r *ending) complete(ctx context.Context, b body) error {
	r.lease.settle()
	o, cause := r.outcome(b)
	if cause != nil {
		r.report(EventCompleteFailed, r.row, cause)
	}
	got, err := r.store(&o)
	if err != nil {
		err = r.unstored(o, err)
	} else {
		err = r.settled(ctx, b, o, got)
	}
	if r.e.config.storedResults && !r.q.info.Replayed {
		switch _, ours := err.(*Error); { //nolint:errorlint // not one that the method's error wraps
		case err == nil:
			return r.asStored(b, o)
		case r.final != nil && !ours && o.Codec != codecNone:
			return r.q.storedFinal(b.errorCodec(), Row{State: o.State, Code: o.Code, Codec: o.Codec, Result: o.Result}, false)
		}
	}
	return err
}

// asStored makes what is stored, or goes on being so in the background, the call's result, as later calls will get it.
func (r *ending) asStored(b body, o Outcome) error {
	if o.Codec == codecNone {
		return nil
	}
	own := b.lost()
	cause := b.decode(Row{Codec: o.Codec, Schema: o.Schema, Result: o.Result})
	if cause == nil {
		return nil
	}
	err := r.q.unreadable(r.row, cause)
	err.State, err.result = StateDone, func() any { return own }
	return err
}

// unstored is the answer of a call whose outcome could not be stored yet: the result is real, and the caller gets it. Storing
// goes on without him.
func (r *ending) unstored(o Outcome, cause error) error {
	r.report(EventCompleteFailed, r.row, cause)
	r.completeLater(o, false)
	return r.final.answer()
}

// completeWithout stores that the method has succeeded, without a result; or has failed, without the error's text.
func (r *ending) completeWithout(cause error) {
	r.report(EventCompleteFailed, r.row, cause)
	o := tombstone(r.blank())
	got, err := r.store(&o)
	if err != nil || !r.q.stored(got) {
		r.completeLater(o, false)
		return
	}
	r.lease.stop()
	r.report(EventCompleted, got, r.final.answer())
}

// store sends an outcome until it is answered.
func (r *ending) store(o *Outcome) (Row, error) {
	row, _, err := settle(r, r.completing(o))
	return row, err
}

// completing is the step that stores an outcome. Where the store does not take its result, or not for half the store timeout if
// that may pass, o becomes a tombstone, should that fit: a full disk may still take something small.
func (r *ending) completing(o *Outcome) func(context.Context) (Row, error) {
	var since time.Time // of the first refusal
	return func(ctx context.Context) (Row, error) {
		row, err := r.e.store.Complete(ctx, *o)
		s, ok := errors.AsType[*StoreError](err)
		if !ok || !s.TooMuch || o.Codec == codecNone {
			return row, err
		}
		if since.IsZero() {
			since = time.Now()
		}
		if s.Temporary && time.Since(since) < r.e.config.storeTimeout/2 {
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

// blank is the run's outcome without a result.
func (r *ending) blank() Outcome {
	o := Outcome{Claim: r.q.claim(), Attempt: r.row.Attempt, Fence: r.row.Fence, State: StateDone, TTL: r.q.ttl}
	if r.final != nil {
		o.State, o.Code = StateFailed, r.final.code
	}
	return o
}

// outcome is what the run is completed with: the encoded result, or a tombstone and the reason for it.
func (r *ending) outcome(b body) (o Outcome, cause error) {
	o = r.blank()
	if r.final != nil {
		return r.final.outcome(o, r.q, b.errorCodec(), r.e.config.maxResult)
	}
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

// tombstone is o without its result: done, and later callers are told that the result was not stored; or failed, and they get the code.
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
	r.report(EventCompleted, got, r.final.answer())
	return r.final.answer()
}

// stored reports whether row is settled by this call.
func (q *request) stored(row Row) bool { return row.Owner == q.owner && row.settled() }

func (r Row) settled() bool { return r.State == StateDone || r.State == StateFailed }
