package idem

import "context"

// This file asks before a method is run again: an earlier run that lapsed may have had its effect, and under TakeoverRecover the
// call can find out. What it finds is the outcome; only what has not happened is run.

// asks reports whether Recover is asked before the method. After a reclaim it is not: what was there has expired, and this is attempt 1.
func (r *ending) asks() bool { return r.q.takeover == TakeoverRecover && r.row.Attempt > 1 }

// recovered is the run of a call whose effect has happened already: it reports that, and the result is what Recover found.
func (r *ending) recovered(context.Context) error {
	r.q.info.Recovered = true
	r.e.notify(r.ctx, r.q.event(EventRecovered, r.row))
	return nil
}

// unanswered ends a call that could not find out. Nothing was run, and nothing is known: the next caller asks again. However the error
// is marked, it says nothing about the effect, but only about the question.
func (r *ending) unanswered(cause error) {
	r.lease.stop()
	r.abandon(abandonment{cause: cause})
}
