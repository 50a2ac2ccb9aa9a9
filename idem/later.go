package idem

import (
	"bytes"
	"context"
)

// This file goes on storing an outcome when its caller has gone on with it, or has been told that another call overtook him.

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
		complete := r.completing(&o)
		for {
			got, _, err := settleLater(base, r, true, complete)
			switch {
			case err != nil:
				return
			case r.q.stored(got):
				r.report(EventCompleted, got, r.final.answer())
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
