package idemtest

import (
	"context"
	"errors"
	"testing"

	"github.com/idemgen/idemgen/idem"
)

// claimErr claims a row and returns the error.
func claimErr(ctx context.Context, s *Store, c idem.Claim) error {
	_, err := s.Claim(ctx, c)
	return err
}

func TestFault_Refuse_FailsOneCallAndAppliesNothing(t *testing.T) {
	t.Parallel()
	s, x := newTrial(t)
	i := s.Inject(StepClaim, Fault{})
	c := x.fresh()
	var failure *idem.StoreError
	if err := claimErr(t.Context(), s, c); !errors.As(err, &failure) || !failure.Temporary || failure.NotApplied {
		t.Errorf("error = %v, want a temporary one that says nothing more", err)
	}
	check(x, "state", s.Row(c.ID).State, idem.StateAbsent)
	x.claim(c)
	check(x, "hits", i.Hits(), 1)
	check(x, "calls", s.Calls(StepClaim), 2)
}

func TestFault_LoseAnswer_AppliesAndFails(t *testing.T) {
	t.Parallel()
	s, x := newTrial(t)
	mine := errors.New("mine")
	i := s.Inject(StepClaim, Fault{Do: LoseAnswer, Err: mine})
	c := x.fresh()
	if err := claimErr(t.Context(), s, c); !errors.Is(err, mine) {
		t.Errorf("error = %v, want the test's", err)
	}
	check(x, "owner", s.Row(c.ID).Owner, c.Owner)
	check(x, "hits", i.Hits(), 1)
}

func TestFault_ApplyLate_AppliesWhenItLands(t *testing.T) {
	t.Parallel()
	s, x := newTrial(t)
	c, row := x.won()
	i := s.Inject(StepRelease, Fault{Do: ApplyLate})
	if _, err := s.Release(t.Context(), c.ID, c.Owner); err == nil {
		t.Error("no error")
	}
	x.still(row)
	check(x, "landed", i.Land(), 1)
	check(x, "state", s.Row(c.ID).State, idem.StateAbsent)
	next := x.claim(c)
	check(x, "landed again", i.Land(), 0)
	x.still(next)
}

func TestFault_ApplyLate_KeepsWhatWasSentThen(t *testing.T) {
	t.Parallel()
	s, x := newTrial(t)
	i := s.Inject(StepComplete, Fault{Do: ApplyLate})
	c, row := x.won()
	o := done(c, row)
	ctx, cancel := context.WithCancel(t.Context())
	_, _ = s.Complete(ctx, o)
	cancel()
	want := string(o.Result)
	clear(o.Result)
	check(x, "landed", i.Land(), 1)
	check(x, "result", string(s.Row(c.ID).Result), want)
}

func TestFault_Gates(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		do      Action
		applied bool // while the call waits
		fails   bool // when the gate opens
		state   idem.State
	}{
		{"refuse waits first", Refuse, false, true, idem.StateAbsent},
		{"lose answer is applied first", LoseAnswer, true, true, idem.StateRunning},
		{"apply late waits first", ApplyLate, false, true, idem.StateAbsent},
		{"delay waits first", Delay, false, false, idem.StateRunning},
		{"delay answer is applied first", DelayAnswer, true, false, idem.StateRunning},
		{"lose last is lose answer", LoseLast, true, true, idem.StateRunning},
		{"split is delay answer", Split, true, false, idem.StateRunning},
		{"break is refuse", Break, false, true, idem.StateAbsent},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s, x := newTrial(t)
			gate, claim, answer := NewGate(t), x.fresh(), make(chan error)
			s.Inject(StepClaim, Fault{Do: c.do, Gate: gate})
			go func() { answer <- claimErr(t.Context(), s, claim) }()
			gate.Await(t, 1)
			check(x, "applied", s.Row(claim.ID).State != idem.StateAbsent, c.applied)
			gate.Open()
			check(x, "failed", <-answer != nil, c.fails)
			check(x, "state", s.Row(claim.ID).State, c.state)
		})
	}
}

func TestFault_AGateLetsGoWhenTheContextEnds(t *testing.T) {
	t.Parallel()
	for _, do := range []Action{Refuse, LoseAnswer, ApplyLate, Delay, DelayAnswer} {
		s, x := newTrial(t)
		gate, claim, answer := NewGate(t), x.fresh(), make(chan error)
		i := s.Inject(StepClaim, Fault{Do: do, Gate: gate})
		ctx, cancel := context.WithCancel(t.Context())
		go func() { answer <- claimErr(ctx, s, claim) }()
		gate.Await(t, 1)
		cancel()
		var failure *idem.StoreError
		if err := <-answer; !errors.Is(err, context.Canceled) || !errors.As(err, &failure) || failure.NotApplied {
			t.Errorf("action %d: error = %v, want the context's, saying nothing more", do, err)
		}
		check(x, "landed", i.Land() == 1, do == ApplyLate)
		check(x, "applied", s.Row(claim.ID).State == idem.StateRunning, do == LoseAnswer || do == DelayAnswer || do == ApplyLate)
	}
}

func TestFault_ChoosesItsCalls(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		faults []Fault
		fails  string // of five claims
	}{
		{"the next one", []Fault{{}}, "x...."},
		{"the third", []Fault{{Skip: 2}}, "..x.."},
		{"two from the second on", []Fault{{Skip: 1, Times: 2}}, ".xx.."},
		{"all", []Fault{{Times: Always}}, "xxxxx"},
		{"several, each in its turn", []Fault{{}, {}}, "xx..."},
		{"a later one does not count what an earlier one hit", []Fault{{}, {Skip: 1}}, "x.x.."},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s, x := newTrial(t)
			hits := 0
			var injected []*Injection
			for _, f := range c.faults {
				injected = append(injected, s.Inject(StepClaim, f))
			}
			fails := ""
			for range 5 {
				if claimErr(t.Context(), s, x.fresh()) != nil {
					fails += "x"
					hits++
				} else {
					fails += "."
				}
			}
			check(x, "failing claims", fails, c.fails)
			for _, i := range injected {
				hits -= i.Hits()
			}
			check(x, "hits not counted", hits, 0)
		})
	}
}

func TestFault_HitsOneRowOneStepUntilStopped(t *testing.T) {
	t.Parallel()
	s, x := newTrial(t)
	a, b := x.fresh(), x.fresh()
	i := s.Inject(StepClaim, Fault{Times: Always, ID: a.ID})
	x.claim(b)
	x.read(a.ID)
	for range 2 {
		if claimErr(t.Context(), s, a) == nil {
			t.Error("no error")
		}
	}
	i.Stop()
	x.claim(a)
	check(x, "hits", i.Hits(), 2)
	s.Inject(StepRenew, Fault{ID: a.ID})
	lease := func(c idem.Claim) idem.Lease { return idem.Lease{ID: c.ID, Owner: c.Owner, Lease: lease} }
	x.renew(lease(b))
	if _, err := s.Renew(t.Context(), []idem.Lease{lease(b), lease(a)}); err == nil {
		t.Error("a renewal of several rows, one of them hit, did not fail")
	}
}
