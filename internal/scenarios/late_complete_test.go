package scenarios

import (
	"errors"
	"testing"

	"github.com/idemgen/idemgen/idem"
)

// This file is a success that comes late: what its caller gets, what the observer hears and what the row is, by what became
// of the row while the method ran. What has to be waited for is in late_wait_test.go.

// lateSuccess is how a call ends whose method returned "A".
type lateSuccess struct {
	result string     // what the caller gets with a nil error
	kind   error      // or the kind of error, which then carries the method's own result
	of     idem.State // the state that the error speaks of
	info   idem.Info  // but for the times
	events []idem.EventKind
	row    string
	stored string // the row's result
	// attempt of the row; 0: whatever
	attempt int
}

var (
	// ownStored: the call's own result is the outcome, and there never was another.
	ownStored = lateSuccess{
		result: "A", info: idem.Info{Stored: true, Attempt: 1},
		events: []idem.EventKind{idem.EventClaimed, idem.EventCompleted}, row: "done", stored: `"A"`, attempt: 1,
	}
	// ownRetaken: another run had the row, ended without an outcome, and the result that is there became the outcome.
	ownRetaken = lateSuccess{
		result: "A", info: idem.Info{Stored: true, Attempt: 3},
		events: []idem.EventKind{idem.EventClaimed, idem.EventFenced, idem.EventCompleted}, row: "done", stored: `"A"`, attempt: 3,
	}
	// othersReplayed: another run's outcome is stored, and all callers of a key get one answer.
	othersReplayed = lateSuccess{
		result: "B", info: idem.Info{Stored: true, Replayed: true, Attempt: 2},
		events: []idem.EventKind{idem.EventClaimed, idem.EventFenced, idem.EventReplayed}, row: "done", stored: `"B"`, attempt: 2,
	}
	// othersNotGiven: another run's outcome is there, and can't be given.
	othersNotGiven = lateSuccess{
		info:   idem.Info{Replayed: true, Attempt: 2},
		events: []idem.EventKind{idem.EventClaimed, idem.EventFenced, idem.EventReplayed}, of: idem.StateDone, row: "done", attempt: 2,
	}
	// leaseLost: the row is another run's, and there is no outcome to have.
	leaseLost = lateSuccess{
		kind: idem.ErrLeaseLost, of: idem.StateRunning, info: idem.Info{Attempt: 1},
		events: []idem.EventKind{idem.EventClaimed, idem.EventFenced}, row: "running", attempt: 2,
	}
)

// but is l with changes.
func (l lateSuccess) but(change func(*lateSuccess)) lateSuccess {
	change(&l)
	return l
}

// wantSuccess fails the test unless the call ended so.
func (r *lateRun) wantSuccess(want lateSuccess) {
	r.Helper()
	got := r.got()
	switch {
	case want.kind == nil:
		if got != (answer{want.result, nil}) {
			r.Errorf("the late call got %q, %v, want %q", got.result, got.err, want.result)
		}
	default:
		r.wantOwnResultIn(got, want)
	}
	info := *r.info
	if settled := want.info.Stored || want.info.Replayed; settled == info.CompletedAt.IsZero() || settled == info.ExpiresAt.IsZero() {
		r.Errorf("the times of %+v", info)
	}
	if want.info.CompletedAt, want.info.ExpiresAt = info.CompletedAt, info.ExpiresAt; info != want.info {
		r.Errorf("the late call was told %+v, want %+v", info, want.info)
	}
	r.wantEvents(want.events...)
	row := r.charged("k")
	if row.String() != want.row || string(row.Result) != want.stored || row.Attempt != want.attempt {
		r.Errorf("the row is %q %+v, want it %q, attempt %d, %s", row, row, want.row, want.attempt, want.stored)
	}
}

// wantOwnResultIn: the effect happened, and the error says so, without an invitation to try again.
func (r *lateRun) wantOwnResultIn(got answer, want lateSuccess) {
	r.Helper()
	e := wantErr(r, got.err, want.kind)
	if own, ok := idem.LostResult[string](got.err); own != "A" || !ok || got.result != "" {
		r.Errorf("the late call got %q, %v, which carries %q, %v", got.result, got.err, own, ok)
	}
	if e.RetryAfter != 0 || e.State != want.of || want.kind == idem.ErrLeaseLost && errors.Is(got.err, idem.ErrInFlight) {
		r.Errorf("the error is %+v, about state %d", e, e.State)
	}
}

// takesOver is another call that gets the claim once its lease is over.
func (s *stage) takesOver(arg string) *lateRun {
	s.Helper()
	s.age("k", pastLease)
	return s.beginLate(late(), arg)
}

// claimsAnew is a call with other arguments, after the claim was taken over and released.
func (s *stage) claimsAnew() *lateRun {
	s.Helper()
	s.takesOver("x").ends("", idem.NoEffect(errors.New("declined")))
	return s.beginLate(late(), "other")
}

func TestLate_ASuccessFindsTheRow(t *testing.T) {
	t.Parallel()
	world := newStage(t)
	for _, c := range []struct {
		name      string
		policy    func(*idem.Operation[string])
		meanwhile func(s *stage)
		want      lateSuccess
	}{
		{"its own, lapsed", nil, func(s *stage) { s.age("k", pastLease) }, ownStored},
		{"its own, held by another", holding, func(s *stage) { s.holdsLapsed(late(holding)) }, ownStored},
		{"gone", nil, func(s *stage) { s.takesOver("x").ends("", idem.NoEffect(errors.New("declined"))) }, ownStored},
		{"done by another", nil, func(s *stage) { s.takesOver("x").ends("B", nil) }, othersReplayed},
		{"done by another, who fails to keep the result", nil, func(s *stage) {
			s.takesOver("x").ends("B", nil)
			s.editRow("k", "codec = 'none', result = ''")
		}, othersNotGiven.but(func(l *lateSuccess) { l.kind = idem.ErrResultNotStored })},
		{"done by another, in a form that can't be read", nil, func(s *stage) {
			s.takesOver("x").ends("B", nil)
			s.editRow("k", "codec = 'gob'")
		}, othersNotGiven.but(func(l *lateSuccess) { l.kind, l.stored, l.info.Stored = idem.ErrUnreadable, `"B"`, true })},
		{"failed by another", nil, func(s *stage) {
			s.takesOver("x")
			s.editRow("k", storedFailure)
		}, othersNotGiven.but(func(l *lateSuccess) {
			l.kind, l.of, l.row, l.stored = idem.ErrUnreadable, idem.StateFailed, "failed", `"declined"`
		})},
		{"done with other arguments", nil, func(s *stage) { s.claimsAnew().ends("B", nil) }, leaseLost.but(func(l *lateSuccess) {
			l.of, l.row, l.stored, l.attempt = idem.StateDone, "done", `"B"`, 1
		})},
		{"running by another, under conflict", conflict, func(s *stage) { s.takesOver("x") }, leaseLost},
		{"running with other arguments", nil, func(s *stage) { s.claimsAnew() }, leaseLost.but(func(l *lateSuccess) { l.attempt = 1 })},
		{"lapsed, with other arguments", nil, func(s *stage) {
			s.claimsAnew()
			s.age("k", pastLease)
		}, leaseLost.but(func(l *lateSuccess) { l.attempt, l.row = 1, "running lapsed" })},
		{"unknown, of another", nil, func(s *stage) {
			s.takesOver("x")
			s.holdsLapsed(late(holding))
		}, leaseLost.but(func(l *lateSuccess) { l.of, l.row = idem.StateUnknown, "unknown" })},
		{"lapsed, of another", nil, func(s *stage) {
			s.takesOver("x")
			s.age("k", pastLease)
		}, ownRetaken},
		{"lapsed, of another, under conflict", conflict, func(s *stage) {
			s.takesOver("x")
			s.age("k", pastLease)
		}, ownRetaken},
		{"abandoned by another", nil, func(s *stage) { s.takesOver("x").ends("", idem.Unknown(errors.New("timeout"))) }, ownRetaken},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := world.afresh(t)
			op := late()
			if c.policy != nil {
				op = late(c.policy)
			}
			a := s.beginLate(op, "x")
			c.meanwhile(s)
			a.returns("A", nil)
			a.wantSuccess(c.want)
		})
	}
}

// TestLate_ASuccessReclaimsWhatExpired: an expired row bars nobody, so the result that is there becomes the outcome, whatever
// the row was about.
func TestLate_ASuccessReclaimsWhatExpired(t *testing.T) {
	t.Parallel()
	world := newStage(t)
	for name, meanwhile := range map[string]func(s *stage){
		"done":                      func(s *stage) { s.takesOver("x").ends("B", nil) },
		"done with other arguments": func(s *stage) { s.claimsAnew().ends("B", nil) },
		"failed": func(s *stage) {
			s.takesOver("x")
			s.editRow("k", storedFailure)
		},
		"lapsed":                      func(s *stage) { s.takesOver("x") },
		"lapsed with other arguments": func(s *stage) { s.claimsAnew() },
	} {
		for policy, op := range map[string]*idem.Operation[string]{"poll": late(), "conflict": late(conflict)} {
			t.Run(name+", "+policy, func(t *testing.T) {
				s := world.afresh(t)
				a := s.beginLate(op, "x")
				meanwhile(s)
				s.age("k", pastKeep)
				a.returns("A", nil)
				got := a.got()
				if got != (answer{"A", nil}) || !a.info.Stored || a.info.Replayed || a.info.ExpiresAt.IsZero() {
					t.Errorf("the late call got %q, %v, %+v; want its own result, stored", got.result, got.err, *a.info)
				}
				a.wantEvents(idem.EventClaimed, idem.EventFenced, idem.EventCompleted)
				if r := s.charged("k"); r.String() != "done" || string(r.Result) != `"A"` || r.Attempt != a.info.Attempt {
					t.Errorf("the row is %+v", r)
				}
				next := s.anotherProcess()
				if out, err := next.call(t.Context(), late(), "k", "x"); out != "A" || err != nil {
					t.Errorf("the next call got %q, %v", out, err)
				}
				next.wantRuns(0)
			})
		}
	}
}
