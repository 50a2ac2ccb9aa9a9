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

// This file is about claims whose owner is gone, or late: that their lease ends them, whatever else is configured, and what an
// owner may still do who comes back.

// TestB1: how long an outcome is kept says nothing about how long a dead claim bars the way.
func TestB1_TheLeaseEndsADeadClaimHoweverLongOutcomesAreKept(t *testing.T) {
	t.Parallel()
	for name, ttl := range map[string]time.Duration{"a minute": time.Minute, "a day": 24 * time.Hour, "for good": idem.Forever} {
		t.Run("kept "+name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			gate := idemtest.NewGate(t)
			s.method = func(ctx context.Context, run int64) (string, error) {
				if run == 1 {
					return "late", gate.Enter(context.WithoutCancel(ctx)) // as dead as a process that was killed
				}
				return "second", nil
			}
			op := with(func(op *idem.Operation[string]) { op.TTL, op.NoRenew, op.Policy = ttl, true, idem.PolicyConflict })
			s.async(t.Context(), op, "k", "a")
			gate.Await(t, 1)
			_, err := s.call(t.Context(), op, "k", "a")
			wantErr(t, err, idem.ErrInFlight)
			var expires *time.Time
			if err := s.pool.QueryRow(t.Context(), "SELECT expires_at FROM idem_claims").Scan(&expires); err != nil || expires != nil {
				t.Errorf("a running row expires at %v, %v", expires, err)
			}
			s.age("k", op.Lease+time.Second)
			ctx, info := idem.WithInfo(t.Context())
			if out, err := s.call(ctx, op, "k", "a"); out != "second" || err != nil || info.Attempt != 2 {
				t.Errorf("got %q, %v, %+v; want the claim taken over", out, err, info)
			}
		})
	}
}

// TestB2 stops the database's clock, so that what a lease is can be read exactly.
func TestB2_EveryClaimHasALeaseAndItIsTheOneAskedFor(t *testing.T) {
	t.Parallel()
	x := newClockStage(t, 0)
	x.gate.Open()
	x.stopAt(x.now())
	for asked, want := range map[time.Duration]time.Duration{
		0: 15 * time.Second, 100 * time.Millisecond: 100 * time.Millisecond, 365 * 24 * time.Hour: 365 * 24 * time.Hour,
		-1: 0, -time.Hour: 0, 1: 0, 99 * time.Millisecond: 0, 365*24*time.Hour + 1: 0, idem.Forever: 0, // 0: refused
	} {
		key, got := asked.String(), time.Duration(0)
		x.method = func(context.Context, int64) (string, error) {
			got = x.leaseLeft(key)
			return "ran", nil
		}
		_, err := x.call(t.Context(), with(func(op *idem.Operation[string]) { op.Lease = asked }), key, "a")
		switch {
		case want == 0 && (!errors.Is(err, idem.ErrBadOperation) || got != 0 || x.charged(key).State != 0):
			t.Errorf("a lease of %v: %v, %v, row %v; want it refused", asked, got, err, x.charged(key))
		case want != 0 && (err != nil || got != want):
			t.Errorf("a lease of %v: %v, %v; want %v", asked, got, err, want)
		}
	}
}

func TestB2_ACallWhoseTimeIsUpLeavesNoClaim(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	past, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Hour))
	defer cancel()
	_, err := s.call(past, &charge, "k", "a")
	wantErr(t, err, context.DeadlineExceeded)
	if r := s.charged("k"); r.State != 0 {
		t.Errorf("the row is %v", r)
	}
	s.wantRuns(0)
	for _, lease := range []string{"NULL", "'infinity'", "'-infinity'"} { // nor can anything else make one without an end
		if _, err := s.pool.Exec(t.Context(), fmt.Sprintf(`INSERT INTO idem_claims (id, owner, fence, lease_until, claimed_at, attempt, lapses, state,
			abandoned, fingerprint, operation, scope) VALUES (gen_random_uuid(), gen_random_uuid(), 1, %s, now(), 1, 0, 1, false, '\x01', 'o', '')`, lease)); err == nil {
			t.Errorf("the table takes a running row with a lease until %s", lease)
		}
	}
}

// TestPA3 plays three attempts, of which the first two return when the third is running.
func TestPA3_OldAttemptsResultsDoNotFinishTheNewOne(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	gates := []*idemtest.Gate{nil, idemtest.NewGate(t), idemtest.NewGate(t), idemtest.NewGate(t)}
	s.method = func(ctx context.Context, run int64) (string, error) {
		return fmt.Sprint("attempt ", run), gates[run].Enter(context.WithoutCancel(ctx))
	}
	var calls []<-chan answer
	for attempt := 1; attempt <= 3; attempt++ {
		calls = append(calls, s.async(t.Context(), &charge, "k", "a"))
		gates[attempt].Await(t, 1)
		if attempt < 3 {
			s.age("k", time.Minute)
		}
	}
	for old := 1; old <= 2; old++ {
		gates[old].Open()
		s.await(idem.EventFenced, old)
		if r := s.charged("k"); r.State != int(idem.StateRunning) || r.Attempt != 3 || r.Lapsed || r.Result != nil {
			t.Errorf("attempt %d's late result left %+v", old, r)
		}
		_, err := s.call(t.Context(), with(conflict), "k", "a")
		wantErr(t, err, idem.ErrInFlight)
	}
	gates[3].Open()
	for i, c := range calls {
		if a := <-c; a != (answer{"attempt 3", nil}) {
			t.Errorf("the caller of attempt %d got %v", i+1, a)
		}
	}
	s.wantRuns(3)
}

// TestPA4 takes one key through everything that ends an owner's time, its row's deletion in each way there is included.
func TestPA4_TheFenceGrowsThroughReleaseSweepAndReclaim(t *testing.T) {
	t.Parallel()
	s := newStage(t, idem.WithSweepGrace(0))
	var fences []int64
	run := func(what string, end error) {
		s.method = func(ctx context.Context, _ int64) (string, error) {
			r, _ := idem.FromContext(ctx)
			fences = append(fences, r.Fence)
			return "", end
		}
		before := len(fences)
		if _, err := s.call(t.Context(), &charge, "k", "a"); err != end { //nolint:errorlint // unchanged
			t.Errorf("%s: %v", what, err)
		}
		if len(fences) != before+1 {
			t.Fatalf("%s: not run", what)
		}
	}
	sweep := func(want int) {
		if n, err := s.engine.Sweep(t.Context()); n != want || err != nil {
			t.Errorf("swept %d rows, %v; want %d", n, err, want)
		}
	}
	unknown := idem.Unknown(errors.New("timeout"))
	run("claimed", errors.New("declined"))
	run("claimed after a release", nil)
	s.age("k", 25*time.Hour)
	run("reclaimed", nil)
	s.age("k", 25*time.Hour)
	sweep(1)
	run("claimed after a sweep of its outcome", unknown)
	run("taken over", unknown)
	s.age("k", 25*time.Hour)
	sweep(1)
	run("claimed after a sweep of an abandoned claim", unknown)
	run("taken over again", idem.NoEffect(errors.New("declined")))
	run("claimed after a later attempt's release", nil)
	s.exec("DELETE FROM idem_claims")
	run("claimed after somebody emptied the table", nil)
	for i := 1; i < len(fences); i++ {
		if fences[i] <= fences[i-1] {
			t.Errorf("fences %v do not grow", fences)
		}
	}
}

// TestPA5: an owner who is late and was not replaced has a true result, and throwing it away is what makes the effect happen twice.
func TestPA5_ALateResultThatNobodyContestsIsStored(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		late time.Duration // after the lease
		op   *idem.Operation[string]
	}{
		{"by a second", time.Second, &charge},
		{"by an hour", time.Hour, &charge},
		{"by so much that the claim counts as expired", 48 * time.Hour, &charge},
		{"and nobody may run it again", time.Hour, with(holding)},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newSeamStage(t)
			late := idemtest.NewGate(t)
			s.seam.before = func(ctx context.Context, step idemtest.Step) {
				if step == idemtest.StepRenew {
					_ = late.Enter(ctx) // so that no renewal helps
				}
			}
			op := *c.op
			op.NoRenew = true
			s.method = func(ctx context.Context, run int64) (string, error) {
				s.age("k", op.Lease+c.late)
				if r := s.charged("k"); !r.Lapsed {
					t.Errorf("the row is %v", r)
				}
				return fmt.Sprint("run ", run), nil
			}
			ctx, info := idem.WithInfo(t.Context())
			if out, err := s.call(ctx, &op, "k", "a"); out != "run 1" || err != nil || !info.Stored {
				t.Errorf("the late owner got %q, %v, %+v", out, err, info)
			}
			if left := time.Until(info.ExpiresAt); left < 23*time.Hour {
				t.Errorf("it is kept for %v, counted from something else than its completion", left)
			}
			if out, err := s.call(t.Context(), &op, "k", "a"); out != "run 1" || err != nil {
				t.Errorf("a later call got %q, %v", out, err)
			}
			s.wantRuns(1)
		})
	}
}
