package scenarios

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/postgres"
)

// This file is about things that are decided apart from each other: how long a claim is valid and how long an outcome is kept, whether a failed run
// lets others in and whether its error is anybody's answer, and that neither a person nor a restart is needed for any of it.

// TestB5 has one row for each decision that others made together.
func TestB5_LeaseRetentionAndErrorsAreDecidedApart(t *testing.T) {
	t.Parallel()
	op := with(func(op *idem.Operation[string]) { op.TTL, op.Policy = 48*time.Hour, idem.PolicyConflict })
	t.Run("a crash bars the key for a lease, not for the retention", func(t *testing.T) {
		t.Parallel()
		s := newStage(t)
		s.dies(op, "k")
		_, err := s.call(t.Context(), op, "k", "a")
		if e := wantErr(t, err, idem.ErrInFlight); e.RetryAfter > op.Lease {
			t.Errorf("the key is barred for %v", e.RetryAfter)
		}
		s.age("k", op.Lease)
		out, err := s.call(t.Context(), op, "k", "a")
		s.wantAnswer(answer{out, err}, "ran 1", nil)
	})
	t.Run("a run that failed half-way is not released", func(t *testing.T) {
		t.Parallel()
		s := newStage(t)
		s.method = func(context.Context, int64) (string, error) { return "", context.DeadlineExceeded }
		_, err := s.call(t.Context(), op, "k", "a")
		s.wantAnswer(answer{"", err}, "", context.DeadlineExceeded)
		s.wantRow("k", "running lapsed abandoned")
		_, err = s.call(t.Context(), op, "k", "other arguments")
		wantErr(t, err, idem.ErrMismatch)
	})
	t.Run("no error becomes an outcome by itself", func(t *testing.T) {
		t.Parallel()
		s := newStage(t)
		refused := errors.New("503")
		s.method = func(_ context.Context, run int64) (string, error) {
			if run == 1 {
				return "", refused
			}
			return "charged", nil
		}
		_, err := s.call(t.Context(), op, "k", "a")
		s.wantAnswer(answer{"", err}, "", refused)
		out, err := s.call(t.Context(), op, "k", "a")
		s.wantAnswer(answer{out, err}, "charged", nil)
	})
}

// dies leaves a claim behind as a process that was killed does: running, with nobody who renews it.
func (s *stage) dies(op *idem.Operation[string], key string) {
	s.Helper()
	store := postgres.NewStore(s.pool)
	defer store.Close()
	died := errors.New("died")
	method := s.method
	s.method = func(context.Context, int64) (string, error) { return "", idem.Unknown(died) }
	if _, err := s.call(s.Context(), op, key, "a"); !errors.Is(err, died) {
		s.Fatal(err)
	}
	s.method = method
	s.runs.Add(-1)
	s.editRow(key, "abandoned = false, lease_until = clock_timestamp() + $2::interval", op.Lease)
}

// TestD6: the retry of a call whose server crashed gets its answer when the lease is over, and waits for no more than that.
func TestD6_TheRetryAfterACrashGetsItsAnswerWhenTheLeaseIsOver(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	op := with(func(op *idem.Operation[string]) { op.Lease = 2 * time.Second })
	s.dies(op, "k")
	began := time.Now()
	out, err := s.call(t.Context(), op, "k", "a")
	s.wantAnswer(answer{out, err}, "ran 1", nil)
	if took := time.Since(began); took < op.Lease/2 || took > enough {
		t.Errorf("it took %v; the lease is %v", took, op.Lease)
	}
	if r := s.charged("k"); r.Attempt != 2 || r.Lapses != 1 {
		t.Errorf("the row is %+v", r)
	}
}

// TestPA8: whoever calls takes over, in whatever process; nobody is restarted for it, and nobody is asked.
func TestPA8_AnyProcessTakesADeadOnesClaimOverByItself(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	op := with(func(op *idem.Operation[string]) { op.Lease = time.Second })
	s.dies(op, "k")
	other := s.anotherProcess()
	out, err := other.call(t.Context(), op, "k", "a")
	s.wantAnswer(answer{out, err}, "ran 1", nil)
	if n := other.events.count(idem.EventTakenOver); n != 1 {
		t.Errorf("events: %v", other.events.kinds())
	}
}

// TestPA10: a released key is as new.
func TestPA10_AReleasedKeyTakesOtherArguments(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	declined := errors.New("declined")
	s.method = func(_ context.Context, run int64) (string, error) {
		if run == 1 {
			return "", idem.NoEffect(declined)
		}
		return "charged", nil
	}
	if _, err := s.call(t.Context(), &charge, "k", "too much"); !errors.Is(err, declined) {
		t.Fatal(err)
	}
	s.wantRow("k", "absent")
	out, err := s.call(t.Context(), &charge, "k", "less")
	s.wantAnswer(answer{out, err}, "charged", nil)
	_, err = s.call(t.Context(), &charge, "k", "too much")
	wantErr(t, err, idem.ErrMismatch)
	s.wantRuns(2)
}

// TestPD11: until the last moment of its retention an outcome is the answer, sweeps or no sweeps; what is kept for good is so.
func TestPD11_RetentionIsTheHorizonAndNoSweepShortensIt(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	forever := with(func(op *idem.Operation[string]) { op.TTL = idem.Forever })
	s.wantAnswer(s.insist(&charge, "a day", "a"), "ran 1", nil)
	s.wantAnswer(s.insist(forever, "for good", "a"), "ran 2", nil)
	sweep := func(want int) {
		t.Helper()
		if deleted, err := s.sweeper().Sweep(t.Context()); deleted != want || err != nil {
			t.Errorf("a sweep deleted %d rows, %v; want %d", deleted, err, want)
		}
	}
	for _, key := range []string{"a day", "for good"} {
		s.age(key, defaultTTL-time.Minute)
	}
	sweep(0)
	s.wantAnswer(s.insist(&charge, "a day", "a"), "ran 1", nil)
	for _, key := range []string{"a day", "for good"} {
		s.age(key, 2*time.Minute)
	}
	sweep(1)
	s.wantAnswer(s.insist(&charge, "a day", "a"), "ran 3", nil)
	s.age("for good", 100*365*24*time.Hour)
	sweep(0)
	s.wantAnswer(s.insist(forever, "for good", "a"), "ran 2", nil)
}
