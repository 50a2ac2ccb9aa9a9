package scenarios

import (
	"context"
	"time"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/postgres"
)

// This file is what late writers are played with: several calls of one key, each in a process of its own, each held in its
// method until the test says how it ends.

// lateCharge is charge with a lease that no test outlives: it ends when the test moves the row's times, and is never renewed meanwhile.
var lateCharge = idem.Operation[string]{Name: charge.Name, Lease: time.Hour, MaxWait: time.Minute}

// late is lateCharge with changes.
func late(changes ...func(*idem.Operation[string])) *idem.Operation[string] {
	op := lateCharge
	for _, change := range changes {
		change(&op)
	}
	return &op
}

// pastLease is longer than lateCharge's lease, pastKeep longer than an outcome, or a lapsed claim, is kept.
const (
	pastLease = 2 * time.Hour
	pastKeep  = 48 * time.Hour
)

// lateRun is a call of k in a process of its own, whose method has begun and waits to be told how to end.
type lateRun struct {
	*stage
	owner  idem.Owner
	info   *idem.Info
	cancel context.CancelFunc // ends the caller's context
	end    chan answer
	answer <-chan answer
}

// beginLate starts a call and returns when its method runs.
func (s *stage) beginLate(op *idem.Operation[string], arg string) *lateRun {
	s.Helper()
	r := &lateRun{stage: s.anotherProcess(), end: make(chan answer, 1)}
	s.Cleanup(func() { close(r.end) }) // a failed test does not hang
	started := make(chan struct{})
	r.method = func(context.Context, int64) (string, error) {
		close(started)
		a := <-r.end
		return a.result, a.err
	}
	ctx, cancel := context.WithCancel(context.Background())
	r.cancel = cancel
	ctx, r.info = idem.WithInfo(ctx)
	r.answer = r.async(ctx, op, "k", arg)
	select {
	case <-started:
	case a := <-r.answer:
		s.Fatalf("the method was not run: %v", a)
	case <-time.After(time.Minute):
		s.Fatalf("the method was not run; events: %v", r.events.kinds())
	}
	r.owner = s.ownerOf("k")
	return r
}

// returns lets the method return; the call goes on.
func (r *lateRun) returns(result string, err error) { r.end <- answer{result, err} }

// ends lets the method return, and is the call's answer.
func (r *lateRun) ends(result string, err error) answer {
	r.Helper()
	r.returns(result, err)
	return r.got()
}

// got is the call's answer.
func (r *lateRun) got() answer {
	r.Helper()
	select {
	case a := <-r.answer:
		return a
	case <-time.After(time.Minute):
		r.Fatalf("the call did not return; events: %v", r.events.kinds())
		return answer{}
	}
}

// fenced blocks until the run has found that the row is not its own.
func (r *lateRun) fenced() {
	r.Helper()
	r.await(idem.EventFenced, 1)
}

// renewAs sends a renewal of charge's key for an owner, as one that was long on its way would arrive.
func (s *stage) renewAs(key string, owner idem.Owner) idem.Renewal {
	s.Helper()
	store := postgres.NewStore(s.pool)
	defer store.Close()
	answers, err := store.Renew(context.Background(), []idem.Lease{{ID: rowID(key), Owner: owner, Lease: time.Hour}})
	if err != nil {
		s.Fatal("renewing: ", err)
	}
	return answers[0]
}
