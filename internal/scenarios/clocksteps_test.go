package scenarios

import (
	"context"
	"testing"
	"time"

	"github.com/idemgen/idemgen/idem"
)

// This file steps the database's clock, as an administrator or a time server does. Forward it ends leases early, and that is a lapse
// like any other; back it makes a dead call's claim live longer, and nobody waits for it beyond his own patience.

func TestClockStep_ForwardIsALapseAndAllGetOneAnswer(t *testing.T) {
	t.Parallel()
	x := newClockStage(t, 0)
	ctx, info := idem.WithInfo(t.Context())
	first := make(chan answer, 1)
	go func() {
		out, err := x.call(ctx, &charge, "k", "a")
		first <- answer{out, err}
	}()
	x.gate.Await(t, 1)
	x.setClock("ahead = $1::interval", time.Hour)
	out, err := x.call(t.Context(), &charge, "k", "a")
	x.wantAnswer(answer{out, err}, "ran 2", nil)
	x.gate.Open()
	x.wantAnswer(<-first, "ran 2", nil)
	if info.Attempt != 2 || x.events.count(idem.EventFenced) != 1 {
		t.Errorf("%+v; events: %v", info, x.events.kinds())
	}
	x.wantRuns(2)
}

// TestClockStep_ForwardUnderARenewalCostsNothing: who renews before anybody comes has his lease again, by the new time.
func TestClockStep_ForwardUnderARenewalCostsNothing(t *testing.T) {
	t.Parallel()
	x := newClockStage(t, 0)
	op := with(func(op *idem.Operation[string]) { op.Lease, op.Policy = 3*time.Second, idem.PolicyConflict })
	first := x.async(t.Context(), op, "k", "a")
	x.gate.Await(t, 1)
	x.setClock("ahead = $1::interval", time.Hour)
	x.eventually("a renewal", func() bool { return x.leaseLeft("k") > 0 })
	_, err := x.call(t.Context(), op, "k", "a")
	wantErr(t, err, idem.ErrInFlight)
	x.gate.Open()
	x.wantAnswer(<-first, "ran 1", nil)
	x.wantRuns(1)
}

func TestClockStep_BackKeepsADeadClaimAndNoWaiterBeyondHisPatience(t *testing.T) {
	t.Parallel()
	x := newClockStage(t, 0)
	dead := with(func(op *idem.Operation[string]) { op.NoRenew = true })
	first := x.async(context.Background(), dead, "dead", "a") // as good as dead: it neither renews nor ends
	x.gate.Await(t, 1)
	x.setClock("ahead = $1::interval", -time.Hour)
	began := time.Now()
	_, err := x.call(t.Context(), with(func(op *idem.Operation[string]) { op.MaxWait = 300 * time.Millisecond }), "dead", "a")
	if e := wantErr(t, err, idem.ErrInFlight); e.RetryAfter < time.Minute {
		t.Errorf("the waiter is told to come back in %v", e.RetryAfter)
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("the waiter waited for %v", took)
	}
	x.setClock("ahead = $1::interval", time.Minute) // an hour later
	out, err := x.call(t.Context(), &charge, "dead", "a")
	x.wantAnswer(answer{out, err}, "ran 2", nil)
	x.gate.Open()
	x.wantAnswer(<-first, "ran 2", nil)
}

// TestClockStep_BackUnderARunIsMendedByItsRenewal: the next renewal counts from the new time, so that a later death is noticed in time.
func TestClockStep_BackUnderARunIsMendedByItsRenewal(t *testing.T) {
	t.Parallel()
	x := newClockStage(t, 0)
	const lease = 3 * time.Second
	first := x.async(t.Context(), with(func(op *idem.Operation[string]) { op.Lease = lease }), "k", "a")
	x.gate.Await(t, 1)
	x.setClock("ahead = $1::interval", -time.Hour)
	x.eventually("a renewal", func() bool { return x.leaseLeft("k") <= lease })
	x.gate.Open()
	x.wantAnswer(<-first, "ran 1", nil)
	ctx, info := idem.WithInfo(t.Context())
	out, err := x.call(ctx, &charge, "k", "a")
	x.wantAnswer(answer{out, err}, "ran 1", nil)
	if left := info.ExpiresAt.Sub(x.now()); !info.Replayed || left > defaultTTL || left < defaultTTL-time.Minute {
		t.Errorf("kept for %v; %+v", left, info)
	}
	x.wantRuns(1)
}
