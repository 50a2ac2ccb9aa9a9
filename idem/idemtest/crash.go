package idemtest

import (
	"context"
	"testing"

	"github.com/idemgen/idemgen/idem"
)

// This file is how the tests of a service let its processes die: what a test hands in, and the walk over all the moments in
// which they may. One such story is told in crash_world.go, what it must come to is in crash_judge.go.

// Scenario is one call of a wrapped service, in a world of its own.
type Scenario struct {
	// Start starts a process: it wraps the service with the process's engine, and returns the call that is walked. All processes of a
	// world share what outlives them (the bank's books), and nothing else. The call must be the same each time, key and arguments
	// included. Its context is to be handed on. Methods without a result return nil and their error.
	Start func(eng *idem.Engine) func(ctx context.Context) (any, error)
	// Effects is how often the effect has happened in this world: once, after one call that succeeded undisturbed.
	Effects func() int
	// Once says that the effect happens once even when a run lapsed and another one follows, because something besides the engine sees
	// to it, such as a provider that is given the downstream key. Under takeover recover (with a ttl that is not forever) and hold
	// it is so in any case, if the undisturbed call stores an outcome; one that only fails is to say so here. Without it, each lapse may cost one more effect, as is promised under rerun.
	Once bool
}

// Crash shows that a service behind its wrapper keeps what the wrapper promises, whenever one of its processes dies. It makes a world,
// lets a process make the call, kills it at one point, lets the lease run out, and has other processes make the same call again; and
// so for every point: before and after each step that the call sends to the store, and each [Point] in the service. A process that is
// killed sends nothing any more, and no deferred function of it has an effect on the store. There are also the points at which
// a step is answered and the answer is lost, lands when its process is dead, or finds its caller gone, and a process that stalls before its
// outcome is stored, and comes back when another one has taken over; and the process that takes over is killed at each of its own points.
//
// In every world the following must hold, else t fails with a table of who saw what:
//
//   - nothing runs while the lease of a process that died is valid
//   - what the row says is what the next caller gets: the stored outcome, and no further effect; a run of his own;
//     idem.ErrOutcomeUnknown where a person decides
//   - all callers who get a result get the same, and it is stored
//   - the effect has happened if anybody was told so, and not more often than once and once more for each take-over (see Scenario.Once)
//   - a call that succeeds undisturbed succeeds for those who come after a crash, too
//
// World is called for each of some dozens of worlds; its t ends with it. Opts are for the engines, such as
// idem.WithFingerprintKey. They hand the method's own result to the first caller, so that a result that storage changes is seen. The
// claims are in memory: operations with a transaction mode can't be walked, and t fails. Each point is a subtest, so that -run
// repeats one alone.
func Crash(t *testing.T, world func(t testing.TB) Scenario, opts ...idem.Option) {
	t.Helper()
	w := &walk{world: world, opts: opts, each: func(name string, f func(testing.TB)) {
		t.Run(name, func(t *testing.T) { f(t) })
	}}
	w.all(t)
	t.Logf("walked %d points", w.points)
}

// Point is a point at which Crash may kill the process, in a service of a test: between two effects, say. Everywhere else
// it does nothing. The context is the method's. Don't call it with a lock held that other processes of the world, or Effects, take.
func Point(ctx context.Context, name string) {
	if p, ok := ctx.Value(processKey{}).(*process); ok {
		p.point("point " + name)
	}
}

// walk goes over all points of one scenario.
type walk struct {
	world  func(testing.TB) Scenario
	opts   []idem.Option
	each   func(name string, f func(testing.TB)) // runs f as a test of its own
	points int

	base baseline
}

// baseline is what the undisturbed call is like.
type baseline struct {
	operation string
	id        idem.ID
	succeeds  bool
	once      bool // whatever happens, there is at most one effect
}

// all walks the undisturbed call, and then every point of it.
func (w *walk) all(t testing.TB) {
	t.Helper()
	var places []place
	w.each("undisturbed", func(t testing.TB) { places = w.undisturbed(t) })
	for _, at := range places {
		for _, how := range at.disturbances() {
			w.from(&disturbance{at, how})
		}
	}
}

// from walks one disturbance of the first process; and when that dies of it, the deaths of the next one.
func (w *walk) from(first *disturbance) {
	var next []place
	w.each(first.String(), func(t testing.TB) {
		next = w.disturbed(t, first, nil)
	})
	if first.how != diesBefore && first.how != diesAfter {
		return
	}
	for _, at := range next {
		for _, how := range []manner{diesBefore, diesAfter} {
			if at.inService && how == diesAfter {
				continue
			}
			second := &disturbance{at, how}
			w.each(first.String()+", the next one "+second.String(), func(t testing.TB) { w.disturbed(t, first, second) })
		}
	}
}
