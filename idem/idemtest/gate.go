package idemtest

import (
	"context"
	"sync"
	"testing"
	"time"
)

// This file is what tests of concurrent code wait with, so that they need not sleep.

// patience is how long a test waits for what must happen before it fails; nothing waits that long when all is well.
const patience = 30 * time.Second

// Gate holds everybody who enters until it is opened, and lets a test wait until enough have entered.
type Gate struct {
	open     chan struct{}
	openOnce sync.Once

	mu      sync.Mutex
	entered int
	changed chan struct{} // closed, and replaced, at every entry
}

// NewGate makes a closed gate. It opens at the end of the test at the latest, so that a failed test does not hang.
func NewGate(t testing.TB) *Gate {
	g := &Gate{open: make(chan struct{}), changed: make(chan struct{})}
	t.Cleanup(g.Open)
	return g
}

// Enter counts its caller and blocks until the gate is opened, or returns ctx's error when ctx ends first.
func (g *Gate) Enter(ctx context.Context) error {
	g.mu.Lock()
	g.entered++
	close(g.changed)
	g.changed = make(chan struct{})
	g.mu.Unlock()
	select {
	case <-g.open:
		return nil
	default:
	}
	select {
	case <-g.open:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Open lets everybody pass, now and later. Opening an open gate does nothing.
func (g *Gate) Open() { g.openOnce.Do(func() { close(g.open) }) }

// Entered is how many have entered so far, those who passed included.
func (g *Gate) Entered() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.entered
}

// Await blocks until n have entered, and ends the test when that takes too long. Call it from the test's goroutine.
func (g *Gate) Await(t testing.TB, n int) {
	t.Helper()
	timeout := time.NewTimer(patience)
	defer timeout.Stop()
	for {
		g.mu.Lock()
		entered, changed := g.entered, g.changed
		g.mu.Unlock()
		if entered >= n {
			return
		}
		select {
		case <-changed:
		case <-timeout.C:
			t.Fatalf("%d of %d reached the gate within %v", entered, n, patience)
		}
	}
}
