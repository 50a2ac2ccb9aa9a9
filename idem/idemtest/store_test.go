package idemtest

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/idemgen/idemgen/idem"
)

// TestB17_TheStoreInMemoryKeepsEveryPromise runs the suite that every store is held to; Postgres is in idem/postgres.
func TestB17_TheStoreInMemoryKeepsEveryPromise(t *testing.T) {
	TestStore(t, func(t *testing.T) Harness {
		t.Parallel()
		return harness(NewStore())
	})
}

// harness is a store in memory as the conformance suite wants it.
func harness(s *Store) Harness {
	return Harness{
		Store: s,
		Age:   func(_ testing.TB, id idem.ID, d time.Duration) { s.Age(id, d) },
		Row:   func(_ testing.TB, id idem.ID) idem.Row { return s.Row(id) },
		Count: func(testing.TB) int { return len(s.Rows()) },
		Lock:  func(_ testing.TB, id idem.ID) func() { return s.Lock(id) },
	}
}

// newTrial is a store in memory, in the words of the suite.
func newTrial(t *testing.T) (*Store, *trial) {
	s := NewStore()
	return s, &trial{TB: t, Harness: harness(s), ctx: t.Context()}
}

func TestStore_ClockIsMovedByTheTest(t *testing.T) {
	t.Parallel()
	s, x := newTrial(t)
	s.StopClock()
	start := s.Now()
	c, _ := x.won()
	s.Advance(lease - 1)
	check(x, "lapsed 1ns before its end", s.Row(c.ID).Lapsed, false)
	check(x, "lease left", s.Row(c.ID).LeaseLeft, 1)
	s.Advance(1)
	check(x, "lapsed at its end", s.Row(c.ID).Lapsed, true)
	check(x, "clock", s.Now(), start.Add(lease))
	s.Advance(-lease)
	check(x, "lapsed, the clock being moved back", s.Row(c.ID).Lapsed, false)
}

func TestStore_ClockFollowsTheRealOneAndWhatWasAdvanced(t *testing.T) {
	t.Parallel()
	s := NewStore()
	s.Advance(time.Hour)
	before := time.Now().Add(time.Hour)
	first := s.Now()
	x := &trial{TB: t}
	x.within("ahead", first.Sub(before), -time.Millisecond, time.Minute)
	for s.Now().Equal(first) { // it runs
		time.Sleep(time.Microsecond)
	}
}

func TestStore_RowsAreSeenAndEdited(t *testing.T) {
	t.Parallel()
	s, x := newTrial(t)
	a, _ := x.won()
	b, _ := x.won()
	rows := s.Rows()
	check(x, "rows", len(rows), 2)
	check(x, "first row", rows[0].ID, a.ID)
	check(x, "second row", rows[1].ID, b.ID)
	s.Edit(a.ID, func(r *idem.Row) { r.State, r.Result, r.Lapsed = idem.StateUnknown, []byte("x"), true })
	check(x, "state", x.stored(a.ID).State, idem.StateUnknown)
	check(x, "lapsed", x.stored(a.ID).Lapsed, false)
	s.Edit(b.ID, func(r *idem.Row) { r.State = idem.StateAbsent })
	check(x, "state", s.Row(b.ID).State, idem.StateAbsent)
	s.Edit(b.ID, func(*idem.Row) { t.Error("edited a row that is not there") })
	s.Age(b.ID, time.Hour)
	check(x, "claims", s.Calls(StepClaim), 2)
	check(x, "releases", s.Calls(StepRelease), 0)
}

func TestStore_RefusesWhatADatabaseWould(t *testing.T) {
	t.Parallel()
	s, x := newTrial(t)
	base := x.fresh()
	for name, spoil := range map[string]func(*idem.Outcome){
		"no fingerprint":       func(o *idem.Outcome) { o.Claim.Fingerprint = nil },
		"long fingerprint":     func(o *idem.Outcome) { o.Claim.Fingerprint = make([]byte, 65) },
		"no operation":         func(o *idem.Outcome) { o.Claim.Ref.Operation = "" },
		"no key":               func(o *idem.Outcome) { o.Claim.Ref.Key = "" },
		"no lease":             func(o *idem.Outcome) { o.Claim.Lease = 0 },
		"negative keep":        func(o *idem.Outcome) { o.Claim.Keep = -1 },
		"running":              func(o *idem.Outcome) { o.State = idem.StateRunning },
		"failed without code":  func(o *idem.Outcome) { o.State = idem.StateFailed },
		"done with code":       func(o *idem.Outcome) { o.Code = "x" },
		"F3: no codec":         func(o *idem.Outcome) { o.Codec = "" },
		"no attempt":           func(o *idem.Outcome) { o.Attempt = 0 },
		"over when it is done": func(o *idem.Outcome) { o.TTL = 0 },
	} {
		o := done(base, idem.Row{Attempt: 1, Fence: 1})
		spoil(&o)
		_, err := s.Complete(t.Context(), o)
		var refusal *idem.StoreError
		if !errors.As(err, &refusal) || !refusal.NotApplied || refusal.Temporary {
			t.Errorf("%s: error = %v, want a refusal", name, err)
		}
	}
	check(x, "rows", len(s.Rows()), 0)
}

func TestStore_LockedRowsMakeStepsWait(t *testing.T) {
	t.Parallel()
	s, x := newTrial(t)
	c, row := x.won()
	unlock := s.Lock(c.ID)
	s.Lock(c.ID)() // somebody else's unlock opens nothing
	ctx, cancel := context.WithCancel(t.Context())
	cancelled, completed := make(chan error), make(chan error)
	go func() { _, err := s.Complete(ctx, done(c, row)); cancelled <- err }()
	cancel()
	if err := <-cancelled; !errors.Is(err, context.Canceled) {
		t.Errorf("error = %v, want the context's", err)
	}
	go func() { _, err := s.Complete(t.Context(), done(c, row)); completed <- err }()
	check(x, "state", s.Row(c.ID).State, idem.StateRunning)
	unlock()
	if err := <-completed; err != nil {
		t.Error(err)
	}
	unlock()
	check(x, "state", s.Row(c.ID).State, idem.StateDone)
}

func TestStore_FollowsVirtualTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, x := newTrial(t)
		c, _ := x.won()
		time.Sleep(lease - time.Nanosecond)
		check(x, "lapsed 1ns before its end", s.Row(c.ID).Lapsed, false)
		time.Sleep(time.Nanosecond)
		check(x, "lapsed at its end", s.Row(c.ID).Lapsed, true)
	})
}

// TestTheStoreInMemoryKeepsEveryPromiseToPeople runs the suite for what people decide; Postgres is in idem/postgres.
func TestTheStoreInMemoryKeepsEveryPromiseToPeople(t *testing.T) {
	TestAdmin(t, func(t *testing.T) Harness {
		t.Parallel()
		return harness(NewStore())
	})
}
