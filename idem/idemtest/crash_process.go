package idemtest

import (
	"context"
	"fmt"
	"runtime"
	"strconv"
	"sync"

	"github.com/idemgen/idemgen/idem"
)

// This file is a process that can die: the store as one process reaches it, with the one thing that happens to that process. A goroutine can't be
// killed from outside, so it is stopped where it is, and everything that its process sends from then on comes to nothing.

// place is where a process can be disturbed: the n-th time it comes to a step or a point in the service.
type place struct {
	name      string
	nth       int // from 1
	inService bool
}

func (p place) String() string {
	if p.nth == 1 {
		return p.name
	}
	return p.name + " " + strconv.Itoa(p.nth)
}

// manner is what happens to a process at a place.
type manner uint8

const (
	diesBefore    manner = iota // it dies, and the step was not applied
	diesAfter                   // it dies, and the step was applied
	diesLandsLate               // it dies, and the step is applied when others have made the call
	failsOnce                   // the step fails, once
	losesAnswer                 // the step is applied, and fails
	failsLate                   // the step fails, and is applied when others have made the call
	callerLeaves                // the caller goes away
	stalls                      // it stops before the step, for longer than its lease
)

// disturbances are what can happen to a process here.
func (p place) disturbances() []manner {
	switch {
	case p.inService:
		return []manner{diesBefore, callerLeaves}
	case p.name == string(StepComplete):
		return []manner{diesBefore, diesAfter, diesLandsLate, failsOnce, losesAnswer, failsLate, callerLeaves, stalls}
	default:
		return []manner{diesBefore, diesAfter, diesLandsLate, failsOnce, losesAnswer, failsLate, callerLeaves}
	}
}

// disturbance is one thing that happens to a process.
type disturbance struct {
	place
	how manner
}

func (d *disturbance) String() string {
	if d.inService {
		if d.how == callerLeaves {
			return "caller leaves at " + d.place.String()
		}
		return "dies at " + d.place.String()
	}
	return fmt.Sprintf(map[manner]string{
		diesBefore: "dies before %s", diesAfter: "dies after %s", diesLandsLate: "dies and %s lands late",
		failsOnce: "%s fails once", losesAnswer: "the answer to %s is lost", failsLate: "%s fails and lands late",
		callerLeaves: "caller leaves during %s", stalls: "stalls before %s",
	}[d.how], d.place)
}

// process is one process of a world: an idem.Store that dies with it.
type process struct {
	store *Store       // what outlives it
	what  *disturbance // nil: nothing happens to it
	leave func()       // its caller goes away

	stopped chan struct{} // closed when what happens to it has stopped it
	resumed chan struct{} // closed when a stalled one goes on
	end     chan struct{} // closed with the world: who was stopped unwinds, without effect

	mu        sync.Mutex
	dead      bool
	stalled   bool
	happened  bool
	reached   []place
	times     map[string]int
	late      []func()
	takeOvers int
	claims    []idem.Claim
	forever   bool // an outcome was to be kept for good
	completed bool // or for some time
}

type processKey struct{}

func newProcess(store *Store, what *disturbance) *process {
	return &process{
		store: store, what: what, times: map[string]int{},
		stopped: make(chan struct{}), resumed: make(chan struct{}), end: make(chan struct{}),
	}
}

// errDead is what the goroutines of a dead process see when their world has ended.
var errDead = &idem.StoreError{Reason: "the process is dead", NotApplied: true}

// arrive notes that the process came to a place, and says what happens to it there; dead: it came to nothing any more.
func (p *process) arrive(name string, inService bool) (what *disturbance, dead bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.dead {
		return nil, true
	}
	p.times[name]++
	at := place{name, p.times[name], inService}
	p.reached = append(p.reached, at)
	if p.what == nil || p.what.place != at {
		return nil, false
	}
	p.happened = true
	return p.what, false
}

// stop ends or stalls the process. It returns when the world has ended, or when a stalled process goes on: then it is true.
func (p *process) stop(dies bool) (goesOn bool) {
	p.mu.Lock()
	p.dead, p.stalled = dies, !dies
	p.mu.Unlock()
	close(p.stopped)
	select {
	case <-p.end:
		return false
	case <-p.resumed:
		return true
	}
}

// resume lets a stalled process go on.
func (p *process) resume() {
	p.mu.Lock()
	p.stalled = false
	p.mu.Unlock()
	close(p.resumed)
}

// point is a place in the service.
func (p *process) point(name string) {
	what, dead := p.arrive(name, true)
	switch {
	case dead:
		<-p.end
		runtime.Goexit()
	case what == nil:
	case what.how == callerLeaves:
		p.leave()
	default:
		p.stop(true)
		runtime.Goexit()
	}
}

// pass is one step of the process to the store.
func pass[T any](ctx context.Context, p *process, step Step, apply func(context.Context) (T, error)) (answer T, err error) {
	var none T
	what, dead := p.arrive(string(step), false)
	switch {
	case dead:
		<-p.end
		return none, errDead
	case what == nil:
		return apply(ctx)
	}
	switch what.how {
	case diesAfter, losesAnswer, callerLeaves:
		answer, err = apply(ctx)
	case diesLandsLate, failsLate:
		p.mu.Lock()
		p.late = append(p.late, func() { _, _ = apply(context.WithoutCancel(ctx)) })
		p.mu.Unlock()
	case stalls:
		if !p.stop(false) {
			return none, errDead
		}
		return apply(ctx)
	}
	switch what.how {
	case callerLeaves:
		p.leave()
		return answer, err
	case failsOnce, losesAnswer, failsLate:
		return none, &idem.StoreError{Reason: "a test made it fail", Temporary: true}
	default:
		p.stop(true)
		return none, errDead
	}
}

// unplaced is a step at which nothing happens, because it leaves nothing behind that another process would see: what a
// renewal does to the lease, time does too. A dead process does not send it, nor does one that stands still.
func unplaced[T any](p *process, apply func() (T, error)) (answer T, err error) {
	p.mu.Lock()
	dead, stalled := p.dead, p.stalled
	p.mu.Unlock()
	switch {
	case dead:
		<-p.end
		return answer, errDead
	case stalled:
		return answer, &idem.StoreError{Reason: "the process stands still", Temporary: true, NotApplied: true}
	default:
		return apply()
	}
}

// land applies what was kept back.
func (p *process) land() (landed bool) {
	p.mu.Lock()
	late := p.late
	p.late = nil
	p.mu.Unlock()
	for _, apply := range late {
		apply()
	}
	return len(late) > 0
}
