package idem_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
)

// This file is what calls get after a person has decided, and what becomes of a run that comes back when one has.

func holding(op *idem.Operation[string])   { op.Takeover = idem.TakeoverHold }
func impatient(op *idem.Operation[string]) { op.MaxAttempts = 1 }

// decide carries a person's decision about the row out, as it is now.
func (p *play) decide(a idem.Action, result idem.StoredResult) {
	p.Helper()
	row := p.store.Row(payRow)
	_, err := idem.Decide(p.Context(), p.store, idem.Decision{
		ID: payRow, Seen: idem.Seen{State: row.State, Owner: row.Owner}, Action: a, Force: true, Who: "ann", Why: "looked it up", Result: result,
	})
	if err != nil {
		p.Errorf("%s: %v", a, err)
	}
}

// found is a result as the method would have stored it.
func (p *play) found() idem.StoredResult {
	p.Helper()
	r, err := idem.ResultOf(&pay, idem.Ref{Operation: pay.Name, Key: "k"}, "found")
	if err != nil {
		p.Fatal(err)
	}
	return r
}

// stuck leaves an unknown claim of a run that died.
func (p *play) stuck(change func(*idem.Operation[string])) {
	p.Helper()
	p.method = func(context.Context, int64) (string, error) { panic("after the charge") }
	func() {
		defer func() { _ = recover() }()
		_, _ = p.pay(p.Context(), change)
	}()
	p.method = nil
	if _, err := p.pay(p.Context(), change); !errors.Is(err, idem.ErrOutcomeUnknown) {
		p.Fatalf("the claim is not stuck: %v", err)
	}
}

// TestDecide_WhatDidNotHappenRunsOnce: under hold, and where the attempts are used up, nobody would run it again by himself.
func TestDecide_WhatDidNotHappenRunsOnce(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*idem.Operation[string]){"hold": holding, "attempts used up": impatient} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlay(t)
			p.stuck(change)
			p.decide(idem.ActionNotHappened, idem.StoredResult{})
			op := pay
			change(&op)
			_, err := idem.Do(t.Context(), p.engine, &op, idem.Call[string]{
				Key: idem.StringKey("k"), Args: func(f *idem.Fingerprint) { f.Add("cents", 200) },
				Run: func(context.Context) (string, error) { return "", errors.New("it ran with other arguments") },
			})
			if !errors.Is(err, idem.ErrMismatch) {
				t.Errorf("with other arguments: %v", err)
			}
			attempt := 0
			p.method = func(ctx context.Context, _ int64) (string, error) {
				run, _ := idem.FromContext(ctx)
				attempt = run.Attempt
				return "paid", nil
			}
			if out, err := p.pay(t.Context(), change); out != "paid" || err != nil || attempt != 2 {
				t.Errorf("the next call got %q, %v, in attempt %d", out, err, attempt)
			}
			p.want("paid", 2, idem.StateDone)
		})
	}
}

// TestDecide_WhatDidNotHappenAndGetsStuckAgainIsHeldAgain: the decision was for one run.
func TestDecide_WhatDidNotHappenAndGetsStuckAgainIsHeldAgain(t *testing.T) {
	t.Parallel()
	p := newPlay(t)
	p.stuck(holding)
	p.decide(idem.ActionNotHappened, idem.StoredResult{})
	p.stuck(holding)
	if n := p.runs.Load(); n != 2 {
		t.Errorf("%d runs", n)
	}
}

func TestDecide_AResultOfAPersonIsReplayed(t *testing.T) {
	t.Parallel()
	p := newPlay(t)
	p.stuck(holding)
	p.decide(idem.ActionComplete, p.found())
	p.want("found", 1, idem.StateDone)
	ctx, info := idem.WithInfo(t.Context())
	if _, err := p.pay(ctx, holding); err != nil || !info.Replayed || !info.Stored || info.CompletedAt.IsZero() {
		t.Errorf("%+v, %v", info, err)
	}
}

func TestDecide_ThatItHappenedWithoutAResultIsToldToCallers(t *testing.T) {
	t.Parallel()
	p := newPlay(t)
	p.stuck(holding)
	p.decide(idem.ActionComplete, idem.StoredResult{Codec: "none"})
	if _, err := p.pay(t.Context(), holding); !errors.Is(err, idem.ErrResultNotStored) {
		t.Errorf("got %v", err)
	}
}

// late has a run that stalls past its lease until another call has held its claim, then meanwhile happens, and the run comes back.
func (p *play) late(meanwhile func()) (string, error) {
	p.Helper()
	gate := idemtest.NewGate(p)
	p.method = func(context.Context, int64) (string, error) {
		_ = gate.Enter(context.Background())
		return "late", nil
	}
	type answer struct {
		out string
		err error
	}
	got := make(chan answer, 1)
	go func() {
		out, err := p.pay(p.Context(), holding)
		got <- answer{out, err}
	}()
	gate.Await(p, 1)
	p.store.Advance(2 * pay.Lease)
	if _, err := p.pay(p.Context(), holding); !errors.Is(err, idem.ErrOutcomeUnknown) {
		p.Errorf("the duplicate got %v", err)
	}
	p.method = nil
	meanwhile()
	gate.Open()
	a := <-got
	return a.out, a.err
}

func TestDecide_ARunThatComesBackInTimeSettlesItsOwnClaim(t *testing.T) {
	t.Parallel()
	p := newPlay(t)
	if out, err := p.late(func() {}); out != "late" || err != nil {
		t.Errorf("got %q, %v", out, err)
	}
	p.want("late", 1, idem.StateDone)
}

// TestDecide_ARunThatComesBackAfterAPersonGetsHisResult: all callers of a key get one answer.
func TestDecide_ARunThatComesBackAfterAPersonGetsHisResult(t *testing.T) {
	t.Parallel()
	p := newPlay(t)
	if out, err := p.late(func() { p.decide(idem.ActionComplete, p.found()) }); out != "found" || err != nil {
		t.Errorf("got %q, %v", out, err)
	}
	if p.saw(idem.EventFenced) == 0 {
		t.Error("nobody is told that the run had its effect as well")
	}
	p.want("found", 1, idem.StateDone)
}

// TestDecide_ARunThatComesBackAfterTheNextOneGetsItsResult: somebody decided too early, and the effect may be there twice.
func TestDecide_ARunThatComesBackAfterTheNextOneGetsItsResult(t *testing.T) {
	t.Parallel()
	p := newPlay(t)
	out, err := p.late(func() {
		p.decide(idem.ActionNotHappened, idem.StoredResult{})
		if out, err := p.pay(t.Context(), holding); out != "ran 2" || err != nil {
			t.Errorf("the next call got %q, %v", out, err)
		}
	})
	if out != "ran 2" || err != nil {
		t.Errorf("got %q, %v", out, err)
	}
	if p.saw(idem.EventFenced) == 0 {
		t.Error("nobody is told that the run had its effect as well")
	}
	p.want("ran 2", 2, idem.StateDone)
}

// TestDecide_ARunThatComesBackBeforeTheNextOneIsBelieved: it did happen. To forget that would be to invite a second run.
func TestDecide_ARunThatComesBackBeforeTheNextOneIsBelieved(t *testing.T) {
	t.Parallel()
	p := newPlay(t)
	if out, err := p.late(func() { p.decide(idem.ActionNotHappened, idem.StoredResult{}) }); out != "late" || err != nil {
		t.Errorf("got %q, %v", out, err)
	}
	p.want("late", 1, idem.StateDone)
	if row := p.store.Row(payRow); row.Attempt != 2 {
		t.Errorf("its claim is attempt %d; it was taken over like any other", row.Attempt)
	}
}

// TestDecide_ARunWhoseLiveClaimIsHeldLosesIt and keeps its result to itself.
func TestDecide_ARunWhoseLiveClaimIsHeldLosesIt(t *testing.T) {
	t.Parallel()
	p := newPlay(t)
	p.method = func(context.Context, int64) (string, error) {
		p.decide(idem.ActionHold, idem.StoredResult{})
		return "late", nil
	}
	_, err := p.pay(t.Context())
	if lost, ok := idem.LostResult[string](err); !errors.Is(err, idem.ErrLeaseLost) || !ok || lost != "late" {
		t.Errorf("got %v, with %q", err, lost)
	}
	if _, err := p.pay(t.Context()); !errors.Is(err, idem.ErrOutcomeUnknown) {
		t.Errorf("a duplicate got %v", err)
	}
}

// TestDecide_ALostAnswerIsAskedForAgain, and the decision counts once.
func TestDecide_ALostAnswerIsAskedForAgain(t *testing.T) {
	t.Parallel()
	p := newPlay(t)
	p.stuck(holding)
	lost := p.store.Inject(idemtest.StepDecide, idemtest.Fault{Do: idemtest.LoseAnswer, Times: 2})
	p.decide(idem.ActionNotHappened, idem.StoredResult{})
	entries, err := p.store.Audit(t.Context(), idem.AuditFilter{})
	if err != nil || len(entries) != 1 || lost.Hits() != 2 {
		t.Errorf("%d entries after %d lost answers, %v", len(entries), lost.Hits(), err)
	}
}

// TestDecide_WhatIsNotAnsweredCanBeAskedForLater by its token.
func TestDecide_WhatIsNotAnsweredCanBeAskedForLater(t *testing.T) {
	t.Parallel()
	p := newPlay(t)
	p.stuck(holding)
	lost := p.store.Inject(idemtest.StepDecide, idemtest.Fault{Do: idemtest.LoseAnswer, Times: idemtest.Always})
	row := p.store.Row(payRow)
	d := idem.Decision{ID: payRow, Seen: idem.Seen{State: row.State, Owner: row.Owner}, Action: idem.ActionNotHappened, Who: "ann", Why: "x"}
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	e, err := idem.Decide(ctx, p.store, d)
	if _, ok := errors.AsType[*idem.StoreError](err); !ok || e.Token == (idem.Token{}) {
		t.Fatalf("got %v and token %x", err, e.Token)
	}
	lost.Stop()
	d.Token = e.Token
	if e, err = idem.Decide(t.Context(), p.store, d); err != nil || e.Before != idem.StandingUnknown {
		t.Errorf("got %+v, %v", e, err)
	}
}

func TestResultOf_RefusesWhatACallWouldNotStore(t *testing.T) {
	t.Parallel()
	op := &idem.Operation[chan int]{Name: "test.Chan"}
	if _, err := idem.ResultOf(op, idem.Ref{Operation: "test.Chan", Key: "k"}, make(chan int)); err == nil {
		t.Error("a channel was encoded")
	}
	void := &idem.Operation[idem.Void]{Name: "test.Void"}
	if r, err := idem.ResultOf(void, idem.Ref{Operation: "test.Void", Key: "k"}, idem.Void{}); err != nil || r.Codec != "void" || len(r.Data) > 0 {
		t.Errorf("%+v, %v", r, err)
	}
	for _, ref := range []idem.Ref{{}, {Operation: "test.Void"}, {Operation: "test.Other", Key: "k"}} {
		if _, err := idem.ResultOf(void, ref, idem.Void{}); !errors.Is(err, idem.ErrBadOperation) {
			t.Errorf("%+v: %v", ref, err)
		}
	}
}

// unsure answers decisions with errors, one after the other.
type unsure struct {
	idem.Admin
	errs []error
}

func (u *unsure) Decide(context.Context, idem.Decision) (idem.AuditEntry, error) {
	err := u.errs[0]
	u.errs = u.errs[1:]
	return idem.AuditEntry{}, err
}

// TestDecide_SaysNotAppliedOfAllItSent: a later refusal does not undo an earlier decision whose answer was lost.
func TestDecide_SaysNotAppliedOfAllItSent(t *testing.T) {
	t.Parallel()
	lost := &idem.StoreError{Reason: "lost", Temporary: true}
	refused := &idem.StoreError{Reason: "refused", NotApplied: true}
	down := &idem.StoreError{Reason: "down", Temporary: true, NotApplied: true}
	for _, c := range []struct {
		name string
		errs []error
		want bool
	}{
		{"refused at once", []error{refused}, true},
		{"down, and then refused", []error{down, refused}, true},
		{"lost, and then refused", []error{lost, refused}, false},
		{"lost, down, and then refused", []error{lost, down, refused}, false},
	} {
		_, err := idem.Decide(t.Context(), &unsure{errs: c.errs}, idem.Decision{})
		e, ok := errors.AsType[*idem.StoreError](err)
		if !ok || e.NotApplied != c.want || e.Reason != "refused" {
			t.Errorf("%s: %v, not applied: %t, want %t", c.name, err, ok && e.NotApplied, c.want)
		}
	}
	if !refused.NotApplied {
		t.Error("the store's own error was changed")
	}
}

// deafOnce is an Admin behind a connection on which nobody answers the first time.
type deafOnce struct {
	idem.Admin
	asked int
}

func (d *deafOnce) Decide(ctx context.Context, decision idem.Decision) (idem.AuditEntry, error) {
	if d.asked++; d.asked == 1 {
		<-ctx.Done()
		return idem.AuditEntry{}, &idem.StoreError{Reason: "the database did not answer in time", Temporary: true, Err: ctx.Err()}
	}
	return idem.AuditEntry{Token: decision.Token}, nil
}

func TestDecide_IsSentAgainWhereNobodyAnswers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d, began := &deafOnce{}, time.Now()
		if _, err := idem.Decide(t.Context(), d, idem.Decision{}); err != nil || d.asked != 2 || time.Since(began) > time.Minute {
			t.Errorf("asked %d times in %v: %v", d.asked, time.Since(began), err)
		}
	})
}
