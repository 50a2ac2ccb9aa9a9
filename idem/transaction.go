package idem

import (
	"context"
	"time"
)

// This file is a run whose effect is in the store's database: method and outcome share a transaction, which is committed when both are there.
// Every other ending is a rollback, and then it is certain that nothing happened: the claim is released.

// maxReruns is how often a method is run again in one call because its transaction was rolled back for reasons of others.
const maxReruns = 8

// verdict is what one try in a transaction came to.
type verdict uint8

const (
	verdictEnded verdict = iota // the call has its answer
	verdictRerun                // undone, because it met another transaction: the method is run again under the same claim
	verdictAgain                // undone, and the row may be another's: back to claim-or-read
)

// runInTransaction runs the method until its transaction is committed, or ended for good. Again is true when all was undone and the
// call is as good as one that never ran.
func (r *ending) runInTransaction(ctx, mctx context.Context, c *claiming, b body) (again bool, err error) {
	r.q.info.Attempt = r.row.Attempt
	for {
		v, err := r.try(ctx, mctx, b)
		switch {
		case v == verdictEnded:
			return false, err
		case c.reruns == maxReruns, v == verdictRerun && pause(mctx, backoff(c.reruns)) != nil:
			r.undone(err)
			return false, err
		case v == verdictRerun && (r.lease == nil || !r.lease.over()):
			c.reruns++
		default:
			c.reruns++
			c.told = false
			if r.lease != nil {
				r.lease.stop()
			}
			return true, nil
		}
	}
}

// try runs the method once in a transaction. With verdictRerun and verdictAgain the error is what the call ends with if it may not go on.
func (r *ending) try(ctx, mctx context.Context, b body) (v verdict, err error) {
	tx, err := r.begin(ctx, mctx)
	if err != nil {
		return verdictEnded, err
	}
	open, returned := true, false
	rollback := func() (undone bool) {
		open = false
		limit, cancel := context.WithTimeout(r.ctx, r.e.config.storeTimeout/3)
		defer cancel()
		return tx.Rollback(limit)
	}
	defer func() {
		switch { // a panic, or the end of the goroutine: in the method, or in a codec
		case returned:
		case open && !rollback():
			r.hold(howEnded())
		default:
			r.undone(nil)
		}
	}()
	err = b.run(tx.Context(mctx))
	if err != nil {
		c := r.e.classify(r.q, err, mctx.Err() != nil || ctx.Err() != nil) // asks methods of the error, whose panic is the run's
		undone := rollback()
		returned = true
		if !undone { // the error says nothing of an effect that the method committed itself
			r.hold(err)
			return verdictEnded, err
		}
		return r.failed(ctx, b, err, c)
	}
	o, cause := r.outcome(b)
	if cause != nil {
		r.report(EventCompleteFailed, r.row, cause)
	}
	v, err = r.commit(ctx, tx, o, func() { rollback() })
	returned = true
	if v == verdictEnded && err == nil && r.e.config.storedResults {
		err = r.asStored(b, o)
	}
	return v, err
}

// begin opens the transaction. Until it is open nothing has happened, so it may be asked for again.
func (r *ending) begin(ctx, mctx context.Context) (Transaction, error) {
	limit, cancel := context.WithTimeout(mctx, r.e.config.storeTimeout)
	defer cancel()
	for n := 0; ; n++ {
		tx, err := once(limit, r.e, func(ctx context.Context) (Transaction, error) { return r.e.transactor.Begin(ctx, r.q.lease) })
		if err == nil {
			return tx, nil
		}
		r.e.notify(r.ctx, r.q.storeEvent(err))
		if _, temporary := storeError(err); temporary && n < maxTries && pause(limit, backoff(n)) == nil {
			continue
		}
		r.undone(err)
		if ctx.Err() != nil {
			return nil, r.q.gaveUp(ctx, r.row)
		}
		return nil, r.q.storeFailed(err)
	}
}

// undone ends a run that is certain to have had no effect.
func (r *ending) undone(cause error) {
	if r.lease != nil {
		r.lease.stop()
	} else if r.row.Owner != r.q.owner { // nothing was claimed, not even to find out about a commit
		r.report(EventRolledBack, r.row, cause)
		return
	}
	r.release(cause)
}

// commit stores the outcome as the transaction's last statement, and commits.
func (r *ending) commit(ctx context.Context, tx Transaction, o Outcome, rollback func()) (verdict, error) {
	complete := tx.Insert
	if r.lease != nil {
		complete = tx.Complete
	}
	got, err := once(r.ctx, r.e, func(ctx context.Context) (Row, error) { return complete(ctx, o) })
	if err != nil {
		rollback()
		return r.notCommitted(err)
	}
	if !r.q.stored(got) {
		rollback()
		r.report(EventRolledBack, r.row, ErrLeaseLost)
		lost := r.q.fail(ErrLeaseLost, got)
		lost.Reason = "another call has its claim, and its effect was rolled back"
		lost.RetryAfter = time.Second
		return verdictAgain, lost
	}
	_, err = once(r.ctx, r.e, func(ctx context.Context) (struct{}, error) { return struct{}{}, tx.Commit(ctx) })
	if err == nil {
		r.committed(got)
		return verdictEnded, nil
	}
	if notApplied, _ := storeError(err); notApplied {
		return r.notCommitted(err)
	}
	r.e.notify(r.ctx, r.q.storeEvent(err))
	return r.resolve(ctx, o, err)
}

// notCommitted is what to do about an error of the store's before the commit, or one by which it refused that.
func (r *ending) notCommitted(err error) (verdict, error) {
	failed := r.q.storeFailed(err)
	notApplied, _ := storeError(err)
	switch {
	case !notApplied:
		r.e.notify(r.ctx, r.q.storeEvent(err))
		return verdictEnded, r.unsure(failed)
	case metAnother(err), aborted(err):
		r.report(EventRolledBack, r.row, err)
		return verdictRerun, failed
	case locked(err): // by another one's insert of the same key, say, which is still to be committed
		r.report(EventRolledBack, r.row, err)
		return verdictAgain, failed
	default:
		r.e.notify(r.ctx, r.q.storeEvent(err))
		r.undone(err)
		return verdictEnded, failed
	}
}

// unsure holds the row of a method that ended its transaction itself: a person has to look what it left.
func (r *ending) unsure(failed *Error) error {
	r.hold(failed)
	failed.Kind, failed.RetryAfter = ErrOutcomeUnknown, 0
	return failed
}

// hold makes the row one that nobody runs again by himself; where nothing was claimed it is claimed for that.
func (r *ending) hold(cause error) {
	if r.lease != nil {
		r.lease.stop()
	} else if row, _, err := settle(r, func(ctx context.Context) (Row, error) { return r.e.store.Claim(ctx, r.q.claim()) }); err == nil {
		r.row = row
	}
	r.abandon(abandonment{hold: true, cause: cause})
}

// committed is the end of a call whose effect and outcome are there.
func (r *ending) committed(got Row) {
	if r.lease != nil {
		r.lease.stop()
	}
	i := r.q.info
	i.Stored = got.Codec != codecNone
	i.Attempt, i.CompletedAt, i.ExpiresAt = got.Attempt, got.CompletedAt, got.ExpiresAt
	r.report(EventCompleted, got, nil)
}

// resolve finds out what became of a commit that was not answered, by taking the row for a new owner: that waits until whoever may still
// commit has done so or never will. The commit itself is never sent again: on another connection it would be that of another transaction.
func (r *ending) resolve(ctx context.Context, o Outcome, cause error) (verdict, error) {
	if r.lease != nil {
		r.lease.hush()
	}
	next := r.q.claim()
	next.Owner = newOwner()
	row, err := r.untilKnown(ctx, func(ctx context.Context) (Row, error) {
		if r.lease == nil {
			return r.e.store.Claim(ctx, next) // whose insert waits for the one that is not committed
		}
		return r.e.transactor.Reown(ctx, next, r.q.owner)
	})
	again := r.q.storeFailed(cause)
	again.Reason = "the database did not answer to the commit, and rolled it back"
	switch {
	case err == nil && r.q.stored(row):
		r.committed(row)
		return verdictEnded, nil
	case err == nil && row.Owner == next.Owner:
		r.report(EventRolledBack, r.row, cause)
		r.row, r.q.owner = row, next.Owner
		return verdictAgain, again
	case err == nil && row.State != StateAbsent && (r.lease == nil || row.Attempt > o.Attempt) && o.TTL > r.patience():
		r.report(EventRolledBack, r.row, cause)
		return verdictAgain, again
	}
	if r.lease != nil {
		r.lease.stop()
	}
	unknown := r.q.fail(ErrOutcomeUnknown, r.row)
	unknown.Cause, unknown.RetryAfter = cause, max(time.Second, r.q.lease)
	unknown.Reason = "the database did not answer to the commit; the same key asked again will tell"
	r.report(EventCompleteFailed, r.row, cause)
	return verdictEnded, unknown
}

// patience is how long the fate of a commit is looked for: a transaction that nobody reaches is ended by the database when it was idle
// for a lease.
func (r *ending) patience() time.Duration { return r.q.lease + r.e.config.storeTimeout }

// untilKnown sends a step until it is answered: for the store timeout, and while the caller waits for a lease longer.
func (r *ending) untilKnown(ctx context.Context, step func(context.Context) (Row, error)) (row Row, err error) {
	began := time.Now()
	limit, cancel := context.WithTimeout(r.ctx, r.patience())
	defer cancel()
	for n := 0; ; n++ {
		if row, _, err = attempt(limit, r, false, step); err == nil {
			return row, nil
		}
		if pause(limit, backoff(n)) != nil || ctx.Err() != nil && time.Since(began) > r.e.config.storeTimeout {
			return row, err
		}
	}
}

// metAnother reports whether a database undid a transaction because of another one: a serialization failure, a deadlock. Both are what it says
// to everybody who asks it to keep transactions apart, and mean: once more.
func metAnother(err error) bool { return anyIn(err, hasState("40001", "40P01")) }

// aborted reports whether a transaction had been aborted before: by an error that the method has kept to itself.
func aborted(err error) bool { return anyIn(err, hasState("25P02")) }

func hasState(states ...string) func(error) bool {
	return func(err error) bool {
		e, ok := err.(interface{ SQLState() string }) //nolint:errorlint // walked one by one
		if !ok {
			return false
		}
		for _, s := range states {
			if e.SQLState() == s {
				return true
			}
		}
		return false
	}
}

// checkTx says why an operation's transaction mode, or a call's transaction, can't be.
func (e *Engine) checkTx(s settings, tx any) (reason string) {
	switch {
	case s.tx != TxJoin && tx != nil:
		return "the call has a transaction, which is for mode join only"
	case s.tx == TxOff:
		return ""
	case e.transactor == nil:
		return "its transaction mode needs a store that is an idem.Transactor, as postgres.Store is"
	case s.tx == TxJoin && tx == nil:
		return "mode join needs the caller's transaction"
	default:
		return e.transactor.CheckTx(s.tx, s.renew)
	}
}
