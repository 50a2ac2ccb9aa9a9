package idem

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// renewals is a store that only renews, as a test says.
type renewals struct {
	Store
	mu    sync.Mutex
	sent  []time.Duration // since the beginning, each renewal
	began time.Time
	reply func(n int) (Renewal, error) // to renewal number n, from 1
	sizes []int
}

func (s *renewals) Renew(ctx context.Context, leases []Lease) ([]Renewal, error) {
	s.mu.Lock()
	s.sent = append(s.sent, time.Since(s.began))
	s.sizes = append(s.sizes, len(leases))
	n := len(s.sent)
	s.mu.Unlock()
	r, err := s.reply(n)
	answers := make([]Renewal, len(leases))
	for i := range answers {
		answers[i] = r
	}
	if err == nil {
		err = ctx.Err()
	}
	return answers, err
}

// times are when renewals were sent.
func (s *renewals) times() []time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.sent)
}

// TestLease plays one lease of 9 s in virtual time, for 30 s or until it is lost.
func TestLease_IsRenewedInTimeOrGivenUpBeforeItEnds(t *testing.T) {
	const length = 9 * time.Second
	down := errors.New("down")
	for _, c := range []struct {
		name    string
		norenew bool
		reply   func(n int) (Renewal, error)
		lost    time.Duration // 0: never
		least   int           // renewals at least
	}{
		{"renewed every third", false, func(int) (Renewal, error) { return RenewalDone, nil }, 0, 10},
		{"one failure is no loss", false, func(n int) (Renewal, error) {
			if n%2 == 1 {
				return 0, down
			}
			return RenewalDone, nil
		}, 0, 10},
		{"a locked row is no loss", false, func(n int) (Renewal, error) {
			if n%3 != 0 {
				return RenewalLocked, nil
			}
			return RenewalDone, nil
		}, 0, 10},
		{"nothing acknowledged: given up before the lease ends", false, func(int) (Renewal, error) { return 0, down }, length - length/10, 4},
		{"locked to the end: given up before the lease ends", false, func(int) (Renewal, error) { return RenewalLocked, nil }, length - length/10, 4},
		{"gone: lost at once", false, func(n int) (Renewal, error) {
			if n == 2 {
				return RenewalLost, nil
			}
			return RenewalDone, nil
		}, 2 * length / 3, 2},
		{"norenew is a plain timeout", true, nil, length - length/10, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &renewals{reply: c.reply, began: time.Now()}
				var lost []time.Duration
				l := &lease{length: length, renew: !c.norenew}
				l.onLost = func(error) { lost = append(lost, time.Since(s.began)) }
				l.onFailed = func(error) {}
				r := newRenewer(s)
				r.hold(l, time.Now())
				time.Sleep(30 * time.Second)
				if !l.over() == (c.lost != 0) {
					t.Errorf("over() is %v", l.over())
				}
				l.stop()
				synctest.Wait() // the loop has ended, or the bubble complains
				switch {
				case c.lost == 0 && len(lost) != 0, c.lost != 0 && len(lost) != 1:
					t.Fatalf("lost at %v", lost)
				case c.lost != 0 && (lost[0] > c.lost || lost[0] < c.lost*8/10):
					t.Errorf("lost after %v, want about %v", lost[0], c.lost)
				}
				if len(s.sent) < c.least {
					t.Errorf("%d renewals, want at least %d: %v", len(s.sent), c.least, s.sent)
				}
			})
		})
	}
}

func TestLease_AHungRenewalIsSentAgainBesideIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hang := make(chan struct{})
		s := &renewals{began: time.Now(), reply: func(n int) (Renewal, error) {
			if n == 1 {
				<-hang
			}
			return RenewalDone, nil
		}}
		r := newRenewer(s)
		hung, other := newQuietLease(9*time.Second), newQuietLease(600*time.Millisecond)
		r.hold(hung, time.Now())
		time.Sleep(3100 * time.Millisecond) // the first renewal hangs now
		r.hold(other, time.Now())
		time.Sleep(20 * time.Second)
		if other.over() || hung.over() {
			t.Errorf("lost: the hung one %v, the one beside it %v", hung.over(), other.over())
		}
		close(hang)
		hung.stop()
		other.stop()
	})
}

// TestLease_CountsFromWhenItWasSent: the store may have acted on a renewal as soon as it was sent, however long its answer takes.
func TestLease_CountsFromWhenItWasSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hang := make(chan struct{})
		s := &renewals{began: time.Now(), reply: func(n int) (Renewal, error) {
			if n > 1 {
				<-hang
			} else {
				time.Sleep(1500 * time.Millisecond) // the answer's way
			}
			return RenewalDone, nil
		}}
		var lost time.Duration
		l := newQuietLease(9 * time.Second)
		l.onLost = func(error) { lost = time.Since(s.began) }
		r := newRenewer(s)
		r.hold(l, time.Now())
		time.Sleep(20 * time.Second)
		synctest.Wait()
		if want := s.sent[0] + valid(9*time.Second); lost != want {
			t.Errorf("lost after %v, want %v", lost, want)
		}
		close(hang)
		l.stop()
	})
}

func TestLease_WhenEveryRenewalHangsTheDeadlineComes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hang := make(chan struct{})
		s := &renewals{began: time.Now(), reply: func(int) (Renewal, error) { <-hang; return RenewalDone, nil }}
		var lost time.Duration
		l := newQuietLease(9 * time.Second)
		l.onLost = func(error) { lost = time.Since(s.began) }
		r := newRenewer(s)
		r.hold(l, time.Now())
		time.Sleep(20 * time.Second)
		synctest.Wait()
		if lost != valid(9*time.Second) {
			t.Errorf("lost after %v", lost)
		}
		if len(s.sent) > 12 {
			t.Errorf("%d renewals were sent into the void", len(s.sent))
		}
		close(hang)
		l.stop()
	})
}

func TestLease_ManyTravelInOneStatement(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &renewals{began: time.Now(), reply: func(int) (Renewal, error) { return RenewalDone, nil }}
		r := newRenewer(s)
		leases := make([]*lease, 100)
		for i := range leases {
			leases[i] = newQuietLease(30 * time.Second)
			r.hold(leases[i], time.Now())
		}
		time.Sleep(31 * time.Second)
		if len(s.sent) > 30 {
			t.Errorf("%d statements for 100 leases over three renewals, want far fewer", len(s.sent))
		}
		for _, l := range leases {
			if l.over() {
				t.Error("a lease was not renewed")
			}
			l.stop()
		}
	})
}

func TestLease_SettlingRenewsAPlainTimeoutTooAndReportsNoLoss(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &renewals{began: time.Now(), reply: func(int) (Renewal, error) { return RenewalLost, nil }}
		l := newQuietLease(time.Second)
		l.renew = false
		l.onLost = func(error) { t.Error("a loss was reported while the outcome was being stored") }
		r := newRenewer(s)
		r.hold(l, time.Now())
		l.settle()
		time.Sleep(5 * time.Second)
		l.stop()
		if len(s.sent) == 0 {
			t.Error("no renewal was sent")
		}
	})
}

func newQuietLease(length time.Duration) *lease {
	return &lease{length: length, renew: true, onLost: func(error) {}, onFailed: func(error) {}}
}
