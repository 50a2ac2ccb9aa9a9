package scenarios

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
)

// TestC1: a waiter that finds the winner gone must look before it leaps: the outcome may have been stored meanwhile.
func TestC1_AWaiterReadsBeforeItRuns(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	gate := s.gatedInContext()
	first := s.async(t.Context(), &charge, "k", "a")
	gate.Await(t, 1)
	waiters := make([]<-chan answer, 10)
	for i := range waiters {
		waiters[i] = s.async(t.Context(), &charge, "k", "a")
	}
	s.await(idem.EventWaited, len(waiters))
	gate.Open()
	for _, w := range append(waiters, first) {
		if a := <-w; a != (answer{"charged", nil}) {
			t.Errorf("got %v", a)
		}
	}
	s.wantRuns(1)
}

func TestC2_AWaitThatEndsIsAnAnswerNotPermission(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	gate := s.gatedInContext()
	first := s.async(t.Context(), &charge, "k", "a")
	gate.Await(t, 1)

	_, err := s.call(t.Context(), with(func(op *idem.Operation[string]) { op.MaxWait = 50 * time.Millisecond }), "k", "a")
	wantErr(t, err, idem.ErrInFlight)
	if errors.Is(err, context.DeadlineExceeded) {
		t.Error("the caller's context has not ended, and the error says so")
	}

	ctx, cancel := context.WithCancel(t.Context())
	waiter := s.async(ctx, &charge, "k", "a")
	s.await(idem.EventWaited, 2)
	cancel()
	a := <-waiter
	wantErr(t, a.err, idem.ErrInFlight)
	if !errors.Is(a.err, context.Canceled) {
		t.Errorf("%v does not say that the context was cancelled", a.err)
	}
	gate.Open()
	<-first
	s.wantRuns(1)
}

func TestC4_AWaiterRunsWhenTheWinnerReleased(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	gate := idemtest.NewGate(t)
	declined := errors.New("declined")
	s.method = func(ctx context.Context, run int64) (string, error) {
		if run == 1 {
			return "", errors.Join(declined, gate.Enter(ctx))
		}
		return "charged", nil
	}
	first := s.async(t.Context(), &charge, "k", "a")
	gate.Await(t, 1)
	waiter := s.async(t.Context(), &charge, "k", "a")
	s.await(idem.EventWaited, 1)
	gate.Open()
	if a := <-first; !errors.Is(a.err, declined) {
		t.Errorf("the first got %v", a)
	}
	began := time.Now()
	if a := <-waiter; a != (answer{"charged", nil}) {
		t.Errorf("the waiter got %v", a)
	}
	if waited := time.Since(began); waited > charge.MaxWait/4 {
		t.Errorf("the waiter noticed after %v", waited)
	}
	s.wantRuns(2)
}
