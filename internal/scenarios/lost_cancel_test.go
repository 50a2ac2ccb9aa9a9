package scenarios

import (
	"context"
	crand "crypto/rand"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
	"github.com/idemgen/idemgen/internal/pgtest"
)

// This file cancels many calls while their claim is on its way. About half of those claims are won all the same, by nobody any
// more, and every one has to be given back: deleted, or expired.

// TestD8_CallsCancelledMidClaimLeaveNothingBehind cancels each call at a random moment after its claim was sent.
func TestD8_CallsCancelledMidClaimLeaveNothingBehind(t *testing.T) {
	t.Parallel()
	s := stageOn(t, pgtest.Database(t), traced(onceSent))
	const calls, callers = 300, 6
	var took [9]time.Duration
	for i := range took {
		began := time.Now()
		if _, err := s.call(t.Context(), &charge, fmt.Sprint("warm up ", i), "a"); err != nil {
			t.Fatal(err)
		}
		took[i] = time.Since(began)
	}
	slices.Sort(took[:])
	typical := took[len(took)/2] // of a claim and a complete

	var answered atomic.Int64
	idemtest.Callers(t, callers, func(int) {
		for range calls / callers {
			ctx, cancel := context.WithCancel(t.Context())
			ctx = whenSent(ctx, func() { time.AfterFunc(rand.N(typical), cancel) })
			switch _, err := s.call(ctx, &charge, crand.Text(), "a"); {
			case err == nil:
				answered.Add(1)
			case !errors.Is(err, context.Canceled):
				t.Errorf("a cancelled call got %v", err)
			}
			cancel()
		}
	})
	if err := s.engine.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	ran := answered.Load() + int64(len(took))
	s.wantRuns(ran) // and no cancelled call
	var done, left int64
	if err := s.pool.QueryRow(t.Context(), "SELECT count(*) FILTER (WHERE state = 2), count(*) FILTER (WHERE state <> 2 AND lease_until + keep > clock_timestamp()) FROM idem_claims").Scan(&done, &left); err != nil {
		t.Fatal(err)
	}
	if done != ran || left != 0 {
		t.Errorf("%d rows are done, want %d; %d were left behind", done, ran, left)
	}
	s.eventually("all connections back in the pool", func() bool { return s.pool.Stat().AcquiredConns() == 0 })
	cancelled, givenBack := calls-answered.Load(), s.events.count(idem.EventReleased)
	t.Attr("figures", fmt.Sprintf("cancelled: %d of %d; given back: %d", cancelled, calls, givenBack))
	if cancelled < calls/10 || givenBack < calls/20 {
		t.Error("too few to show anything")
	}
}

type sendKey struct{}

// whenSent returns a context whose first batch calls f when it is sent.
func whenSent(ctx context.Context, f func()) context.Context {
	return context.WithValue(ctx, sendKey{}, sync.OnceFunc(f))
}

// onceSent is a tracer for contexts of whenSent.
func onceSent(ctx context.Context, batch bool, _ ...string) {
	if f, ok := ctx.Value(sendKey{}).(func()); ok && batch {
		f()
	}
}
