package idem

import (
	"context"
	"errors"
	"io"
	"sync"
)

// This file is the engine's life: made, counted in and out by its calls, shut down. What a call does is in do.go.

// Engine runs operations against one Store. It is safe for use by any number of goroutines; one for a process is enough.
type Engine struct {
	store   Store
	config  config
	renewer *renewer
	poller  *poller

	// base ends when the engine is closed: it carries background work. closing ends when it begins to: it carries waits.
	base, closing         context.Context
	stopBase, stopClosing context.CancelFunc
	background            sync.WaitGroup

	mu          sync.Mutex
	closed      bool          // no new calls, and none of those that have not started their method
	finished    bool          // no new background work
	drained     bool          // and what there was has ended
	storeClosed bool          // or left open, where it can't be closed
	calls       int           // running now
	idle        chan struct{} // closed when closed is set and calls is 0
}

// New makes an engine. Its background work (renewing, and sweeping when WithSweep is given) ends with Close or Shutdown.
// A nil store and options out of range are errors.
func New(s Store, opts ...Option) (*Engine, error) {
	if s == nil {
		return nil, errors.New("idem: New needs a store")
	}
	c := defaults()
	for _, o := range opts {
		if err := o(&c); err != nil {
			return nil, err
		}
	}
	e := &Engine{store: s, config: c, renewer: newRenewer(s), poller: newPoller(s, c.storeTimeout/3), idle: make(chan struct{})}
	e.base, e.stopBase = context.WithCancel(context.Background())
	e.closing, e.stopClosing = context.WithCancel(e.base)
	if c.sweepEvery > 0 {
		e.goBackground(e.sweepForever)
	}
	return e, nil
}

// Close refuses new calls, and those that have not started their method yet (ErrClosed); it ends waits (ErrInFlight) and
// background work, and returns when the latter has ended. Methods that are running go on under their leases, and complete. When
// none is running any more, the store is closed too if it is an io.Closer. An outcome that could not be stored so far stays unstored:
// use Shutdown to give it time. Closing twice is fine. An Observer must not call it.
func (e *Engine) Close() error {
	e.refuse()
	e.mu.Lock()
	e.finished = true
	e.mu.Unlock()
	e.stopBase()
	e.background.Wait()
	e.mu.Lock()
	e.drained = true
	e.mu.Unlock()
	e.closeStore()
	return nil
}

// Shutdown refuses new calls and ends waits as Close does, waits for running methods and for outcomes that are still to be
// stored, until ctx ends, and then does as Close. It returns ctx's cause when something was still going on.
func (e *Engine) Shutdown(ctx context.Context) error {
	e.refuse()
	done := make(chan struct{})
	go func() {
		<-e.idle
		e.background.Wait()
		close(done)
	}()
	defer e.Close()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// refuse lets no call start any more, and ends waits and the sweeper.
func (e *Engine) refuse() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return
	}
	e.closed = true
	e.stopClosing()
	if e.calls == 0 {
		close(e.idle)
	}
}

// enter counts a call in, unless the engine is closed.
func (e *Engine) enter() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return false
	}
	e.calls++
	return true
}

// leave counts a call out. The last one of a closed engine closes the store.
func (e *Engine) leave() {
	e.mu.Lock()
	e.calls--
	last := e.closed && e.calls == 0
	if last {
		close(e.idle)
	}
	last = last && e.drained
	e.mu.Unlock()
	if last {
		e.closeStore()
	}
}

// closeStore closes the store once nothing of the engine's uses it: no call, no background work, no renewal.
func (e *Engine) closeStore() {
	e.mu.Lock()
	now := e.drained && e.calls == 0 && !e.storeClosed
	e.storeClosed = e.storeClosed || now
	e.mu.Unlock()
	if !now {
		return
	}
	e.renewer.close()
	e.poller.close()
	if c, ok := e.store.(io.Closer); ok {
		_ = c.Close()
	}
}

// goBackground runs f beside the calls, with a context that ends when the engine is closed. On a closed engine it does not,
// and says so.
func (e *Engine) goBackground(f func(context.Context)) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.finished {
		return false
	}
	e.background.Go(func() { f(e.base) })
	return true
}

// notify tells the observers. Watching must not change what happens, so their panics end here.
func (e *Engine) notify(ctx context.Context, ev Event) {
	for _, o := range e.config.observers {
		func() {
			defer func() { _ = recover() }()
			o.Observe(ctx, ev)
		}()
	}
}
