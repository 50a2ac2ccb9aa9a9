package scenarios

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/postgres"
)

// This file is about what is taken for an outcome: a row that has one, and nothing else that a row may hold.

// countedJSON counts what it is given to decode.
type countedJSON struct {
	idem.JSON[string]
	decoded *atomic.Int64
}

func (c countedJSON) Decode(ref idem.Ref, data []byte) (string, error) {
	c.decoded.Add(1)
	return c.JSON.Decode(ref, data)
}

// TestA10 has duplicates come all the time while a run goes on, and looks at the row itself as often: a first claim, and one of a row
// whose old outcome has expired.
func TestA10_ARunningRowIsNeverDecoded(t *testing.T) {
	t.Parallel()
	for _, before := range []string{"nothing", "an expired outcome"} {
		t.Run("after "+before, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			var decoded atomic.Int64
			op := with(func(op *idem.Operation[string]) { op.Codec = countedJSON{decoded: &decoded} })
			refusing := with(func(op *idem.Operation[string]) {
				op.Codec, op.Policy = countedJSON{decoded: &decoded}, idem.PolicyConflict
			})
			if before != "nothing" {
				if _, err := s.call(t.Context(), op, "k", "a"); err != nil {
					t.Fatal(err)
				}
				s.age("k", 25*time.Hour)
			}
			gate := s.gatedInContext()
			winner, waiter := s.async(t.Context(), op, "k", "a"), (<-chan answer)(nil)
			gate.Await(t, 1)
			waiter = s.async(t.Context(), op, "k", "a")
			s.await(idem.EventWaited, 1)
			s.whileLooking("k", func() {
				for s.events.count(idem.EventConflict) < 50 {
					if out, err := s.call(t.Context(), refusing, "k", "a"); out != "" || !errors.Is(err, idem.ErrInFlight) {
						t.Errorf("a duplicate got %q, %v", out, err)
						return
					}
				}
			})
			if n := decoded.Load(); n != 0 {
				t.Errorf("%d outcomes were decoded while there was none", n)
			}
			gate.Open()
			for _, c := range []<-chan answer{winner, waiter} {
				if a := <-c; a != (answer{"charged", nil}) {
					t.Errorf("got %v", a)
				}
			}
			if n := decoded.Load(); n != 1 {
				t.Errorf("%d outcomes were decoded by one waiter", n)
			}
		})
	}
}

// whileLooking runs do, and reads the row through a store of its own all the while: as long as it is running, it has nothing to decode.
func (s *stage) whileLooking(key string, do func()) {
	s.Helper()
	store := postgres.NewStore(s.pool)
	defer store.Close()
	var looking sync.WaitGroup
	done := make(chan struct{})
	looks := 0
	looking.Go(func() {
		for {
			rows, err := store.Read(context.Background(), []idem.ID{rowID(key)})
			if err != nil {
				s.Error(err)
				return
			}
			if r := rows[0]; r.State != idem.StateRunning || r.Codec != "" || len(r.Result) != 0 || !r.CompletedAt.IsZero() {
				s.Errorf("a running row reads as %+v", r)
				return
			}
			looks++
			select {
			case <-done:
				return
			default:
			}
		}
	})
	do()
	close(done)
	looking.Wait()
	if looks == 0 {
		s.Error("nobody looked")
	}
}

// TestA10: a row that nobody may decide about has nothing to decode either, in whatever state it ended up.
func TestA10_ARowWithoutOutcomeIsNeverDecoded(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	var decoded atomic.Int64
	op := with(func(op *idem.Operation[string]) {
		holding(op)
		op.Codec = countedJSON{decoded: &decoded}
	})
	s.method = func(context.Context, int64) (string, error) { return "lost", context.Canceled }
	if _, err := s.call(t.Context(), op, "k", "a"); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	for range 3 {
		out, err := s.call(t.Context(), op, "k", "a")
		if wantErr(t, err, idem.ErrOutcomeUnknown); out != "" {
			t.Errorf("got %q", out)
		}
	}
	if n := decoded.Load(); n != 0 {
		t.Errorf("%d outcomes were decoded", n)
	}
}
