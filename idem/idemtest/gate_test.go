package idemtest

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
)

func TestGate_HoldsUntilOpened(t *testing.T) {
	t.Parallel()
	g, passed := NewGate(t), make(chan error)
	for range 3 {
		go func() { passed <- g.Enter(t.Context()) }()
	}
	g.Await(t, 3)
	select {
	case <-passed:
		t.Error("a closed gate let somebody pass")
	default:
	}
	g.Open()
	g.Open()
	for range 3 {
		if err := <-passed; err != nil {
			t.Error(err)
		}
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if err := g.Enter(over); err != nil {
		t.Errorf("an open gate did not let somebody pass: %v", err)
	}
	if n := g.Entered(); n != 4 {
		t.Errorf("entered = %d, want 4", n)
	}
}

func TestGate_LetsGoWhenTheContextEnds(t *testing.T) {
	t.Parallel()
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if err := NewGate(t).Enter(over); !errors.Is(err, context.Canceled) {
		t.Errorf("error = %v, want the context's", err)
	}
}

func TestGate_OpensAtTheEndOfTheTest(t *testing.T) {
	t.Parallel()
	passed := make(chan error, 1)
	t.Run("a test that leaves it closed", func(t *testing.T) {
		g := NewGate(t)
		go func() { passed <- g.Enter(context.Background()) }()
		g.Await(t, 1)
	})
	if err := <-passed; err != nil {
		t.Error(err)
	}
}

func TestCallers_AreAllThereBeforeOneStarts(t *testing.T) {
	t.Parallel()
	NoLeaks(t)
	var meet, sum atomic.Int64
	Callers(t, 8, func(i int) {
		for meet.Add(1); meet.Load() < 8; { // returns only if all eight run at once
			runtime.Gosched()
		}
		sum.Add(int64(i))
		if i == 3 {
			runtime.Goexit()
		}
	})
	if sum.Load() != 28 {
		t.Errorf("sum = %d, want 28", sum.Load())
	}
}

// verdict is a test whose failure is wanted.
type verdict struct {
	jury
	cleanups []func()
}

func (v *verdict) Cleanup(f func()) { v.cleanups = append(v.cleanups, f) }

// end runs the clean-ups and returns the first complaint.
func (v *verdict) end() string {
	for len(v.cleanups) > 0 {
		last := len(v.cleanups) - 1
		f := v.cleanups[last]
		v.cleanups = v.cleanups[:last]
		f()
	}
	return v.first
}

func TestNoLeaks_TellsAGoroutineThatStays(t *testing.T) {
	t.Parallel()
	v, stay, grandchild := &verdict{jury: jury{TB: t}}, make(chan struct{}), make(chan struct{})
	go func() { <-stay }() // before the call: not the test's
	noLeaks(v, 1)
	go func() {
		go func() {
			close(grandchild)
			<-stay
		}()
	}()
	<-grandchild
	complaint := v.end()
	if n := strings.Count(complaint, "TestNoLeaks_TellsAGoroutineThatStays.func"); n == 0 || !strings.Contains(complaint, "1 @") {
		t.Errorf("complaint = %q, want the one goroutine's stack", complaint)
	}
	close(stay)
}

func TestNoLeaks_WaitsForThoseThatEnd(t *testing.T) {
	t.Parallel()
	v, stop, stopped := &verdict{jury: jury{TB: t}}, make(chan struct{}), make(chan struct{})
	NoLeaks(v)
	v.Cleanup(func() { close(stop) }) // later clean-ups run first
	go func() {
		defer close(stopped)
		<-stop
		for range 1000 {
			runtime.Gosched()
		}
	}()
	if complaint := v.end(); complaint != "" {
		t.Error(complaint)
	}
	<-stopped
}
