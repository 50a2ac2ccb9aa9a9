package idem

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// This file is what a poller forgets in time: failures that are over, and that nobody was in a hurry before.

// TestPoller_FailuresThatAreOverDoNotAddUp: only those in a row mean that the store is down.
func TestPoller_FailuresThatAreOverDoNotAddUp(t *testing.T) {
	t.Parallel()
	s := &rows{reply: func(_ context.Context, n int, id ID) (Row, error) {
		switch {
		case n%lookErrors != 0:
			return Row{}, &StoreError{Reason: "down", Temporary: true}
		case n < 10*lookErrors:
			return running(id, 1), nil
		default:
			return Row{State: StateDone}, nil
		}
	}}
	inBubble(t, s, func(t *testing.T, p *poller) {
		if err := p.wait(t.Context(), running(ID{1}, 1)); err != nil {
			t.Error(err)
		}
		if n, _ := s.looks(); n != 10*lookErrors {
			t.Errorf("the wait ended after %d looks", n)
		}
	})
}

// TestPoller_WhoComesLateIsNotMadeToWaitLikeTheOthers: those who have waited for long look seldom, and their row with them.
func TestPoller_WhoComesLateIsNotMadeToWaitLikeTheOthers(t *testing.T) {
	t.Parallel()
	var began atomic.Pointer[time.Time] // of a late wait
	s := &rows{reply: func(_ context.Context, _ int, id ID) (Row, error) {
		if b := began.Load(); b != nil && time.Since(*b) > 20*time.Millisecond {
			return Row{State: StateDone}, nil
		}
		return running(id, 1), nil
	}}
	inBubble(t, s, func(t *testing.T, p *poller) {
		first := make(chan error, 1)
		go func() { first <- p.wait(t.Context(), running(ID{1}, 1)) }()
		for range 20 { // at whatever point between two looks of the first
			time.Sleep(time.Minute + 137*time.Millisecond)
			now := time.Now()
			began.Store(&now)
			if err := p.wait(t.Context(), running(ID{1}, 1)); err != nil || time.Since(now) > 200*time.Millisecond {
				t.Errorf("it waited %v for what was there after 20ms: %v", time.Since(now), err)
			}
			if err := <-first; err != nil {
				t.Error(err)
			}
			began.Store(nil)
			go func() { first <- p.wait(t.Context(), running(ID{1}, 1)) }()
		}
		began.Store(new(time.Time))
		<-first
		synctest.Wait()
	})
}
