package idem

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// This file looks inside an engine after each way for a call to end: no lease is held, no timer runs, no renewal is sent. From
// outside that can't be seen: a timer is no goroutine until it fires.

// single is a store with one row, which grants everything unless a test says otherwise.
type single struct {
	Store
	mu       sync.Mutex
	row      Row
	renewals int
	claimed  func()                         // after a claim
	complete func(o Outcome) (Row, error)   // nil: it is stored
	renew    func() (Renewal, error)        // nil: done
	end      func() (changed bool, _ error) // release and abandon; nil: changed
}

func (s *single) Claim(_ context.Context, c Claim) (Row, error) {
	s.mu.Lock()
	s.row = Row{ID: c.ID, Ref: c.Ref, State: StateRunning, Owner: c.Owner, Attempt: 1, Fingerprint: c.Fingerprint, LeaseLeft: c.Lease}
	row := s.row
	s.mu.Unlock()
	if s.claimed != nil {
		s.claimed()
	}
	return row, nil
}

func (s *single) Complete(_ context.Context, o Outcome) (Row, error) {
	if s.complete != nil {
		return s.complete(o)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.row.State, s.row.Codec, s.row.Result = o.State, o.Codec, o.Result
	return s.row, nil
}

func (s *single) Release(context.Context, ID, Owner) (bool, error) { return s.ended() }

func (s *single) Abandon(context.Context, Abandonment) (bool, error) { return s.ended() }

func (s *single) ended() (bool, error) {
	if s.end != nil {
		return s.end()
	}
	return true, nil
}

func (s *single) Renew(context.Context, []Lease) ([]Renewal, error) {
	s.mu.Lock()
	s.renewals++
	s.mu.Unlock()
	r, err := RenewalDone, error(nil)
	if s.renew != nil {
		r, err = s.renew()
	}
	return []Renewal{r}, err
}

// sent is how many renewals were sent so far.
func (s *single) sent() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.renewals
}

// leaving is one way for a call to end, with what the store does meanwhile.
type leaving struct {
	name   string
	store  func(s *single, e *Engine, end context.CancelFunc)
	method func(ctx context.Context) (int, error)
	later  bool // the outcome is stored in the background, until the engine is closed
}

const brief = time.Second // a lease

func leavings() []leaving {
	down := &StoreError{Reason: "down", Temporary: true}
	returns := func(err error) func(context.Context) (int, error) {
		return func(context.Context) (int, error) { return 1, err }
	}
	long := func(context.Context) (int, error) { time.Sleep(10 * brief); return 1, nil }
	return []leaving{
		{name: "a result", method: returns(nil)},
		{name: "a result after many renewals", method: long},
		{name: "a plain error", method: returns(errors.New("declined"))},
		{name: "NoEffect", method: returns(NoEffect(errors.New("declined")))},
		{name: "Unknown", method: returns(Unknown(errors.New("timeout")))},
		{name: "a panic", method: func(context.Context) (int, error) { panic("on fire") }},
		{name: "Goexit", method: func(context.Context) (int, error) { runtime.Goexit(); return 0, nil }},
		{name: "a lost lease", method: func(ctx context.Context) (int, error) {
			<-ctx.Done()
			return 0, context.Cause(ctx)
		}, store: func(s *single, _ *Engine, _ context.CancelFunc) {
			s.renew = func() (Renewal, error) { return RenewalLost, nil }
		}},
		{name: "a lease that could not be renewed, and a result", method: long, store: func(s *single, _ *Engine, _ context.CancelFunc) {
			s.renew = func() (Renewal, error) { return 0, down }
		}},
		{name: "the caller's end between claim and run", store: func(s *single, _ *Engine, end context.CancelFunc) { s.claimed = end }},
		{name: "the engine's end between claim and run", store: func(s *single, e *Engine, _ context.CancelFunc) { s.claimed = e.refuse }},
		{name: "a claim that took longer than its lease", method: returns(nil), store: func(s *single, _ *Engine, _ context.CancelFunc) {
			s.claimed = func() { time.Sleep(brief) }
		}},
		{name: "a claim that took longer than its lease, which is lost", store: func(s *single, _ *Engine, _ context.CancelFunc) {
			s.claimed = func() { time.Sleep(brief) }
			s.renew = func() (Renewal, error) { return 0, down }
		}},
		{name: "an outcome that was fenced", method: returns(nil), store: func(s *single, _ *Engine, _ context.CancelFunc) {
			s.complete = func(o Outcome) (Row, error) { return Row{ID: o.Claim.ID, State: StateUnknown, Owner: Owner{1}}, nil }
		}},
		{name: "an outcome that is refused", method: returns(nil), store: func(s *single, _ *Engine, _ context.CancelFunc) {
			s.complete = func(Outcome) (Row, error) { return Row{}, &StoreError{Reason: "no", NotApplied: true} }
		}, later: true},
		{name: "an outcome that can't be stored", method: returns(nil), store: func(s *single, _ *Engine, _ context.CancelFunc) {
			s.complete = func(Outcome) (Row, error) { return Row{}, down }
		}, later: true},
		{name: "an error whose ending can't be sent", method: returns(Unknown(errors.New("timeout"))), store: func(s *single, _ *Engine, _ context.CancelFunc) {
			s.end = func() (bool, error) { return false, down }
		}},
		{name: "a panic whose ending can't be sent", method: func(context.Context) (int, error) { panic("on fire") }, store: func(s *single, _ *Engine, _ context.CancelFunc) {
			s.end = func() (bool, error) { return false, down }
		}},
	}
}

func TestI12_NoExitLeavesATimerOrARenewal(t *testing.T) {
	for _, norenew := range []bool{false, true} {
		for _, l := range leavings() {
			name := l.name
			if norenew {
				name += ", norenew"
			}
			t.Run(name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { l.play(t, norenew) })
			})
		}
	}
}

// play makes the call and then looks what is left.
func (l leaving) play(t *testing.T, norenew bool) {
	s := &single{}
	var lost int
	e, err := New(s, WithObserver(ObserverFunc(func(_ context.Context, ev Event) {
		if ev.Kind == EventLeaseLost {
			lost++
		}
	})))
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(t.Context())
	defer end()
	if l.store != nil {
		l.store(s, e, end)
	}
	kept := l.call(ctx, e, norenew)
	if l.later { // it goes on being stored, with the lease kept, until the engine is closed
		if e.renewer.holds() != 1 {
			t.Errorf("%d leases are kept while the outcome is to be stored", e.renewer.holds())
		}
		_ = e.Close()
	}
	synctest.Wait()
	if n := e.renewer.holds(); n != 0 {
		t.Errorf("%d leases are held", n)
	}
	if e.renewer.loops {
		t.Error("the renewing goroutine is there")
	}
	if kept != nil && kept.deadline.Stop() {
		t.Error("the lease's deadline was still to come")
	}
	sent, before := s.sent(), lost
	time.Sleep(100 * brief)
	if s.sent() != sent || lost != before {
		t.Errorf("afterwards %d renewals were sent, and %d leases lost", s.sent()-sent, lost-before)
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}

// call makes the call, in a goroutine that may be ended, and returns the lease its method ran under.
func (l leaving) call(ctx context.Context, e *Engine, norenew bool) (kept *lease) {
	op := &Operation[int]{Name: "test.Leaving", Lease: brief, NoRenew: norenew}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() { _ = recover() }()
		_, _ = Do(ctx, e, op, Call[int]{Key: StringKey("k"), Run: func(ctx context.Context) (int, error) {
			e.renewer.mu.Lock()
			for held := range e.renewer.held {
				kept = held
			}
			e.renewer.mu.Unlock()
			return l.method(ctx)
		}})
	}()
	<-done
	return kept
}

// holds is how many leases the renewer holds.
func (r *renewer) holds() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.held)
}
