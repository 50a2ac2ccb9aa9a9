package scenarios

import (
	"context"
	"errors"
	"io"
	"sync"
	"testing"
	"time"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
)

// This file is about rows that are taken for something else: a running one for garbage, a failed one for one that is running, one
// that is running for a success.

// TestC5 sweeps without grace, again and again, while a run goes on.
func TestC5_ASweepWithoutGraceLeavesRunningClaims(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		age  time.Duration
		op   func(*idem.Operation[string])
	}{
		{"live", 0, func(op *idem.Operation[string]) { op.TTL = time.Millisecond }},
		{"just lapsed", charge.Lease + time.Second, func(*idem.Operation[string]) {}},
		{"lapsed, and nearly as long as outcomes are kept", charge.Lease + 23*time.Hour, func(*idem.Operation[string]) {}},
		{"lapsed for a century, where nobody runs it again", 876_000 * time.Hour, holding},
		{"lapsed for a century, where outcomes are kept for good", 876_000 * time.Hour, func(op *idem.Operation[string]) { op.TTL = idem.Forever }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, idem.WithSweepGrace(0))
			op := with(c.op)
			op.NoRenew = true
			s.method = func(ctx context.Context, _ int64) (string, error) {
				if c.age > 0 {
					s.age("k", c.age)
				}
				s.sweepALot()
				return "charged", nil
			}
			ctx, info := idem.WithInfo(t.Context())
			if out, err := s.call(ctx, op, "k", "a"); out != "charged" || err != nil || !info.Stored {
				t.Errorf("got %q, %v, %+v", out, err, info)
			}
			if n := s.events.count(idem.EventFenced); n != 0 {
				t.Error("the row was another's when its run ended")
			}
		})
	}
}

// sweepALot sweeps by several at once; none may find anything.
func (s *stage) sweepALot() {
	var sweeps sync.WaitGroup
	for range 3 {
		sweeps.Go(func() {
			for range 5 {
				if n, err := s.engine.Sweep(context.Background()); n != 0 || err != nil {
					s.Errorf("swept %d rows, %v", n, err)
				}
			}
		})
	}
	sweeps.Wait()
}

// TestC5: a lapsed claim that is to be run again is swept when an outcome would be. Should its owner be alive after all, the
// outcome is stored all the same.
func TestC5_AnOwnerWhoseLapsedClaimWasSweptStoresItsOutcome(t *testing.T) {
	t.Parallel()
	s := newStage(t, idem.WithSweepGrace(0))
	op := with(func(op *idem.Operation[string]) { op.NoRenew = true })
	s.method = func(context.Context, int64) (string, error) {
		s.age("k", op.Lease+25*time.Hour)
		if n, err := s.engine.Sweep(context.Background()); n != 1 || err != nil {
			t.Errorf("swept %d rows, %v", n, err)
		}
		return "charged", nil
	}
	for range 2 {
		ctx, info := idem.WithInfo(t.Context())
		if out, err := s.call(ctx, op, "k", "a"); out != "charged" || err != nil || !info.Stored {
			t.Errorf("got %q, %v, %+v", out, err, info)
		}
	}
	s.wantRuns(1)
}

// TestC9: being in flight is an error with no result, in each way to meet it, and the end of a failed run is the end of being in flight.
func TestC9_InFlightIsAnErrorAndAFailedRunEndsIt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		failure error
		attempt int // of the retry
	}{
		{"no effect", idem.NoEffect(errors.New("declined")), 1},
		{"a plain error", errors.New("declined"), 1},
		{"unknown", idem.Unknown(errors.New("timeout")), 2},
		{"a broken connection", io.ErrUnexpectedEOF, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			gate := idemtest.NewGate(t)
			s.method = func(ctx context.Context, run int64) (string, error) {
				if run == 1 {
					return "half done", errors.Join(gate.Enter(ctx), c.failure)
				}
				return "charged", nil
			}
			first := s.async(t.Context(), &charge, "k", "a")
			gate.Await(t, 1)
			impatient := with(func(op *idem.Operation[string]) { op.MaxWait = 20 * time.Millisecond })
			for range 3 {
				for _, op := range []*idem.Operation[string]{with(conflict), impatient} {
					ctx, info := idem.WithInfo(t.Context())
					out, err := s.call(ctx, op, "k", "a")
					if wantErr(t, err, idem.ErrInFlight); out != "" || info.Replayed || info.Stored {
						t.Errorf("in flight, and got %q, %+v", out, info)
					}
				}
			}
			gate.Open()
			if a := <-first; !errors.Is(a.err, c.failure) || a.result != "" {
				t.Errorf("the first got %v", a)
			}
			ctx, info := idem.WithInfo(t.Context())
			if out, err := s.call(ctx, with(conflict), "k", "a"); out != "charged" || err != nil || info.Attempt != c.attempt {
				t.Errorf("the retry got %q, %v, %+v", out, err, info)
			}
			s.wantRuns(2)
		})
	}
}
