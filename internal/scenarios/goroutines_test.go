package scenarios

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
	"github.com/idemgen/idemgen/idem/postgres"
)

// This file is about what engines and stores cost when there are many of them, as in a program that makes one for each of its parts.

const manyEngines = 50

// TestPC9 has each of many engines run, fail, wait and replay, and many stores renew, which opens a connection.
func TestPC9_ManyEnginesAndStoresLeaveNoGoroutine(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	made := make([]*idem.Engine, manyEngines)
	for i := range made {
		made[i], _ = s.oneOfMany()
	}
	t.Run("idle, and not closed", func(t *testing.T) {
		idemtest.NoLeaks(t)
		for i := range manyEngines {
			e, _ := s.oneOfMany()
			made = append(made, e)
			s.busy(made[i], fmt.Sprint("first ", i))
			s.busy(e, fmt.Sprint("second ", i))
		}
	})
	t.Run("closed, sweepers and all", func(t *testing.T) {
		idemtest.NoLeaks(t)
		for i := range manyEngines {
			e, store := s.oneOfMany(idem.WithSweep(time.Second))
			s.busy(e, fmt.Sprint("third ", i))
			if _, err := store.Renew(t.Context(), []idem.Lease{{Owner: idem.Owner{1}, Lease: time.Minute}}); err != nil {
				t.Error(err)
			}
			if i == 0 && s.sessions() <= int(s.pool.Stat().TotalConns()) {
				t.Error("a renewal has opened no connection, and the test shows less")
			}
			if err := e.Close(); err != nil {
				t.Error(err)
			}
		}
	})
	for _, e := range made {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}
	s.eventually("the stores' own connections to close", func() bool {
		return s.sessions() <= int(s.pool.Stat().TotalConns())
	})
}

// oneOfMany is another engine on a store of its own; who makes it closes it.
func (s *stage) oneOfMany(opts ...idem.Option) (*idem.Engine, *postgres.Store) {
	s.Helper()
	store := postgres.NewStore(s.pool)
	e, err := idem.New(store, opts...)
	if err != nil {
		s.Fatal(err)
	}
	return e, store
}

// busy has an engine do a bit of everything for a key.
func (s *stage) busy(e *idem.Engine, key string) {
	s.Helper()
	op := with(func(op *idem.Operation[string]) { op.MaxWait = time.Millisecond })
	declined := errors.New("declined")
	for _, end := range []error{declined, nil, nil} {
		c := s.request(key, "a")
		c.Run = func(ctx context.Context) (string, error) {
			again := s.request(key, "a")
			if _, err := idem.Do(context.Background(), e, op, again); !errors.Is(err, idem.ErrInFlight) {
				s.Errorf("inside its own run: %v", err)
			}
			return "charged", end
		}
		if _, err := idem.Do(context.Background(), e, op, c); !errors.Is(err, end) {
			s.Errorf("%s: %v, want %v", key, err, end)
		}
	}
}

// sessions is how many connections the database has.
func (s *stage) sessions() int {
	s.Helper()
	return 1 + s.backends("true")
}
