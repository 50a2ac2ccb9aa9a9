package scenarios

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
)

func TestB6_OneOfManyTakesALapsedClaimOver(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	gate := idemtest.NewGate(t)
	s.method = func(ctx context.Context, run int64) (string, error) {
		if r, _ := idem.FromContext(ctx); r.Attempt == 1 {
			_ = gate.Enter(context.WithoutCancel(ctx)) // as dead as a process that was killed
			return "", idem.Unknown(errors.New("late"))
		}
		return "second attempt", nil
	}
	dead := s.async(t.Context(), &charge, "k", "a")
	gate.Await(t, 1)
	s.age("k", time.Minute)

	idemtest.Callers(t, 8, func(i int) {
		ctx, info := idem.WithInfo(t.Context())
		out, err := s.call(ctx, &charge, "k", "a")
		if out != "second attempt" || err != nil || info.Attempt != 2 {
			t.Errorf("caller %d got %q, %v, %+v", i, out, err, info)
		}
	})
	if n := s.events.count(idem.EventTakenOver); n != 1 {
		t.Errorf("%d take-overs, want 1", n)
	}
	gate.Open()
	<-dead
	s.wantRuns(2)
	if r := s.charged("k"); r.State != int(idem.StateDone) || r.Attempt != 2 {
		t.Errorf("the row is %+v", r)
	}
}

func TestB7_AnExpiredOutcomeIsRunAnewWithoutASweep(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	if _, err := s.call(t.Context(), &charge, "k", "a"); err != nil {
		t.Fatal(err)
	}
	s.age("k", 25*time.Hour)
	ctx, info := idem.WithInfo(t.Context())
	out, err := s.call(ctx, &charge, "k", "other arguments")
	if out != "ran 2" || err != nil || info.Replayed || info.Attempt != 1 {
		t.Errorf("got %q, %v, %+v; want a first attempt", out, err, info)
	}
	out, err = s.call(t.Context(), &charge, "k", "other arguments")
	if out != "ran 2" || err != nil {
		t.Errorf("the new outcome is not replayed: %q, %v", out, err)
	}
	if n := s.events.count(idem.EventReclaimed); n != 1 {
		t.Errorf("%d reclaims, want 1", n)
	}
}

// TestB8 plays three callers: A is slow, B takes over, and what A writes late must not touch what is B's, nor let C in.
func TestB8_ALateRunLeavesItsSuccessorAlone(t *testing.T) {
	t.Parallel()
	for _, late := range []struct {
		name string
		err  error
	}{
		{"release", errors.New("declined")},
		{"abandon", idem.Unknown(errors.New("timeout"))},
		{"complete", nil},
	} {
		t.Run(late.name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			gates := []*idemtest.Gate{nil, idemtest.NewGate(t), idemtest.NewGate(t)}
			s.method = func(ctx context.Context, run int64) (string, error) {
				if gates[run].Enter(context.WithoutCancel(ctx)); run == 1 {
					return "A", late.err
				}
				return "B", nil
			}
			a := s.async(t.Context(), &charge, "k", "x")
			gates[1].Await(t, 1)
			s.age("k", time.Minute)
			b := s.async(t.Context(), &charge, "k", "x")
			gates[2].Await(t, 1)

			gates[1].Open()
			s.await(idem.EventFenced, 1)
			if r := s.charged("k"); r.State != int(idem.StateRunning) || r.Attempt != 2 || r.Lapsed {
				t.Errorf("A's late %s changed B's row to %+v", late.name, r)
			}
			_, err := s.call(t.Context(), with(conflict), "k", "x")
			wantErr(t, err, idem.ErrInFlight)

			gates[2].Open()
			if got := <-b; got != (answer{"B", nil}) {
				t.Errorf("B got %v", got)
			}
			want := answer{"", late.err}
			if late.err == nil {
				want = answer{"B", nil} // every caller of a key gets the stored outcome
			}
			if got := <-a; got != want {
				t.Errorf("A got %v, want %v", got, want)
			}
			s.wantRuns(2)
		})
	}
}

func TestB10_RenewalKeepsASlowRunAlone(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	op := with(func(op *idem.Operation[string]) { op.Lease = 2 * time.Second })
	var rivals atomic.Int64
	s.method = func(ctx context.Context, run int64) (string, error) {
		for range 20 { // five leases long; a rival looks again and again
			if _, err := s.call(context.Background(), with(conflict), "k", "a"); !errors.Is(err, idem.ErrInFlight) {
				return "", err
			}
			rivals.Add(1)
			select {
			case <-ctx.Done():
				return "", context.Cause(ctx)
			case <-time.After(500 * time.Millisecond):
			}
		}
		return "slow", nil
	}
	if out, err := s.call(t.Context(), op, "k", "a"); out != "slow" || err != nil {
		t.Errorf("got %q, %v; events %v", out, err, s.events.kinds())
	}
	s.wantRuns(1)
	if rivals.Load() != 20 {
		t.Errorf("%d rivals were refused, want 20", rivals.Load())
	}
}
