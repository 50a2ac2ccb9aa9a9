package idemtest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/idemgen/idemgen/idem"
)

// This file is one world of a walk: a first process that something happens to, others that make the same call after it, and the time that
// passes between them.

// world is one world.
type world struct {
	testing.TB
	*walk
	Scenario
	store     *Store
	processes []*caller
	trail     trail
	agreed    *answer // what the first caller with a result got
	refusal   string  // the text of a stored error
}

// caller is a process with its engine and the call that it makes.
type caller struct {
	*process
	name   string
	engine *idem.Engine
	call   func(context.Context) (any, error)
	ctx    context.Context
	got    chan answer // of the call that is under way
}

// answer is what a call came to.
type answer struct {
	value any
	err   error
	gone  bool // its goroutine ended
	stops bool // its process was stopped, and there is none (yet)
}

// undisturbed lets one call be, and says where it can be disturbed.
func (w *walk) undisturbed(t testing.TB) []place {
	x := w.open(t)
	defer x.close()
	a := x.process(nil)
	got := x.make(a)
	var failed *idem.Error
	switch {
	case errors.As(got.err, &failed) && errors.Is(failed, idem.ErrBadOperation):
		t.Fatalf("the operation can't run on the store in memory, and so not be walked: %v\n(what has a transaction mode is tested on its own database)", failed)
	case len(a.claims) == 0:
		t.Fatalf("the call made no claim (%v): is its method skipped, or called past the wrapper?", got.err)
	case errors.As(got.err, &failed) && failed.Operation == a.claims[0].Ref.Operation:
		t.Fatalf("the undisturbed call fails: %v", failed)
	}
	w.base = baseline{operation: a.claims[0].Ref.Operation, id: a.claims[0].ID, succeeds: got.err == nil}
	places := append([]place(nil), a.reached...)
	switch n := x.Effects(); {
	case got.err == nil && n != 1:
		t.Fatalf("after one undisturbed call that succeeded Effects is %d, want 1: the service has its effect more than once, or counts something else", n)
	case n < 0 || n > 1:
		t.Fatalf("after one undisturbed call Effects is %d, want 0 or 1", n)
	}
	if wrong := x.consistent(a, got); wrong != "" {
		t.Fatal(wrong)
	}
	x.row("process 1", "undisturbed", x.say(got), true)
	x.rest(a)
	w.base.once = a.claims[0].Keep == 0 && a.completed && !a.forever
	x.followers()
	return places
}

// disturbed lets one thing happen to the first process, and perhaps one to the second, and says where the second can be disturbed.
func (w *walk) disturbed(t testing.TB, first, second *disturbance) []place {
	w.points++
	x := w.open(t)
	defer x.close()
	a := x.process(first)
	got := x.make(a)
	switch {
	case got.stops:
		x.row("process 1", first.String(), "stopped, "+x.count(), true)
	case !a.happened:
		x.row("process 1", first.String(), x.say(got)+"; it did not come there", true)
		x.rest(a)
	default:
		x.judgeFirst(first, got)
		x.rest(a)
	}
	b := x.next(second)
	if second == nil && first.how == stalls && got.stops {
		x.resume(a)
	}
	if a.land() {
		x.row("process 1", "the late step lands", "landed", true)
		x.same()
	}
	x.followers()
	return b.reached
}

// open makes a world.
func (w *walk) open(t testing.TB) *world {
	x := &world{TB: t, walk: w, Scenario: w.world(t), store: NewStore()}
	x.store.StopClock()
	if x.Start == nil || x.Effects == nil {
		t.Fatal("the Scenario needs Start and Effects")
	}
	return x
}

// process starts a process.
func (x *world) process(what *disturbance, opts ...idem.Option) *caller {
	c := &caller{process: newProcess(x.store, what), name: "process " + string(rune('1'+len(x.processes)))}
	engine, err := idem.New(c.process, append(append([]idem.Option(nil), x.opts...), opts...)...)
	if err != nil {
		x.Fatal(err)
	}
	c.engine, c.call = engine, x.Start(engine)
	var cancel context.CancelFunc
	c.ctx, cancel = context.WithCancel(context.WithValue(context.Background(), processKey{}, c.process))
	c.leave = cancel
	x.processes = append(x.processes, c)
	return c
}

// make makes the call in a process, until it is answered or the process is stopped.
func (x *world) make(c *caller) answer {
	x.Helper()
	c.got = make(chan answer, 1)
	go func(got chan<- answer) {
		a := answer{gone: true}
		defer func() { got <- a }()
		value, err := c.call(c.ctx)
		a = answer{value: value, err: err}
	}(c.got)
	return x.await(c, c.stopped)
}

// await waits for the answer to the call that is under way.
func (x *world) await(c *caller, stopped <-chan struct{}) answer {
	x.Helper()
	timeout := time.NewTimer(patience)
	defer timeout.Stop()
	select {
	case a := <-c.got:
		c.got = nil
		return a
	case <-stopped:
		return answer{stops: true}
	case <-timeout.C:
		x.trail.add(c.name, "an answer", "none within "+patience.String(), false)
		x.Fatalf("a call hangs\n%s", &x.trail)
		return answer{}
	}
}

// rest lets a process whose call was answered end what it does in the background, and then the process.
func (x *world) rest(c *caller) {
	x.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- c.engine.Shutdown(ctx) }()
	select {
	case err := <-ended:
		if err != nil {
			x.row(c.name, "an end of what it does in the background", err.Error(), false)
			x.fail("what the process does in the background does not end")
		}
	case <-c.stopped:
		x.row(c.name, "the call is answered", "stopped in the background, "+x.count(), true)
	}
}

// next is what follows: somebody asks while the lease holds, the lease runs out, and another process makes the call.
func (x *world) next(what *disturbance) *caller {
	x.Helper()
	x.early()
	x.lapse()
	b := x.process(what)
	before := x.before()
	got := x.make(b)
	if got.stops {
		x.row(b.name, what.String(), "stopped, "+x.count(), true)
		return b
	}
	x.judge(b, before, got)
	x.rest(b)
	return b
}

// followers are two more calls of a further process, when all is over that was to happen.
func (x *world) followers() {
	x.Helper()
	x.early()
	x.lapse()
	c := x.process(nil)
	for range 2 {
		before := x.before()
		x.judge(c, before, x.make(c))
		x.lapse()
	}
	x.last()
	x.rest(c)
}

// resume lets a stalled process go on, and judges its answer.
func (x *world) resume(a *caller) {
	x.Helper()
	before := x.before()
	a.process.resume()
	x.judgeLate(a, before, x.await(a, nil))
	x.rest(a)
}

// early is a caller who comes while the lease of a process that died is valid.
func (x *world) early() {
	x.Helper()
	row := x.store.Row(x.base.id)
	if row.State != idem.StateRunning || row.Lapsed {
		return
	}
	var c *caller
	c = x.process(nil, idem.WithObserver(idem.ObserverFunc(func(_ context.Context, ev idem.Event) {
		if ev.Kind == idem.EventWaited {
			c.leave()
		}
	})))
	before := x.before()
	x.judgeEarly(c, before, x.make(c))
	x.rest(c)
}

// lapse lets the leases run out.
func (x *world) lapse() {
	for _, row := range x.store.Rows() {
		if row.State == idem.StateRunning && !row.Lapsed {
			x.store.Age(row.ID, row.LeaseLeft+time.Millisecond)
		}
	}
}

// close ends the world: who is stopped in it unwinds, without effect on the store.
func (x *world) close() {
	dead, cancel := context.WithCancel(context.Background())
	cancel()
	for _, c := range x.processes {
		close(c.end)
	}
	for _, c := range x.processes {
		c.leave()
		if c.got != nil {
			select {
			case <-c.got:
			case <-time.After(patience):
				x.Errorf("%s: its call did not end when its context did", c.name)
			}
		}
		_ = c.engine.Shutdown(dead) // nothing that it left is still to be stored
	}
}
