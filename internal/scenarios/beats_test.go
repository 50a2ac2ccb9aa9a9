package scenarios

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
	"github.com/idemgen/idemgen/idem/postgres"
	"github.com/idemgen/idemgen/internal/pgtest"
)

// This file is about renewals: of an owner who was replaced, over a database that does not answer, from a pool that is empty, and after
// the run has ended. Claims look late from the start (lateClaim), so that renewals are due at once and a minute's margins hold.

// minuteLease is charge with a lease of a minute: renewed after a third of it, given up six seconds before its end.
var minuteLease = with(func(op *idem.Operation[string]) { op.Lease = time.Minute })

const (
	renewalDue = 21 * time.Second // into that lease, the first renewal is due
	nearlyOver = 52 * time.Second // into that lease, two seconds are left until it is given up
)

// beatOf reports the end of a method's context: when it came, and why. It fails the test when it does not come.
func beatOf(ctx context.Context, t testing.TB) (at time.Time, cause error) {
	select {
	case <-ctx.Done():
		return time.Now(), context.Cause(ctx)
	case <-time.After(20 * time.Second):
		t.Error("the method was never told that its lease is lost")
		return time.Now(), nil
	}
}

// TestB13 has another process take over while a renewal is on its way.
func TestB13_AZombiesRenewalsFailAndItIsTold(t *testing.T) {
	t.Parallel()
	x := newSeamStage(t)
	x.lateClaim("k", renewalDue)
	beat, successor := idemtest.NewGate(t), idemtest.NewGate(t)
	x.seam.before = func(ctx context.Context, step idemtest.Step) {
		if step == idemtest.StepRenew {
			_ = beat.Enter(ctx)
		}
	}
	x.method = func(ctx context.Context, run int64) (string, error) {
		if run == 2 {
			return "successor", successor.Enter(ctx)
		}
		_, cause := beatOf(ctx, t)
		if cause != idem.ErrLeaseLost { //nolint:errorlint // the very value
			t.Errorf("the zombie's context ended with %v", cause)
		}
		return "zombie", ctx.Err()
	}
	zombie := x.async(t.Context(), minuteLease, "k", "a")
	beat.Await(t, 1)
	x.age("k", time.Hour)
	next := x.other.async(context.Background(), with(func(op *idem.Operation[string]) { op.Lease = time.Hour }), "k", "a")
	successor.Await(t, 1)
	x.age("k", 30*time.Minute) // so that a renewal would show
	beat.Open()
	if a := <-zombie; !errors.Is(a.err, context.Canceled) {
		t.Errorf("the zombie got %v", a)
	}
	if n := x.events.count(idem.EventLeaseLost); n != 1 {
		t.Errorf("%d losses were reported", n)
	}
	if r := x.charged("k"); r.State != int(idem.StateRunning) || r.Attempt != 2 || r.Lapsed {
		t.Errorf("the successor's row is %+v", r)
	}
	if left := x.leaseLeft("k"); left > 31*time.Minute || left < time.Minute {
		t.Errorf("the successor's lease has %v left: the zombie moved it", left)
	}
	successor.Open()
	if a := <-next; a != (answer{"successor", nil}) {
		t.Errorf("the successor got %v", a)
	}
	if n := beat.Entered(); n != 1 {
		t.Errorf("%d renewals were sent: what is lost needs none", n)
	}
}

// starved runs a method whose renewals all meet a fault, and returns when its context has ended and the fault is over. That must be
// while the claim is still its own, by the database's clock too.
func starved(t *testing.T, sql string, fault idemtest.Fault) (s *stage, events []idem.EventKind) {
	s = newStage(t)
	pool, cut := throughCut(s, s.dsn)
	x := s.behindSeam(postgres.NewStore(pool), idem.WithStoreTimeout(3*time.Second))
	var injected *idemtest.Injection
	x.lateClaim("k", nearlyOver, func() { injected = cut.Inject(sql, fault) })
	x.method = func(ctx context.Context, run int64) (string, error) {
		at, cause := beatOf(ctx, t)
		if cause != idem.ErrLeaseLost { //nolint:errorlint // the very value
			t.Errorf("the context ended with %v", cause)
		}
		if end := time.Now().Add(x.leaseLeft("k")); !at.Before(end) {
			t.Errorf("told %v after the lease had ended", at.Sub(end))
		}
		injected.Stop()
		if fault.Gate != nil {
			fault.Gate.Open()
		}
		return "", ctx.Err()
	}
	ctx, info := idem.WithInfo(t.Context())
	if _, err := x.call(ctx, minuteLease, "k", "a"); !errors.Is(err, context.Canceled) || info.Stored {
		t.Errorf("got %v, %+v", err, info)
	}
	if injected.Hits() == 0 {
		t.Error("the fault hit nothing")
	}
	return s, s.events.kinds()
}

func TestB14_FailingRenewalsAreReportedAndEndTheRunBeforeItsLease(t *testing.T) {
	t.Parallel()
	s, events := starved(t, "", idemtest.Fault{Times: idemtest.Always})
	failed, lost := -1, -1
	for i, kind := range events {
		switch {
		case kind == idem.EventStoreFailed && failed < 0:
			failed = i
		case kind == idem.EventLeaseLost:
			lost = i
		}
	}
	if failed < 0 || lost < failed {
		t.Errorf("the events were %v; want failures, and then the loss", events)
	}
	s.await(idem.EventAbandoned, 1)
	if r := s.charged("k"); !r.Abandoned {
		t.Errorf("the row is %v: the database is there again, and the run ended without a known effect", r)
	}
}

func TestPA6_ARunOutlivesItsLeaseByRenewals(t *testing.T) {
	t.Parallel()
	t.Run("a: a failed renewal followed by a good one does not end the claim", func(t *testing.T) {
		t.Parallel()
		s := newStage(t)
		pool, cut := throughCut(s, s.dsn)
		x := s.behindSeam(postgres.NewStore(pool))
		var refused *idemtest.Injection
		x.lateClaim("k", renewalDue, func() { refused = cut.Inject("SKIP LOCKED", idemtest.Fault{}) })
		x.outlives()
		if refused.Hits() != 1 || x.events.count(idem.EventStoreFailed) == 0 {
			t.Errorf("%d renewals failed, and the events are %v", refused.Hits(), x.events.kinds())
		}
	})
	t.Run("b: renewals that hang give up before the lease ends", func(t *testing.T) {
		t.Parallel()
		starved(t, "SKIP LOCKED", idemtest.Fault{Do: idemtest.Delay, Times: idemtest.Always, Gate: idemtest.NewGate(t)})
	})
	t.Run("c: renewals end with the run", everyExit)
	t.Run("d: renewals do not wait for the pool", func(t *testing.T) {
		t.Parallel()
		s := newStage(t)
		pool := pgtest.PoolOf(t, s.dsn, conns(2))
		x := s.behindSeam(postgres.NewStore(pool))
		var taken []*pgxpool.Conn
		x.lateClaim("k", renewalDue, func() { // the application takes all there are
			for range 2 {
				c, err := pool.Acquire(context.Background())
				if err != nil {
					t.Error(err)
					return
				}
				taken = append(taken, c)
			}
		})
		x.outlives(func() {
			if n := pool.Stat().AcquiredConns(); n != 2 {
				t.Errorf("%d connections are in use", n)
			}
			for _, c := range taken {
				c.Release()
			}
		})
	})
}

// outlives runs a method until its lease has been renewed, and a little more.
func (x *seamStage) outlives(then ...func()) {
	x.Helper()
	x.method = func(ctx context.Context, _ int64) (string, error) {
		x.eventually("a renewal", func() bool { return x.leaseLeft("k") > 50*time.Second })
		for _, f := range then {
			f()
		}
		return "slow", context.Cause(ctx)
	}
	ctx, info := idem.WithInfo(context.Background())
	if out, err := x.call(ctx, minuteLease, "k", "a"); out != "slow" || err != nil || !info.Stored {
		x.Errorf("got %q, %v, %+v", out, err, info)
	}
	if n := x.events.count(idem.EventLeaseLost); n != 0 {
		x.Errorf("%d leases were lost", n)
	}
}

func TestB15_EveryExitEndsRenewalsAndTheClaimWithThem(t *testing.T) { everyExit(t) }

// everyExit takes a run that is being renewed through each way out. Its row must say what is known then, and nothing of this process may
// go on renewing it: the goroutines that the call started are gone though the engine lives.
func everyExit(t *testing.T) {
	t.Parallel()
	x := newSeamStage(t)
	var renewals atomic.Int64
	x.seam.before = func(_ context.Context, step idemtest.Step) {
		if step == idemtest.StepRenew {
			renewals.Add(1)
		}
	}
	x.seam.after = func(_ context.Context, step idemtest.Step, r *idem.Row) {
		if step == idemtest.StepClaim {
			x.age(r.Ref.Key, renewalDue)
			r.LeaseLeft -= renewalDue
		}
	}
	for _, exit := range []struct {
		name  string
		leave func(cancel func()) (string, error)
		row   string
	}{
		{"success", func(func()) (string, error) { return "charged", nil }, "done"},
		{"an error", func(func()) (string, error) { return "", errors.New("declined") }, "absent"},
		{"unknown", func(func()) (string, error) { return "", idem.Unknown(errors.New("timeout")) }, "running lapsed abandoned"},
		{"panic", func(func()) (string, error) { panic("card network on fire") }, "running lapsed abandoned"},
		{"Goexit", func(func()) (string, error) { runtime.Goexit(); return "", nil }, "running lapsed abandoned"},
		{"cancelled", func(cancel func()) (string, error) { cancel(); return "", errors.New("gave up") }, "running lapsed abandoned"},
		{"success after the caller left", func(cancel func()) (string, error) { cancel(); return "charged", nil }, "done"},
	} {
		t.Run(exit.name, func(t *testing.T) {
			idemtest.NoLeaks(t)
			before := renewals.Load()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			x.method = func(context.Context, int64) (string, error) {
				x.eventually("a renewal", func() bool { return renewals.Load() > before })
				return exit.leave(cancel)
			}
			left := make(chan struct{})
			go func() {
				defer close(left)
				defer func() { _ = recover() }()
				_, _ = x.call(ctx, minuteLease, exit.name, "a")
			}()
			<-left
			x.wantRowNow(exit.name, exit.row)
		})
	}
}
