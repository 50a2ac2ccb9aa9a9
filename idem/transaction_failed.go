package idem

import "context"

// This file is a method that returned an error in a transaction of the engine's, which was rolled back: nothing has happened. What is left to
// decide is whether it runs again, and whether the error is the outcome: that is stored apart, because the transaction is gone.

// failed ends a run whose method returned err, of class c, after the rollback.
func (r *ending) failed(ctx context.Context, b body, err error, c class) (verdict, error) {
	switch {
	case metAnother(err):
		r.report(EventRolledBack, r.row, err)
		return verdictRerun, err
	case c == final && r.lease != nil:
		return verdictEnded, r.completeFinal(ctx, b, err)
	case c == final:
		return r.completeFinalApart(b, err)
	default:
		r.undone(err)
		return verdictEnded, err
	}
}

// completeFinalApart stores a final error of a run that had no claim, under one that is made for it. Where it can't be stored the caller has
// his error all the same, and a retry may run: there was no effect. Where another call has the key by now, its outcome is the one that counts.
func (r *ending) completeFinalApart(b body, err error) (verdict, error) {
	q := r.q
	r.final = &finalError{err, codeOf(q.finalRules(), err)}
	claimed, _, failed := settle(r, func(ctx context.Context) (Row, error) { return r.e.store.Claim(ctx, q.claim()) })
	if failed == nil && claimed.Owner != q.owner {
		r.report(EventRolledBack, r.row, err)
		return verdictAgain, err
	}
	var got Row
	var o Outcome
	if failed == nil {
		var cause error
		r.row = claimed
		if o, cause = r.outcome(b); cause != nil {
			r.report(EventCompleteFailed, r.row, cause)
		}
		got, failed = r.store(&o)
	}
	switch {
	case failed != nil:
		r.report(EventCompleteFailed, r.row, failed)
		r.abandon(abandonment{expire: true, cause: err}) // also of a claim that is still on its way
		return verdictEnded, err
	case !q.stored(got):
		r.report(EventRolledBack, r.row, err)
		return verdictAgain, err
	}
	r.committed(got)
	if r.e.config.storedResults && o.Codec != codecNone {
		return verdictEnded, q.storedFinal(b.errorCodec(), Row{State: o.State, Code: o.Code, Codec: o.Codec, Result: o.Result}, false)
	}
	return verdictEnded, err
}
