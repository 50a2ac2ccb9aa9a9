package idem_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
)

// This file is the sweeping of an engine, in virtual time: all rows, as many steps as it takes, and again and again. Which rows may go
// is the store's business.

// swept is an engine with a number of outcomes, and what it said of its sweeps.
type swept struct {
	store  *idemtest.Store
	engine *idem.Engine
	events []idem.Event
}

func newSwept(t *testing.T, outcomes int, opts ...idem.Option) *swept {
	t.Helper()
	s := &swept{store: idemtest.NewStore()}
	e, err := idem.New(s.store, append(opts, idem.WithObserver(idem.ObserverFunc(func(_ context.Context, ev idem.Event) {
		if ev.Kind == idem.EventSwept {
			s.events = append(s.events, ev)
		}
	})))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	s.engine = e
	op := pay
	op.TTL = time.Hour
	for i := range outcomes {
		_, err := idem.Do(t.Context(), e, &op, idem.Call[string]{
			Key: idem.StringKey(fmt.Sprint(i)), Run: func(context.Context) (string, error) { return "", nil },
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func TestSweep_ReachesAllRowsAndLeavesThemForTheGrace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const rows = 2500 // more than two steps
		s := newSwept(t, rows)
		defer s.engine.Close()
		s.store.Advance(time.Hour + 50*time.Second) // a minute is the default
		if n, err := s.engine.Sweep(t.Context()); n != 0 || err != nil || len(s.store.Rows()) != rows {
			t.Errorf("%d rows were deleted before their grace was over: %v", n, err)
		}
		s.store.Advance(10 * time.Second)
		if n, err := s.engine.Sweep(t.Context()); n != rows || err != nil || len(s.store.Rows()) != 0 {
			t.Errorf("%d rows were deleted, %d are left: %v", n, len(s.store.Rows()), err)
		}
		if len(s.events) != 2 || s.events[1].Count != rows || s.events[1].Err != nil {
			t.Errorf("events: %+v", s.events)
		}
	})
}

// TestSweep_SaysWhatItDidBeforeItFailed: the first step deletes, the second fails.
func TestSweep_SaysWhatItDidBeforeItFailed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		kind   error
		cancel bool
	}{"the store fails": {idem.ErrStore, false}, "its context ends": {context.Canceled, true}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSwept(t, 1500)
				defer s.engine.Close()
				s.store.Advance(2 * time.Hour)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				gate := idemtest.NewGate(t)
				s.store.Inject(idemtest.StepSweep, idemtest.Fault{Skip: 1, Gate: gate})
				go func() {
					gate.Await(t, 1)
					if c.cancel {
						cancel()
					}
					gate.Open()
				}()
				n, err := s.engine.Sweep(ctx)
				var e *idem.Error
				if !errors.As(err, &e) || e.Kind != c.kind { //nolint:errorlint // not the cause's
					t.Errorf("got %+v", err)
				}
				if n != 1000 || len(s.store.Rows()) != 500 {
					t.Errorf("%d rows were deleted, %d are left: %v", n, len(s.store.Rows()), err)
				}
				if len(s.events) != 1 || s.events[0].Count != n || s.events[0].Err == nil {
					t.Errorf("events: %+v", s.events)
				}
			})
		})
	}
}

// TestSweep_InTheBackgroundGoesOn: one that fails is left to the next.
func TestSweep_InTheBackgroundGoesOn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newSwept(t, 3, idem.WithSweep(10*time.Minute), idem.WithSweepGrace(0))
		failing := s.store.Inject(idemtest.StepSweep, idemtest.Fault{Times: 8})
		time.Sleep(50 * time.Minute)
		if failing.Hits() < 3 || failing.Hits() > 8 || len(s.store.Rows()) != 3 {
			t.Errorf("after %d sweeps %d rows are left", failing.Hits(), len(s.store.Rows()))
		}
		time.Sleep(2 * time.Hour)
		if n := len(s.store.Rows()); n != 0 {
			t.Errorf("%d rows are left", n)
		}
		calls := s.store.Calls(idemtest.StepSweep)
		_ = s.engine.Close()
		time.Sleep(time.Hour)
		if n := s.store.Calls(idemtest.StepSweep); n != calls || calls > 30 {
			t.Errorf("%d sweeps, and %d after the engine was closed", calls, n-calls)
		}
	})
}
