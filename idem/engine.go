package idem

import (
	"context"
	"errors"
	"sync"
)

// This file is the engine's life: made, and counted in and out by its calls. Its end is in close.go, what a call does in do.go.

// Engine runs operations against one Store. It is safe for use by any number of goroutines; one for a process is enough.
type Engine struct {
	store   Store
	config  config
	renewer *renewer
	poller  *poller
	// transactor is the store, where it is one.
	transactor Transactor

	// closing ends when the engine begins to close: it carries waits. runs ends when what is running then has had its time: it cancels
	// methods. base ends last: it carries background work.
	closing, runs, base             context.Context
	stopClosing, stopRuns, stopBase context.CancelFunc

	background sync.WaitGroup
	closeStore func() // once

	mu       sync.Mutex
	closed   bool          // no new calls, and none of those that have not started their method
	finished bool          // no new background work
	calls    int           // now, and methods that outlive theirs
	works    int           // of background work, now
	quiet    chan struct{} // closed when closed is set and calls is 0
	idle     chan struct{} // closed when that is so, and works is 0
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
	e := &Engine{store: s, config: c, renewer: newRenewer(s), poller: newPoller(s, c.storeTimeout/3)}
	e.quiet, e.idle = make(chan struct{}), make(chan struct{})
	e.transactor, _ = s.(Transactor)
	e.base, e.stopBase = context.WithCancel(context.Background())
	e.runs, e.stopRuns = context.WithCancel(e.base)
	e.closing, e.stopClosing = context.WithCancel(e.runs)
	e.closeStore = sync.OnceFunc(e.endStore)
	if c.sweepEvery > 0 {
		e.goBackground(e.sweepForever)
	}
	return e, nil
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

// enterToo counts in what may outlive a call that is counted.
func (e *Engine) enterToo() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.calls++
}

// leave counts out what enter counted in.
func (e *Engine) leave() { e.out(&e.calls) }

// out counts out. The last one of an engine that has finished closes the store.
func (e *Engine) out(n *int) {
	e.mu.Lock()
	*n--
	last := e.over() && e.finished
	e.mu.Unlock()
	if last {
		e.closeStore()
	}
}

// over tells those who wait for the end of a closed engine how far it has come, and reports whether nothing goes on any more. Under the lock.
func (e *Engine) over() bool {
	if !e.closed || e.calls > 0 {
		return false
	}
	shut(e.quiet)
	if e.works > 0 {
		return false
	}
	shut(e.idle)
	return true
}

// shut closes c unless it is closed.
func shut(c chan struct{}) {
	select {
	case <-c:
	default:
		close(c)
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
	e.works++
	e.background.Go(func() {
		defer e.out(&e.works)
		f(e.base)
	})
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
