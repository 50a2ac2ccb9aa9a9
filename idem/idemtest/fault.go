package idemtest

import (
	"context"
	"sync"

	"github.com/idemgen/idemgen/idem"
)

// This file is how a test says what shall go wrong, in a Store and in a Cut: which calls are hit, and what happens to them.

// Action is what a fault does to a call.
type Action uint8

// The actions. "The call" is a step of a Store, or one round trip through a Cut.
const (
	// Refuse: the call fails, and nothing was applied.
	Refuse Action = iota
	// LoseAnswer: the call is applied, and fails all the same.
	LoseAnswer
	// ApplyLate: the call fails, and is applied when the test calls Injection.Land.
	ApplyLate
	// Delay: the call waits at Gate, and then is applied and answered.
	Delay
	// DelayAnswer: the call is applied, and its answer waits at Gate.
	DelayAnswer
	// LoseLast: the call is applied and answered but for its last statement (the commit of a batch), and fails. In a Store, whose
	// steps are whole, it is LoseAnswer.
	LoseLast
	// Split: the call is carried out up to the statement that is hit, and its rest waits at Gate. In a Store it is DelayAnswer.
	Split
	// Break: the call is carried out up to the statement that is hit, and its connection is cut, so that it is undone. In a Store it is Refuse.
	Break
)

// Always is the Times of a fault that goes on until it is stopped.
const Always = -1

// Fault says what shall go wrong. The zero Fault refuses one call.
type Fault struct {
	Do    Action
	Skip  int // how many calls to let pass first
	Times int // how many calls to hit; 0 means one. See Always
	// Gate holds every call that is hit before Refuse, ApplyLate and Delay do their part, after LoseAnswer, LoseLast and
	// DelayAnswer have applied it, and in the middle of Split and Break: with LoseAnswer, a gate that is never opened is a black hole. nil: no waiting.
	// A call whose context ends at the gate fails with that.
	Gate *Gate
	// ID hits only calls that concern this row; the zero ID hits all. For a Store only.
	ID idem.ID
	// Err is what the call fails with; nil means a temporary *idem.StoreError that does not say whether the step was applied. For a Store only.
	Err error
}

// Injection is a fault at work. Its methods may be called from any goroutine.
type Injection struct {
	fault Fault

	mu   sync.Mutex
	skip int
	left int // negative: without end
	hits int
	late []func() bool
}

// Hits is how many calls the fault took effect on. A test whose fault never hit anything shows nothing: assert it.
func (i *Injection) Hits() int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.hits
}

// Land applies what ApplyLate kept back, in the order of the calls, and returns how many were applied. That is fewer where one
// fails, or its connection has ended by now.
func (i *Injection) Land() int {
	i.mu.Lock()
	late := i.late
	i.late = nil
	i.mu.Unlock()
	landed := 0
	for _, apply := range late {
		if apply() {
			landed++
		}
	}
	return landed
}

// Stop ends the fault: it hits no further calls.
func (i *Injection) Stop() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.left = 0
}

// take reports whether the fault hits a call that it is asked about.
func (i *Injection) take() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	switch {
	case i.left == 0:
		return false
	case i.skip > 0:
		i.skip--
		return false
	case i.left > 0:
		i.left--
	}
	return true
}

func (i *Injection) hit() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.hits++
}

func (i *Injection) keep(apply func() bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.late = append(i.late, apply)
}

// pass waits at the gate, if there is one.
func (i *Injection) pass(ctx context.Context) error {
	if i.fault.Gate == nil {
		return nil
	}
	return i.fault.Gate.Enter(ctx)
}

// err is what a call fails with.
func (i *Injection) err() error {
	if i.fault.Err != nil {
		return i.fault.Err
	}
	return &idem.StoreError{Reason: "a test made it fail", Temporary: true}
}

// faults are the injections of one place, M being what says which calls each concerns.
type faults[M any] struct {
	mu   sync.Mutex
	list []injected[M]
}

type injected[M any] struct {
	*Injection
	match M
}

func (f *faults[M]) inject(match M, fault Fault) *Injection {
	i := &Injection{fault: fault, skip: fault.Skip, left: fault.Times}
	if fault.Times == 0 {
		i.left = 1
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.list = append(f.list, injected[M]{i, match})
	return i
}

// take returns the injection that hits a call, or nil. Those that concern the call are asked in the order in which they
// were injected; one that comes later does not see (nor count as skipped) what an earlier one hit.
func (f *faults[M]) take(concerns func(M, Fault) bool) *Injection {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, i := range f.list {
		if concerns(i.match, i.fault) && i.take() {
			return i.Injection
		}
	}
	return nil
}
