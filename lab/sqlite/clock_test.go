package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
)

// This file steps the clock that decides, as an administrator or a time server does with the machine's: the view idem_clock is made anew,
// so much ahead. Forward it ends leases early, and that is a lapse like any other; back it makes a dead call's claim live longer, and
// nobody waits for it beyond his own patience.

// clockStage is an engine on a store whose clock can be set, and a method that enters a gate when it runs for the first time.
type clockStage struct {
	*bench
	clock  string // the query of the view, as Migrate made it
	engine *idem.Engine
	gate   *idemtest.Gate
	runs   atomic.Int32
	mu     sync.Mutex
	events []idem.EventKind
}

// Observe notes what happens.
func (x *clockStage) Observe(_ context.Context, e idem.Event) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.events = append(x.events, e.Kind)
}

func newClockStage(t *testing.T, d driver) *clockStage {
	t.Helper()
	x := &clockStage{bench: newBench(t, setup{driver: d}), gate: idemtest.NewGate(t)}
	var view string
	x.get(t, "SELECT sql FROM sqlite_master WHERE name = 'idem_clock'", &view)
	var found bool
	if _, x.clock, found = strings.Cut(view, " AS\n"); !found {
		t.Fatalf("the view is another: %s", view)
	}
	engine, err := idem.New(x.Store, idem.WithObserver(x))
	if err != nil {
		t.Fatal(err)
	}
	x.engine = engine
	t.Cleanup(func() {
		x.gate.Open()
		_ = engine.Close()
	})
	return x
}

// setClock makes it so much ahead of the machine's.
func (x *clockStage) setClock(t *testing.T, ahead time.Duration) {
	t.Helper()
	x.exec(t, fmt.Sprintf("BEGIN IMMEDIATE; DROP VIEW idem_clock; CREATE VIEW idem_clock AS SELECT now + %d AS now FROM (%s); COMMIT", ahead.Microseconds(), x.clock))
}

type answer struct {
	result string
	err    error
}

// call calls the method with a key. Its first run enters the gate.
func (x *clockStage) call(ctx context.Context, lease time.Duration, edit ...func(*idem.Operation[string])) answer {
	op := &idem.Operation[string]{Name: "clock.Charge", Lease: lease, MaxWait: time.Minute}
	for _, e := range edit {
		e(op)
	}
	result, err := idem.Do(ctx, x.engine, op, idem.Call[string]{
		Key:  idem.StringKey("k"),
		Args: func(f *idem.Fingerprint) { f.Add("amount", 1) },
		Run: func(context.Context) (string, error) {
			n := x.runs.Add(1)
			if n == 1 {
				_ = x.gate.Enter(context.Background()) // its own context may end, and it goes on all the same
			}
			return fmt.Sprintf("ran %d", n), nil
		},
	})
	return answer{result, err}
}

// start calls the method, and returns when it runs.
func (x *clockStage) start(t *testing.T, lease time.Duration, edit ...func(*idem.Operation[string])) <-chan answer {
	t.Helper()
	first := make(chan answer, 1)
	go func() { first <- x.call(context.Background(), lease, edit...) }()
	x.gate.Await(t, 1)
	return first
}

func (x *clockStage) want(t *testing.T, got answer, want string) {
	t.Helper()
	if got.err != nil || got.result != want {
		t.Errorf("got %q, %v; want %q", got.result, got.err, want)
	}
}

// leaseLeft is what the lease of the one row has left by the clock that decides.
func (x *clockStage) leaseLeft(t *testing.T) time.Duration {
	t.Helper()
	var us int64
	x.get(t, "SELECT lease_until - (SELECT now FROM idem_clock) FROM idem_claims", &us)
	return time.Duration(us) * time.Microsecond
}

func (x *clockStage) eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !is(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("there was never " + what)
		}
	}
}

func TestClockStep_ForwardIsALapseAndAllGetOneAnswer(t *testing.T) {
	onEachDriver(t, func(t *testing.T, d driver) {
		x := newClockStage(t, d)
		first := x.start(t, 10*time.Minute)
		x.setClock(t, time.Hour)
		x.want(t, x.call(t.Context(), 10*time.Minute), "ran 2")
		x.gate.Open()
		x.want(t, <-first, "ran 2")
		x.mu.Lock()
		defer x.mu.Unlock()
		told := 0
		for _, kind := range x.events {
			if kind == idem.EventFenced {
				told++
			}
		}
		if told != 1 || x.runs.Load() != 2 {
			t.Errorf("%d runs; events: %v", x.runs.Load(), x.events)
		}
	})
}

// Who renews before anybody comes has his lease again, by the new time.
func TestClockStep_ForwardUnderARenewalCostsNothing(t *testing.T) {
	onEachDriver(t, func(t *testing.T, d driver) {
		x := newClockStage(t, d)
		first := x.start(t, 3*time.Second)
		x.setClock(t, time.Hour)
		x.eventually(t, "a renewal", func() bool { return x.leaseLeft(t) > 0 })
		x.gate.Open()
		x.want(t, <-first, "ran 1")
		x.want(t, x.call(t.Context(), 3*time.Second), "ran 1")
	})
}

func TestClockStep_BackKeepsADeadClaimAndNoWaiterBeyondHisPatience(t *testing.T) {
	onEachDriver(t, func(t *testing.T, d driver) {
		x := newClockStage(t, d)
		first := x.start(t, time.Minute, func(op *idem.Operation[string]) { op.NoRenew = true }) // as good as dead: it neither renews nor ends
		x.setClock(t, -time.Hour)
		began := time.Now()
		got := x.call(t.Context(), time.Minute, func(op *idem.Operation[string]) { op.MaxWait = 300 * time.Millisecond })
		if e, ok := errors.AsType[*idem.Error](got.err); !ok || !errors.Is(got.err, idem.ErrInFlight) || e.RetryAfter < 5*time.Minute {
			t.Errorf("the waiter got %+v", got)
		}
		if took := time.Since(began); took > 20*time.Second {
			t.Errorf("the waiter waited for %v", took)
		}
		x.setClock(t, 2*time.Minute) // more than an hour later
		x.want(t, x.call(t.Context(), time.Minute), "ran 2")
		x.gate.Open()
		x.want(t, <-first, "ran 2")
	})
}

// The next renewal counts from the new time, so that a later death is noticed in time.
func TestClockStep_BackUnderARunIsMendedByItsRenewal(t *testing.T) {
	onEachDriver(t, func(t *testing.T, d driver) {
		x := newClockStage(t, d)
		const lease = 3 * time.Second
		first := x.start(t, lease)
		x.setClock(t, -time.Hour)
		x.eventually(t, "a renewal", func() bool { return x.leaseLeft(t) <= lease })
		x.gate.Open()
		x.want(t, <-first, "ran 1")
		x.want(t, x.call(t.Context(), lease), "ran 1")
		if x.runs.Load() != 1 {
			t.Errorf("%d runs", x.runs.Load())
		}
	})
}

func TestClockStep_ForwardExpiresOutcomesAndBackKeepsThem(t *testing.T) {
	onEachDriver(t, func(t *testing.T, d driver) {
		x := newClockStage(t, d)
		x.gate.Open()
		day := func(op *idem.Operation[string]) { op.TTL = 24 * time.Hour }
		x.want(t, x.call(t.Context(), time.Minute, day), "ran 1")
		x.setClock(t, -48*time.Hour)
		x.want(t, x.call(t.Context(), time.Minute, day), "ran 1")
		x.setClock(t, 25*time.Hour)
		x.want(t, x.call(t.Context(), time.Minute, day), "ran 2")
	})
}
