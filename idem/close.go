package idem

import (
	"context"
	"errors"
	"io"
	"time"
)

// This file is the engine's end. Whatever is running is given time to end by itself, then told to end, and never given up by somebody
// else: a claim whose method may still be at work is left to its lease, because giving it up would invite a second run beside it.

const (
	// closeWait is how long Close lets calls and outcomes go on by themselves.
	closeWait = 5 * time.Second
	// lastWait is how long methods that were told to end have, and the giving up of their claims.
	lastWait = time.Second
)

// errCut is why Close says that something was still going on.
var errCut = errors.New("idem: the engine was closed while calls were running, or outcomes were still to be stored")

// Close is Shutdown with five seconds: the error, which may be ignored, says that they were not enough. An Observer must not call it, nor a
// method: they would wait for themselves.
func (e *Engine) Close() error {
	ctx, cancel := context.WithTimeoutCause(context.Background(), closeWait, errCut)
	defer cancel()
	return e.Shutdown(ctx)
}

// Shutdown refuses new calls, and those that have not started their method yet (ErrClosed); it ends waits (ErrInFlight) and sweeps, and
// waits for running methods, detached ones included, and for outcomes that are still to be stored. It returns nil as soon as nothing is
// left to wait for.
//
// When ctx ends before that, it returns ctx's cause, after having ended the rest as far as that can be done without inviting a second run.
// The contexts of running methods end with the cause ErrClosed, and methods that return in the second after that end as in any other
// call: with an error their claims are abandoned, and a success is stored. One that goes on all the same keeps its claim, and
// stores its outcome when it returns; should the process exit first, the lease lapses. An outcome that could not be stored by then stays
// unstored, and its lease lapses, too.
//
// When nothing is running any more the store is closed, if it is an io.Closer. Shutting down twice is fine.
func (e *Engine) Shutdown(ctx context.Context) error {
	e.refuse()
	err := await(ctx, e.idle)
	if err != nil {
		e.stopRuns()
		e.lastCalls()
	}
	e.finish()
	return err
}

// lastCalls gives calls that are still there a moment to end, and what they leave behind.
func (e *Engine) lastCalls() {
	select {
	case <-e.quiet: // there are none
		return
	default:
	}
	ctx, cancel := context.WithTimeout(context.Background(), lastWait)
	defer cancel()
	_ = await(ctx, e.idle)
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
	e.over()
}

// await waits for what ends when c is closed, or returns ctx's cause.
func await(ctx context.Context, c <-chan struct{}) error {
	select {
	case <-c:
		return nil
	default:
	}
	select {
	case <-c:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// finish ends background work, and closes the store unless a call still uses it: then its end does.
func (e *Engine) finish() {
	e.mu.Lock()
	e.finished = true
	e.mu.Unlock()
	e.stopBase()
	e.background.Wait()
	e.mu.Lock()
	last := e.over()
	e.mu.Unlock()
	if last {
		e.closeStore()
	}
}

// endStore closes the store when nothing of the engine's uses it any more: no call, no background work, no renewal.
func (e *Engine) endStore() {
	e.renewer.close()
	e.poller.close()
	if c, ok := e.store.(io.Closer); ok {
		_ = c.Close()
	}
}
