package scenarios

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
)

// This file is retries after errors: which of them run, with which arguments, and how a caller tells a replay from a run.

// TestE1: a refusal is no outcome. The client mends the request and sends it under the same key.
func TestE1_ADeniedCallLeavesItsKeyToTheCorrectedOne(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	denied := errors.New("insufficient funds")
	s.method = func(_ context.Context, run int64) (string, error) {
		if run == 1 {
			return "", denied
		}
		return "charged", nil
	}
	ctx, info := idem.WithInfo(t.Context())
	if _, err := s.call(ctx, &charge, "k", "from the empty card"); err != denied || info.Stored { //nolint:errorlint // unchanged
		t.Errorf("got %v, %+v", err, info)
	}
	for i := range 2 {
		ctx, info := idem.WithInfo(t.Context())
		out, err := s.call(ctx, &charge, "k", "from the other card")
		if out != "charged" || err != nil || info.Attempt != 1 || info.Replayed != (i == 1) {
			t.Errorf("the corrected call got %q, %v, %+v", out, err, info)
		}
	}
	_, err := s.call(t.Context(), &charge, "k", "from the empty card") // the outcome is the corrected request's
	wantErr(t, err, idem.ErrMismatch)
	s.wantRuns(2)
}

// TestE2: no failure is returned for ever. An error is not stored unless the method says so, then it expires, and what waits for a person ends when he has decided.
func TestE2_NoFailureIsReturnedForEver(t *testing.T) {
	t.Parallel()
	t.Run("an error", func(t *testing.T) {
		t.Parallel()
		s := newStage(t)
		s.method = func(_ context.Context, run int64) (string, error) {
			if run < 4 {
				return "", errors.New("no such account")
			}
			return "charged", nil
		}
		for range 3 {
			if _, err := s.call(t.Context(), &charge, "k", "a"); err == nil || s.charged("k").State != 0 || s.outcomes() != 0 {
				t.Errorf("got %v, and the row is %s", err, s.charged("k"))
			}
		}
		if out, err := s.call(t.Context(), &charge, "k", "a"); out != "charged" || err != nil {
			t.Errorf("in the end: %q, %v", out, err)
		}
	})
	t.Run("an unknown outcome", func(t *testing.T) {
		t.Parallel()
		s := newStage(t)
		s.method = func(_ context.Context, run int64) (string, error) {
			if run == 1 {
				return "", errors.New("502 Bad Gateway")
			}
			return "charged", nil
		}
		if _, err := s.call(t.Context(), with(holding), "k", "a"); err == nil {
			t.Fatal("no error")
		}
		for range 2 {
			_, err := s.call(t.Context(), with(holding), "k", "a")
			wantErr(t, err, idem.ErrOutcomeUnknown)
		}
		s.exec("DELETE FROM idem_claims WHERE key = 'k' AND state = 4") // somebody found out that it did not happen
		ctx, info := idem.WithInfo(t.Context())
		if out, err := s.call(ctx, with(holding), "k", "corrected"); out != "charged" || err != nil || info.Attempt != 1 {
			t.Errorf("after the decision: %q, %v, %+v", out, err, info)
		}
		s.wantRuns(2)
	})
}

// TestE3: a failed run is not used again: neither by those who waited for it nor by those who come later.
func TestE3_AFailedRunIsNobodyElsesAnswer(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	gate := idemtest.NewGate(t)
	s.method = func(ctx context.Context, run int64) (string, error) {
		_ = gate.Enter(ctx)
		return "", failedRun(run)
	}
	const callers = 4
	calls := make([]<-chan answer, callers)
	for i := range calls {
		calls[i] = s.async(t.Context(), &charge, "k", "a")
	}
	gate.Await(t, 1)
	s.await(idem.EventWaited, callers-1)
	gate.Open()
	seen := map[failedRun]bool{}
	for _, c := range calls {
		var failed failedRun
		if a := <-c; !errors.As(a.err, &failed) || seen[failed] {
			t.Errorf("got %v, which another one got, too", a)
		}
		seen[failed] = true
	}
	s.wantRuns(callers)
	if n := s.events.count(idem.EventReplayed); n != 0 || s.outcomes() != 0 {
		t.Errorf("%d replays, %d outcomes stored", n, s.outcomes())
	}
}

// failedRun is the error of one run.
type failedRun int64

func (e failedRun) Error() string { return fmt.Sprint("run ", int64(e), " failed") }

// statusError is what a client of the other side returns.
type statusError int

func (e statusError) Error() string { return fmt.Sprint("status ", int(e)) }

var gateway = []idem.ErrorRule{idem.ReleaseIs(errDeclined), idem.UnknownAs[statusError]()}

// TestE4: an error of the other side says that nothing happened, or it says nothing. The one lets a corrected request run, the other one only the
// same request, if anybody.
func TestE4_AnErrorSaysNoEffectOrItSaysNothing(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name      string
		err       error
		hold      bool
		corrected error // what another request gets next; nil: it runs
		same      error // what the same request gets then; nil: it runs
		attempt   int   // of the run
	}{
		{"no effect", idem.NoEffect(statusError(503)), false, nil, nil, 1},
		{"no effect, by rule", fmt.Errorf("charge: %w", errDeclined), false, nil, nil, 1},
		{"plain", errors.New("400 Bad Request"), false, nil, nil, 1},
		{"500, by rule", statusError(500), false, idem.ErrMismatch, nil, 2},
		{"504, by mark", idem.Unknown(errors.New("504 Gateway Timeout")), false, idem.ErrMismatch, nil, 2},
		{"timeout", context.DeadlineExceeded, false, idem.ErrMismatch, nil, 2},
		{"no effect, held", idem.NoEffect(statusError(503)), true, nil, nil, 1},
		{"plain, held", errors.New("400 Bad Request"), true, idem.ErrMismatch, idem.ErrOutcomeUnknown, 0},
		{"504, held", statusError(504), true, idem.ErrMismatch, idem.ErrOutcomeUnknown, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			op := with(func(op *idem.Operation[string]) {
				op.Errors = gateway
				if c.hold {
					holding(op)
				}
			})
			s.method = func(_ context.Context, run int64) (string, error) {
				if run == 1 {
					return "", c.err
				}
				return "charged", nil
			}
			if _, err := s.call(t.Context(), op, "k", "a"); err != c.err { //nolint:errorlint // unchanged
				t.Errorf("the first call got %v", err)
			}
			next := "corrected"
			if c.corrected != nil {
				_, err := s.call(t.Context(), op, "k", next)
				wantErr(t, err, c.corrected)
				next = "a"
			}
			ctx, info := idem.WithInfo(t.Context())
			out, err := s.call(ctx, op, "k", next)
			if c.same != nil {
				wantErr(t, err, c.same)
				s.wantRuns(1)
				return
			}
			if out != "charged" || err != nil || info.Replayed || info.Attempt != c.attempt {
				t.Errorf("the next call got %q, %v, %+v; want attempt %d", out, err, info, c.attempt)
			}
			s.wantRuns(2)
		})
	}
}

// TestE4 once more: a plain error says that *this* run had no effect. Of the run before, which nobody heard of again, it says nothing.
func TestE4_APlainErrorOfALaterRunSaysNothingOfTheEarlierOne(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.method = func(_ context.Context, run int64) (string, error) {
		switch run {
		case 1:
			return "", statusError(504)
		case 2:
			return "", errors.New("400 Bad Request")
		case 3:
			return "", idem.NoEffect(errors.New("asked: neither of them happened"))
		}
		return "charged", nil
	}
	op := with(func(op *idem.Operation[string]) { op.Errors = gateway })
	for _, want := range []string{"running lapsed abandoned", "running lapsed abandoned", "absent"} {
		if _, err := s.call(t.Context(), op, "k", "a"); err == nil {
			t.Fatal("no error")
		}
		if got := s.charged("k").String(); got != want {
			t.Errorf("after run %d the row is %q, want %q", s.runs.Load(), got, want)
		}
	}
	if out, err := s.call(t.Context(), op, "k", "corrected"); out != "charged" || err != nil {
		t.Errorf("got %q, %v", out, err)
	}
}

// TestE5: who is given a stored outcome is told that it is one, and when it was stored; a run, failed or not, never looks like that.
func TestE5_AReplayIsToldApartFromARun(t *testing.T) {
	t.Parallel()
	s := newStage(t, idem.WithMaxResult(20))
	gate := idemtest.NewGate(t)
	s.method = func(ctx context.Context, run int64) (string, error) {
		switch run {
		case 1:
			return "", errDeclined
		case 2:
			return "charged", gate.Enter(ctx)
		}
		return "more than is stored of anything", nil
	}
	type told struct {
		out string
		err error
		idem.Info
	}
	call := func(key string) told {
		ctx, info := idem.WithInfo(t.Context())
		out, err := s.call(ctx, &charge, key, "a")
		return told{out, err, *info}
	}
	check := func(who string, got told, err error, replayed, stored bool) {
		t.Helper()
		if !errors.Is(got.err, err) || got.Replayed != replayed || got.Stored != stored || got.Attempt != 1 {
			t.Errorf("%s: %+v", who, got)
		}
		if completed := !errors.Is(got.err, errDeclined); completed == got.CompletedAt.IsZero() || completed == got.ExpiresAt.IsZero() {
			t.Errorf("%s: it was completed at %v and expires at %v", who, got.CompletedAt, got.ExpiresAt)
		}
	}
	check("a failed run", call("k"), errDeclined, false, false)
	first, waiter := make(chan told, 1), make(chan told, 1)
	go func() { first <- call("k") }()
	gate.Await(t, 1)
	go func() { waiter <- call("k") }()
	s.await(idem.EventWaited, 1)
	gate.Open()
	ran, waited, later := <-first, <-waiter, call("k")
	check("a run", ran, nil, false, true)
	check("who waited for it", waited, nil, true, true)
	check("who came later", later, nil, true, true)
	if !ran.CompletedAt.Equal(waited.CompletedAt) || !ran.CompletedAt.Equal(later.CompletedAt) || time.Since(ran.CompletedAt).Abs() > time.Hour {
		t.Errorf("it was stored at %v, %v, %v", ran.CompletedAt, waited.CompletedAt, later.CompletedAt)
	}
	check("a run whose result is not kept", call("large"), nil, false, false)
	check("its replay, which is an error", call("large"), idem.ErrResultNotStored, true, false)
	if n := s.events.count(idem.EventReplayed); n != 3 {
		t.Errorf("%d replays were observed, want 3", n)
	}
	s.wantRuns(3)
}
