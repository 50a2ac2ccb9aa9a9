package idem

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// This file is renewals whose answers are late, bad or no longer wanted, in virtual time: what may be made of an answer depends on
// when its renewal was sent, and on what the lease has become since.

// slowAnswers is a store that answers a renewal after a while, unless it is cut short.
type slowAnswers struct {
	Store
	way time.Duration

	mu  sync.Mutex
	cut []time.Duration // after how long it was
}

func (s *slowAnswers) Renew(ctx context.Context, leases []Lease) ([]Renewal, error) {
	sent := time.Now()
	select {
	case <-time.After(s.way):
		answers := make([]Renewal, len(leases))
		for i := range answers {
			answers[i] = RenewalDone
		}
		return answers, nil
	case <-ctx.Done():
		s.mu.Lock()
		defer s.mu.Unlock()
		s.cut = append(s.cut, time.Since(sent))
		return nil, ctx.Err()
	}
}

// TestLease_ASlowRenewalHasUntilItsDeadline: its answer comes after the next one was sent, and before the lease is over.
func TestLease_ASlowRenewalHasUntilItsDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &slowAnswers{way: 4 * time.Second}
		r := newRenewer(s)
		l := newQuietLease(9 * time.Second)
		l.onLost = func(error) { t.Error("it was lost") }
		r.hold(l, time.Now())
		time.Sleep(time.Minute)
		s.mu.Lock()
		if len(s.cut) != 0 { // and its connection with it
			t.Errorf("renewals were cut short after %v", s.cut)
		}
		s.mu.Unlock()
		l.stop()
		r.close()
	})
}

// TestLease_ARenewalOfManyHasUntilTheLastDeadline: whichever lease comes last in the statement.
func TestLease_ARenewalOfManyHasUntilTheLastDeadline(t *testing.T) {
	for _, lengths := range [][]time.Duration{{time.Second, time.Minute}, {time.Minute, time.Second}} {
		synctest.Test(t, func(t *testing.T) {
			s := &slowAnswers{way: 20 * time.Second}
			r := newRenewer(s)
			var due []*lease
			for _, length := range lengths {
				l := newQuietLease(length)
				l.renew = false // the test sends what is to be sent
				r.hold(l, time.Now())
				due = append(due, l)
			}
			began := time.Now()
			time.Sleep(time.Millisecond)
			r.sending.Add(1)
			r.send(due)
			for _, l := range due {
				if l.length == time.Minute && !l.sent.After(began) {
					t.Error("the long lease was not renewed")
				}
				l.stop()
			}
			synctest.Wait()
		})
	}
}

// TestLease_ARenewalThatHangsEndsWithTheLease: what is answered later is of no use, and its connection is.
func TestLease_ARenewalThatHangsEndsWithTheLease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &slowAnswers{way: 24 * time.Hour}
		r := newRenewer(s)
		l := newQuietLease(9 * time.Second)
		r.hold(l, time.Now())
		time.Sleep(30 * time.Second)
		s.mu.Lock()
		if len(s.cut) < 3 {
			t.Errorf("%d of the renewals that hung had ended", len(s.cut))
		}
		for _, d := range s.cut {
			if d > valid(9*time.Second) {
				t.Errorf("a renewal hung for %v", d)
			}
		}
		s.mu.Unlock()
		l.stop()
		r.close()
	})
}

// TestLease_WhatFailedIsSentAgainSoon: until the lease is over there is time for many tries.
func TestLease_WhatFailedIsSentAgainSoon(t *testing.T) {
	for name, reply := range map[string]func(int) (Renewal, error){
		"failed": func(int) (Renewal, error) { return 0, errors.New("down") },
		"locked": func(int) (Renewal, error) { return RenewalLocked, nil },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &renewals{began: time.Now(), reply: reply}
				r := newRenewer(s)
				l := newQuietLease(9 * time.Second)
				tries := 0
				l.onLost = func(error) { tries = len(s.times()) }
				r.hold(l, time.Now())
				time.Sleep(10 * time.Second)
				l.stop()
				synctest.Wait()
				if tries < 6 {
					t.Errorf("%d tries before the lease was given up: %v", tries, s.times())
				}
			})
		})
	}
}

// TestLease_AnOlderRenewalsAnswerTakesNothingBack: the second renewal is answered before the first, and no other ever is.
func TestLease_AnOlderRenewalsAnswerTakesNothingBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hang := make(chan struct{})
		s := &renewals{began: time.Now(), reply: func(n int) (Renewal, error) {
			switch n {
			case 1:
				time.Sleep(4 * time.Second)
			case 2:
			default:
				<-hang
			}
			return RenewalDone, nil
		}}
		var lost time.Duration
		l := newQuietLease(9 * time.Second)
		l.onLost = func(error) { lost = time.Since(s.began) }
		r := newRenewer(s)
		r.hold(l, time.Now())
		time.Sleep(30 * time.Second)
		synctest.Wait()
		if want := s.times()[1] + valid(9*time.Second); lost != want {
			t.Errorf("lost after %v, want %v", lost, want)
		}
		close(hang)
		l.stop()
	})
}

// TestLease_AnAnswerAfterTheRunIsNoNews: the call has ended and said how; nobody is told of its lease any more.
func TestLease_AnAnswerAfterTheRunIsNoNews(t *testing.T) {
	for name, reply := range map[string]func() (Renewal, error){
		"lost":   func() (Renewal, error) { return RenewalLost, nil },
		"failed": func() (Renewal, error) { return 0, errors.New("down") },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				stopped := make(chan struct{})
				s := &renewals{began: time.Now(), reply: func(int) (Renewal, error) { <-stopped; return reply() }}
				r := newRenewer(s)
				l := newQuietLease(9 * time.Second)
				l.onLost = func(error) { t.Error("a loss was reported") }
				l.onFailed = func(error) { t.Error("a failure was reported") }
				r.hold(l, time.Now())
				time.Sleep(4 * time.Second)
				l.stop()
				close(stopped)
				synctest.Wait()
				if len(s.sent) != 1 {
					t.Errorf("%d renewals", len(s.sent))
				}
			})
		})
	}
}

// TestLease_WhatIsLostIsRenewedAgainOnlyWhileItsOutcomeIsStored: then the call may get its row back, and must keep it; else a lost
// lease is lost for good.
func TestLease_WhatIsLostIsRenewedAgainOnlyWhileItsOutcomeIsStored(t *testing.T) {
	for name, settling := range map[string]bool{"running": false, "its outcome is being stored": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &renewals{began: time.Now(), reply: func(n int) (Renewal, error) {
					if n == 1 {
						return RenewalLost, nil
					}
					return RenewalDone, nil
				}}
				r := newRenewer(s)
				l := newQuietLease(9 * time.Second)
				r.hold(l, time.Now())
				if settling {
					l.settle()
				}
				time.Sleep(3500 * time.Millisecond) // the first is answered
				if over := l.over(); over == settling {
					t.Errorf("over() is %v", over)
				}
				time.Sleep(30 * time.Second)
				if n := len(s.times()); settling != (n > 5) || !settling && n != 1 {
					t.Errorf("%d renewals", n)
				}
				l.stop()
			})
		})
	}
}
