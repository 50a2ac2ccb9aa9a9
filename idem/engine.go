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
	waiter  waiter

	// base ends when the engine is closed: it carries background work. closing ends when it begins to: it carries waits.
	base, closing         context.Context
	stopBase, stopClosing context.CancelFunc
	background            sync.WaitGroup

	mu       sync.Mutex
	closed   bool          // no new calls
	finished bool          // no new background work
	calls    int           // running now
	idle     chan struct{} // closed when closed is set and calls is 0
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
	e := &Engine{store: s, config: c, renewer: newRenewer(s), waiter: poller{s}, idle: make(chan struct{})}
	e.base, e.stopBase = context.WithCancel(context.Background())
	e.closing, e.stopClosing = context.WithCancel(e.base)
	if c.sweepEvery > 0 {
		e.goBackground(e.sweepForever)
	}
	return e, nil
}

// Close refuses new calls (ErrClosed), ends waits (ErrInFlight) and background work, and returns when the latter has ended.
// Methods that are running go on under their leases, and complete; when the last one has returned, the store is closed too if it is an
// io.Closer. An outcome that could not be stored so far stays unstored: use Shutdown to give it time. Closing twice is fine.
func (e *Engine) Close() error {
	e.close()
	e.mu.Lock()
	e.finished = true
	e.mu.Unlock()
	e.stopBase()
	e.background.Wait()
	return nil
}

// Shutdown refuses new calls, ends waits, and waits for running methods and for outcomes that are still to be stored, until
// ctx ends; then it does as Close. It returns ctx's error when something was still going on.
func (e *Engine) Shutdown(ctx context.Context) error {
	e.close()
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

// close marks the engine closed and ends waits and the sweeper.
func (e *Engine) close() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return
	}
	e.closed = true
	e.stopClosing()
	if e.calls == 0 {
		e.rest()
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

// leave counts a call out; the last one of a closed engine closes the store.
func (e *Engine) leave() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.calls--
	if e.closed && e.calls == 0 {
		e.rest()
	}
}

// rest is called with the lock held when no call is running and none will come.
func (e *Engine) rest() {
	close(e.idle)
	if c, ok := e.store.(io.Closer); ok {
		go func() { // background completes may need it a little longer
			e.background.Wait()
			_ = c.Close()
		}()
	}
}

// goBackground runs f beside the calls, with a context that ends when the engine is closed; on a closed engine not at all.
func (e *Engine) goBackground(f func(context.Context)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.finished {
		return
	}
	e.background.Go(func() { f(e.base) })
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
