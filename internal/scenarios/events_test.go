package scenarios

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/idemgen/idemgen/idem"
)

// This file is what a stage hears: the events of its engine, and how tests wait for them, or for anything else that must come true.

// events is an observer that remembers.
type events struct {
	mu   sync.Mutex
	seen []idem.Event
}

func (e *events) Observe(_ context.Context, ev idem.Event) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.seen = append(e.seen, ev)
}

// count is how many events of the kind were seen.
func (e *events) count(kind idem.EventKind) (n int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, ev := range e.seen {
		if ev.Kind == kind {
			n++
		}
	}
	return n
}

// kinds are the kinds seen so far, in order.
func (e *events) kinds() (kinds []idem.EventKind) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, ev := range e.seen {
		kinds = append(kinds, ev.Kind)
	}
	return slices.Clip(kinds)
}

// await blocks until n events of the kind were seen.
func (s *stage) await(kind idem.EventKind, n int) {
	s.Helper()
	s.eventually(fmt.Sprintf("%d events %q", n, kind), func() bool { return s.events.count(kind) >= n })
}

// eventually waits for what must become true soon.
func (s *stage) eventually(what string, ok func() bool) {
	s.Helper()
	for deadline := time.Now().Add(20 * time.Second); !ok(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			s.Fatalf("never saw %s; events: %v", what, s.events.kinds())
		}
	}
}

// wantEvents fails the test unless the process has heard exactly these.
func (s *stage) wantEvents(want ...idem.EventKind) {
	s.Helper()
	if got := s.events.kinds(); !slices.Equal(got, want) {
		s.Errorf("the observer heard %q, want %q", got, want)
	}
}
