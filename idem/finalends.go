package idem

import (
	"context"
	"errors"
	"fmt"
)

// This file is the end of a run whose error is the outcome, and the call that gets such an outcome. Storing it goes the way of a result
// (complete.go): fenced, with the lease kept, in the background when the store is away. The caller has his own error, unchanged, unless
// another call's outcome is the one that counts.

// finalError is an error that is the outcome.
type finalError struct {
	err  error
	code string
}

// answer is what the run's own caller gets: the method's error, unchanged; nil where there is none.
func (f *finalError) answer() error {
	if f == nil {
		return nil
	}
	return f.err
}

// completeFinal stores the error, and makes it, or the outcome that another call stored meanwhile, the call's answer.
func (r *ending) completeFinal(ctx context.Context, b body, err error) error {
	r.final = &finalError{err, codeFinal}
	settled := false
	defer func() {
		if !settled { // something ended the goroutine while the outcome was stored, say a method of the error
			r.completeWithout(errors.New("the call was ended before its outcome was stored"))
		}
	}()
	r.final.code = codeOf(r.q.finalRules(), err)
	err = r.complete(ctx, b)
	settled = true
	return err
}

// outcome is o with the error, or as much of it as can be stored; cause says why that is not all.
func (f *finalError) outcome(o Outcome, q *request, c ErrorCodec, limit int) (_ Outcome, cause error) {
	w := &errorWriter{rules: q.finalRules(), ref: q.ref}
	name, data, whole, err := encodeError(c, q.ref, w.whole(f.err), limit)
	switch {
	case err != nil:
		return tombstone(o), err
	case data == nil:
		return tombstone(o), fmt.Errorf("the error does not fit into %d bytes, which is what is stored at most", limit)
	case !whole:
		cause = fmt.Errorf("the error is longer than the %d bytes that are stored at most", limit)
	default:
		cause = w.lost
	}
	o.Codec, o.Schema, o.Result = name, []byte{}, data
	return o, cause
}

// replayFinal is the error that the row holds.
func (q *request) replayFinal(c ErrorCodec, row Row) error {
	err := q.storedFinal(c, row, true)
	if _, readable := err.(*StoredError); readable && row.Codec != codecNone { //nolint:errorlint // one of ours
		q.info.Stored = true
	}
	return err
}

// storedFinal is the error that the row holds, for one who was not the first, or who wants to see what those get.
func (q *request) storedFinal(c ErrorCodec, row Row, replayed bool) error {
	if row.Codec == codecNone {
		return withoutText(q.finalRules(), row.Code, replayed)
	}
	name, data, err := decodeError(c, q.ref, row)
	switch {
	case err != nil:
		return q.unreadable(row, err)
	case name != codecError:
		err := q.fail(ErrUnreadable, row)
		err.Reason = "it is an error, stored in a form that this program does not know"
		return err
	}
	e, err := readError(q.finalRules(), q.ref, row.Code, data, replayed)
	if err != nil {
		damaged := q.fail(ErrUnreadable, row)
		damaged.Reason, damaged.Cause = "it is an error, and what is stored of it is damaged", err
		return damaged
	}
	return e
}
