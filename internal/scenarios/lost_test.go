package scenarios

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
	"github.com/idemgen/idemgen/internal/pgtest"
)

// This file loses the answer to every step of a call, in every way an answer can get lost between two processes: the step was
// applied, or not, or is applied when nobody expects it any more. Whatever happens, the caller gets what he would have got on
// a good day, the method runs as often as then, and the row ends as it would have ended.

// loss is a way to lose an answer.
type loss struct {
	name  string
	fault idemtest.Fault
	gated bool // the fault waits at a gate, past the time limit of the step
}

var losses = []loss{
	{"the reply is lost", idemtest.Fault{Do: idemtest.LoseAnswer}, false},
	{"the commit's reply is lost", idemtest.Fault{Do: idemtest.LoseLast}, false},
	{"cut before it is sent on", idemtest.Fault{Do: idemtest.Refuse}, false},
	{"cut before its commit", idemtest.Fault{Do: idemtest.Break}, false},
	{"held until it is given up", idemtest.Fault{Do: idemtest.ApplyLate}, true},
	{"its reply is held until it is given up", idemtest.Fault{Do: idemtest.DelayAnswer}, true},
	{"applied late", idemtest.Fault{Do: idemtest.ApplyLate}, false},
}

// tally is what the faults of a test have done.
type tally struct{ swallowed, cut, held, landed atomic.Int64 }

func (c *tally) count(l loss, hits, landed int) {
	c.landed.Add(int64(landed))
	switch n := int64(hits); {
	case l.gated:
		c.held.Add(n)
	case l.fault.Do == idemtest.LoseAnswer || l.fault.Do == idemtest.LoseLast:
		c.swallowed.Add(n)
	case l.fault.Do == idemtest.Refuse || l.fault.Do == idemtest.Break:
		c.cut.Add(n)
	}
}

// report prints the figures, and fails the test where one is 0: it would have shown nothing.
func (c *tally) report(t *testing.T) {
	t.Helper()
	for _, n := range []*atomic.Int64{&c.swallowed, &c.cut, &c.held, &c.landed} {
		if n.Load() == 0 {
			defer t.Error("a kind of fault never took effect")
		}
	}
	t.Attr("figures", fmt.Sprintf("replies swallowed: %d, requests cut: %d, held: %d, landed late: %d",
		c.swallowed.Load(), c.cut.Load(), c.held.Load(), c.landed.Load()))
}

// lostStep is a step of a call whose answer gets lost, and what a good day would have brought.
type lostStep struct {
	name, sql string
	left      idem.State // what an earlier process has left: nothing, a lapsed claim, or an expired outcome
	takeover  idem.Takeover
	ending    error  // what the method returns
	want      string // what the call returns: a result or an error
	row       string // the row after the call, with its attempt and lapses
	expire    bool   // the row, before the next call
	next      string // what the next call returns, in another process
	runs      int64  // of all
	landsIn   int64  // the run during which a late statement lands; 0: after the call, when the row's owner was alive after all and has renewed
}

var (
	errDeclined = errors.New("declined")
	errGone     = idem.Unknown(errors.New("gateway timeout"))
)

var lostSteps = []lostStep{
	{name: "claim", sql: sqlClaim, want: "ran 1", row: "done 1 0", next: "ran 1", runs: 1, landsIn: 1},
	{name: "take over", sql: sqlTakeOver, left: idem.StateRunning, want: "ran 2", row: "done 2 1", next: "ran 2", runs: 2, landsIn: 2},
	{name: "reclaim", sql: sqlReclaim, left: idem.StateDone, want: "ran 2", row: "done 1 0", next: "ran 2", runs: 2, landsIn: 2},
	{
		name: "hold", sql: sqlHoldLapsed, left: idem.StateRunning, takeover: idem.TakeoverHold,
		want: idem.ErrOutcomeUnknown.Error(), row: "unknown 1 0", next: idem.ErrInFlight.Error(), runs: 1,
	},
	{name: "renew", sql: sqlRenew, want: "ran 1", row: "done 1 0", expire: true, next: "ran 2", runs: 2, landsIn: 2},
	{name: "complete", sql: sqlComplete, want: "ran 1", row: "done 1 0", expire: true, next: "ran 2", runs: 2, landsIn: 2},
	{
		name: "complete, with an error", sql: sqlComplete, ending: idem.Final(errDeclined),
		want: "declined", row: "failed 1 0", expire: true, next: "ran 2", runs: 2, landsIn: 2,
	},
	{name: "release", sql: sqlRelease, ending: errDeclined, want: "declined", row: "absent 0 0", next: "ran 2", runs: 2, landsIn: 2},
	{name: "abandon", sql: sqlAbandon, ending: errGone, want: "gateway timeout", row: "running lapsed abandoned 1 0", next: "ran 2", runs: 2, landsIn: 2},
}

func TestD9_AStepWhoseAnswerIsLostEndsAsOnAGoodDay(t *testing.T) {
	t.Parallel()
	dsn := pgtest.Database(t)
	var total tally
	t.Run("losses", func(t *testing.T) {
		for _, l := range losses {
			t.Run(l.name, func(t *testing.T) {
				t.Parallel()
				idemtest.Callers(t, len(lostSteps), func(i int) { // most of their time they wait
					lostSteps[i].play(named{t, lostSteps[i].name}, dsn, l, &total)
				})
			})
		}
	})
	total.report(t)
}

// lostCase is one step, lost in one way.
type lostCase struct {
	*wired
	lostStep
	loss
	key    string
	fault  *idemtest.Injection
	gate   *idemtest.Gate
	landed int
	renews *idemtest.Injection // the renewals that get through
	waiter <-chan answer       // of a duplicate in the other process, that came during the run
}

func (p lostStep) play(t testing.TB, dsn string, l loss, total *tally) {
	c := &lostCase{wired: newWired(t, dsn, idem.WithStoreTimeout(3*time.Second)), lostStep: p, loss: l, key: p.name + ", " + l.name}
	if p.left != idem.StateAbsent {
		c.leave(c.key, p.left)
	}
	c.method = c.run
	f := l.fault
	if l.gated {
		c.gate = idemtest.NewGate(t)
		f.Gate = c.gate
	}
	c.fault = c.cut.Inject(p.sql, f)
	if p.sql == sqlRenew {
		c.renews = c.cut.Inject(p.sql, idemtest.Fault{Do: idemtest.DelayAnswer, Times: idemtest.Always})
	}
	c.first()
	c.second()
	if c.fault.Hits() != 1 {
		t.Errorf("the fault hit %d times", c.fault.Hits())
	}
	if want := l.fault.Do == idemtest.ApplyLate; want != (c.landed == 1) {
		t.Errorf("%d statements landed late", c.landed)
	}
	total.count(l, c.fault.Hits(), c.landed)
}

// first is the call whose step is hit.
func (c *lostCase) first() {
	ctx, info := idem.WithInfo(c.Context())
	op := with(func(op *idem.Operation[string]) { op.Takeover = c.takeover })
	if c.sql == sqlRenew {
		op.Lease = 4 * time.Second
	}
	out, err := c.call(ctx, op, c.key, "a")
	if got := said(out, err); got != c.want || errors.Is(err, idem.ErrStore) {
		c.Errorf("the caller got %q, want %q (%v)", got, c.want, err)
	}
	if r := c.charged(c.key); r.counted() != c.row {
		c.Errorf("the row is %v %+v, want %q", r, r, c.row)
	}
	if err == nil && !info.Stored {
		c.Errorf("the caller was told that his outcome is not stored: %+v", info)
	}
	if n := c.events.count(idem.EventFenced); n != 0 {
		c.Errorf("the call took its own work for another's; events: %v", c.events.kinds())
	}
	if c.waiter != nil {
		if a := <-c.waiter; a != (answer{out, nil}) {
			c.Errorf("a duplicate that waited got %v, want %q", a, out)
		}
	}
	if c.landsIn == 0 {
		c.revive()
		c.land()
		if r := c.charged(c.key); r.String() != "running" {
			c.Errorf("what landed late changed a renewed row to %v", r)
		}
	}
}

// second is the next call, in another process.
func (c *lostCase) second() {
	if c.expire {
		c.age(c.key, 2*defaultTTL)
	}
	op := with(func(op *idem.Operation[string]) { op.Takeover, op.Policy = c.takeover, idem.PolicyConflict })
	out, err := c.other.call(c.Context(), op, c.key, "a")
	if got := said(out, err); got != c.next {
		c.Errorf("the next caller got %q, want %q (%v)", got, c.next, err)
	}
	c.wantRuns(c.runs)
}

// revive is what the late renewal of a held row does.
func (c *lostCase) revive() {
	c.Helper()
	c.editRow(c.key, "state = 1, lease_until = clock_timestamp() + interval '1 hour'")
}

// run is the method. Whoever runs it has the key to himself.
func (c *lostCase) run(_ context.Context, run int64) (string, error) {
	own := run == 1 || c.left != idem.StateAbsent // of the call whose step is hit
	if own && c.renews != nil {
		c.eventually("a renewal after the one that is hit", func() bool { return c.fault.Hits() == 1 && c.renews.Hits() > 0 })
	}
	c.refusesOthers(c.key, "during the run")
	if run == c.landsIn {
		before := c.whole(c.key)
		c.land()
		if after := c.whole(c.key); after != before {
			c.Errorf("what landed late changed %s to %s", before, after)
		}
		c.refusesOthers(c.key, "after the landing")
	}
	switch {
	case own && c.ending != nil:
		return "", c.ending
	case own:
		c.waiter = c.other.async(c.Context(), &charge, c.key, "a")
		c.eventually("a duplicate that waits", func() bool { return c.other.events.count(idem.EventWaited) == 1 })
	}
	return fmt.Sprintf("ran %d", run), nil
}

// land lets what was held back go on, and waits until what was not applied yet is.
func (c *lostCase) land() {
	if c.gate != nil {
		c.gate.Open()
	}
	if c.loss.fault.Do == idemtest.ApplyLate {
		c.eventually("the late statement", func() bool {
			c.landed += c.fault.Land()
			return c.landed > 0
		})
	}
}

// said is what a call returned, in words: its result, or the kind of the engine's error, or the method's.
func said(result string, err error) string {
	var e *idem.Error
	switch {
	case errors.As(err, &e):
		return e.Kind.Error()
	case err != nil:
		return err.Error()
	default:
		return result
	}
}

// named puts a name before what a part of a test complains of.
type named struct {
	testing.TB
	name string
}

func (n named) Errorf(format string, args ...any) {
	n.Helper()
	n.TB.Errorf(n.name+": "+format, args...)
}

func (n named) Fatalf(format string, args ...any) {
	n.Helper()
	n.TB.Fatalf(n.name+": "+format, args...)
}
