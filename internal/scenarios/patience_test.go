package scenarios

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
	"github.com/idemgen/idemgen/idem/postgres"
)

// This file is about how long a call lets its caller wait: no longer than told, in whatever it is doing. Each phase of a call is made to last
// for ever, but for the store's timeout of a minute. How soon it returns exactly is shown in virtual time, in idem.

// aMoment is what a caller who gives up may be kept for, on a very slow machine.
const aMoment = 5 * time.Second

// stuckCall is a call that is stuck in a phase.
type stuckCall struct {
	*seamStage
	cut    *idemtest.Cut
	gate   *idemtest.Gate // of the fault
	beside *pgxpool.Pool  // the store's pool
	steps  map[idemtest.Step]*idemtest.Gate
	fault  *idemtest.Injection
}

// newHeld has a first run, of another process, that does not end, unless the call is to be the first. The pool of the store under test has
// one connection.
func newStuckCall(t *testing.T, duplicate bool) *stuckCall {
	s := newStage(t)
	h := &stuckCall{gate: idemtest.NewGate(t), steps: map[idemtest.Step]*idemtest.Gate{}}
	pool, cut := throughCut(s, s.dsn, conns(1))
	h.cut, h.beside = cut, pool
	h.seamStage = s.behindSeam(postgres.NewStore(pool, postgres.WithAcquireTimeout(time.Minute)), idem.WithStoreTimeout(time.Minute))
	for _, step := range []idemtest.Step{idemtest.StepClaim, idemtest.StepRead, idemtest.StepTakeOver} {
		h.steps[step] = idemtest.NewGate(t)
		h.steps[step].Open() // it only counts
	}
	h.seam.before = func(ctx context.Context, step idemtest.Step) {
		if g := h.steps[step]; g != nil {
			_ = g.Enter(ctx)
		}
	}
	ends := idemtest.NewGate(t)
	h.method = func(ctx context.Context, _ int64) (string, error) { return "first", ends.Enter(ctx) }
	if duplicate {
		go func() {
			_, _ = h.other.call(context.Background(), with(func(op *idem.Operation[string]) { op.NoRenew = true }), "k", "a")
		}()
		ends.Await(t, 1)
	}
	return h
}

// inject makes a fault, and says when it holds the call.
func (h *stuckCall) inject(sql string, f idemtest.Fault) (reached func()) {
	f.Times = idemtest.Always
	if f.Do != idemtest.Refuse {
		f.Gate = h.gate
	}
	h.fault = h.cut.Inject(sql, f)
	if f.Do == idemtest.Refuse {
		return func() { h.await(idem.EventStoreFailed, 3) }
	}
	return func() { h.gate.Await(h, 1) }
}

// letGo ends what holds the call, so that the claims it may have left can be given back.
func (h *stuckCall) letGo() {
	if h.fault != nil {
		h.fault.Stop()
	}
	h.gate.Open()
}

// callPhases are what a call may be doing when its caller gives up. Hold makes it go on, and returns what waits until the call is in it.
var callPhases = []struct {
	name      string
	duplicate bool
	hold      func(*stuckCall) (reached func())
}{
	{"waiting for a connection", false, func(h *stuckCall) func() {
		c, err := h.beside.Acquire(context.Background())
		if err != nil {
			h.Fatal(err)
		}
		h.Cleanup(c.Release)
		return func() { h.steps[idemtest.StepClaim].Await(h, 1) }
	}},
	{"the claim on its way", false, func(h *stuckCall) func() { return h.inject("ON CONFLICT", idemtest.Fault{Do: idemtest.Delay}) }},
	{"the claim's answer on its way", false, func(h *stuckCall) func() { return h.inject("ON CONFLICT", idemtest.Fault{Do: idemtest.DelayAnswer}) }},
	{"between two tries of the claim", false, func(h *stuckCall) func() { return h.inject("ON CONFLICT", idemtest.Fault{}) }},
	{"between two looks", true, func(h *stuckCall) func() { return func() { h.steps[idemtest.StepRead].Await(h, 4) } }},
	{"a look on its way", true, func(h *stuckCall) func() { // the first is the claim's own
		return h.inject("lease_left_us", idemtest.Fault{Do: idemtest.Delay, Skip: 1})
	}},
	{"a look's answer on its way", true, func(h *stuckCall) func() {
		return h.inject("lease_left_us", idemtest.Fault{Do: idemtest.DelayAnswer, Skip: 1})
	}},
	{"the take-over on its way", true, func(h *stuckCall) func() {
		h.age("k", time.Hour)
		return h.inject("attempt = attempt + 1", idemtest.Fault{Do: idemtest.Delay})
	}},
	{"the take-over at a locked row", true, func(h *stuckCall) func() {
		h.age("k", time.Hour)
		h.holdRow("k")
		return func() { h.awaitHeld(1, "attempt = attempt + 1") }
	}},
}

func TestC7_ACancelledCallReturnsInEveryPhase(t *testing.T) {
	t.Parallel()
	for _, p := range callPhases {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			h := newStuckCall(t, p.duplicate)
			reached := p.hold(h)
			before := h.runs.Load()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			call := h.async(ctx, with(func(op *idem.Operation[string]) { op.MaxWait = time.Hour }), "k", "a")
			reached()
			cancelled := time.Now()
			cancel()
			h.returned(call, cancelled, context.Canceled)
			h.letGo()
			h.wantRuns(before)
		})
	}
}

// returned checks that a call ended soon after its context did, and says so, and that it waited where it did.
func (h *stuckCall) returned(call <-chan answer, since time.Time, cause error) {
	h.Helper()
	a := <-call
	if late := time.Since(since); late > aMoment {
		h.Errorf("it took the call %v to return", late)
	}
	if wantErr(h, a.err, cause); a.result != "" {
		h.Errorf("got %v", a)
	}
	if waited := h.events.count(idem.EventWaited) > 0; waited != errors.Is(a.err, idem.ErrInFlight) {
		h.Errorf("it waited: %v, and says %v", waited, a.err)
	}
}

// TestPC4: the caller's deadline is his, whatever the operation's may be.
func TestPC4_AWaitEndsAtTheCallersDeadline(t *testing.T) {
	t.Parallel()
	for _, p := range callPhases {
		if !strings.Contains(p.name, "look") {
			continue
		}
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			h := newStuckCall(t, p.duplicate)
			p.hold(h)
			const patience = 200 * time.Millisecond
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			call := h.async(ctx, with(func(op *idem.Operation[string]) { op.MaxWait = time.Hour }), "k", "a")
			deadline, _ := ctx.Deadline()
			h.returned(call, deadline, context.DeadlineExceeded)
			h.letGo()
			h.wantRuns(1)
		})
	}
}

// TestPC4: a result is there, and who waits for it is soon told, though it was another process that stored it.
func TestPC4_AResultIsSeenSoonAfterItIsStored(t *testing.T) {
	t.Parallel()
	x := newSeamStage(t)
	looks, ends := idemtest.NewGate(t), idemtest.NewGate(t)
	looks.Open()
	x.seam.before = func(ctx context.Context, step idemtest.Step) {
		if step == idemtest.StepRead {
			_ = looks.Enter(ctx)
		}
	}
	x.method = func(ctx context.Context, _ int64) (string, error) { return "charged", ends.Enter(ctx) }
	first := x.other.async(context.Background(), &charge, "k", "a")
	ends.Await(t, 1)
	waiter := x.async(t.Context(), with(func(op *idem.Operation[string]) { op.MaxWait = time.Hour }), "k", "a")
	looks.Await(t, 6) // by now the looks are not as frequent any more
	ends.Open()
	if a := <-first; a != (answer{"charged", nil}) {
		t.Fatalf("the first got %v", a)
	}
	stored := time.Now()
	if a := <-waiter; a != (answer{"charged", nil}) {
		t.Errorf("the waiter got %v", a)
	}
	if late := time.Since(stored); late > aMoment {
		t.Errorf("the result was seen %v after it was there", late)
	}
}

func TestC7_DurationsOutOfRangeAreRefusedBeforeAnySQLAndHugeOnesWork(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	for _, d := range []time.Duration{math.MinInt64, -time.Hour, -1} {
		for name, change := range map[string]func(*idem.Operation[string]){
			"MaxWait": func(op *idem.Operation[string]) { op.MaxWait = d },
			"TTL":     func(op *idem.Operation[string]) { op.TTL = d },
			"Lease":   func(op *idem.Operation[string]) { op.Lease = d },
		} {
			_, err := s.call(t.Context(), with(change), "refused", "a")
			if wantErr(t, err, idem.ErrBadOperation); s.charged("refused").State != 0 {
				t.Errorf("%s of %v left a row", name, d)
			}
		}
	}
	s.wantRuns(0)
	for name, d := range map[string]time.Duration{"zero": 0, "huge": math.MaxInt64 - 1, "for good": idem.Forever, "250 years": 250 * 365 * 24 * time.Hour} {
		gate := s.gatedInContext()
		op := with(func(op *idem.Operation[string]) { op.MaxWait, op.TTL = d, d })
		waits := s.events.count(idem.EventWaited)
		first := s.async(t.Context(), op, name, "a")
		gate.Await(t, 1)
		waiter := s.async(t.Context(), op, name, "a")
		s.await(idem.EventWaited, waits+1)
		gate.Open()
		for _, c := range []<-chan answer{first, waiter} {
			if a := <-c; a != (answer{"charged", nil}) {
				t.Errorf("%s: got %v", name, a)
			}
		}
		if out, err := s.call(t.Context(), op, name, "a"); out != "charged" || err != nil {
			t.Errorf("%s: later: %q, %v", name, out, err)
		}
	}
	s.wantRuns(4)
}
