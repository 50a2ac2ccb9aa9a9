package idem

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"time"
)

// This file lets a method outlive its caller: it runs in a goroutine of its own, in a context that ends one lease after the caller's. The
// caller waits as long as he likes, and gets what he would get without all this; when his context ends he goes, and what the
// goroutine works on from then on is nobody else's.

// detachment is a run beside its caller.
type detachment struct {
	begun chan struct{} // closed when the method, or Recover, is called next
	done  chan struct{} // closed when the run has ended, but for a panic: that ends the process
	// taken by whoever is first: the caller who leaves, or the run that has an answer for him.
	parted atomic.Bool

	// The answer, to be read when done is closed.
	started bool
	err     error
	exited  bool // the method ended its goroutine, so its caller's ends, too
}

// detached runs the method beside the caller, who is let go when ctx ends.
func (s *starting) detached(ctx context.Context) (started bool, err error) {
	d := &detachment{begun: make(chan struct{}), done: make(chan struct{})}
	info, undo := s.q.info, s.c.undo
	own := *s.q
	own.info = new(Info)
	s.q, s.begun = &own, func() { close(d.begun) }
	s.e.enterToo()
	go s.beside(ctx, d, undo)
	select {
	case <-d.begun:
	case <-d.done:
	}
	select {
	case <-d.done:
	case <-ctx.Done():
		if d.parted.CompareAndSwap(false, true) {
			s.e.notify(ctx, own.event(EventDetached, s.a.row))
			return true, own.left(ctx, s.a.row)
		}
		<-d.done
	}
	if d.exited {
		runtime.Goexit()
	}
	*info, s.c.q.owner = *own.info, own.owner // another one's, where a commit was not answered
	return d.started, d.err
}

// beside is the goroutine. Where the method panics, nobody is told and nothing is counted: the process ends with this very panic, and what
// waits for it would only run on into that.
func (s *starting) beside(caller context.Context, d *detachment, undo step) {
	d.exited = true
	defer func() {
		if d.exited && errors.Is(howEnded(), errPanicked) {
			return
		}
		if d.parted.CompareAndSwap(false, true) {
			close(d.done)
		} else if !d.started && !d.exited { // nothing came of it, and the caller, who would try again, has gone
			if undo == nil && s.q.owner != s.c.q.owner { // the row came of asking for a commit that was not answered
				undo = s.e.store.Claim
			}
			(&claiming{e: s.e, q: s.q, undo: undo, open: s.c.open}).giveBack(caller)
		}
		s.e.leave()
	}()
	ctx, cancel := outlive(caller, s.q.lease)
	defer cancel()
	d.started, d.err = s.under(caller, ctx)
	d.exited = false
}

// outlive is a context with ctx's values that ends by after it.
func outlive(ctx context.Context, by time.Duration) (context.Context, context.CancelFunc) {
	longer, end := context.WithoutCancel(ctx), context.CancelFunc(func() {})
	if at, ok := ctx.Deadline(); ok {
		longer, end = context.WithDeadline(longer, at.Add(by))
	}
	longer, cancel := context.WithCancelCause(longer)
	stop := context.AfterFunc(ctx, func() {
		if _, ok := ctx.Deadline(); ok && errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return // its own deadline does it
		}
		later := time.AfterFunc(by, func() { cancel(context.Cause(ctx)) })
		context.AfterFunc(longer, func() { later.Stop() })
	})
	return longer, func() { stop(); cancel(nil); end() }
}

// left is the error of a caller who leaves a method that goes on.
func (q *request) left(ctx context.Context, row Row) *Error {
	err := q.conflict(row)
	err.Reason = "its caller's context ended, and it goes on"
	err.Cause = errors.Join(ctx.Err(), context.Cause(ctx))
	return err
}
