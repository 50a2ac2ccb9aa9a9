package idem

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// rows is a store that only reads, as a test says.
type rows struct {
	Store
	mu    sync.Mutex
	asked [][]ID
	began []time.Time
	reply func(ctx context.Context, n int, id ID) (Row, error) // to look number n, from 1
}

func (s *rows) Read(ctx context.Context, ids []ID) ([]Row, error) {
	s.mu.Lock()
	s.asked = append(s.asked, ids)
	s.began = append(s.began, time.Now())
	n := len(s.asked)
	s.mu.Unlock()
	answers := make([]Row, len(ids))
	for i, id := range ids {
		var err error
		if answers[i], err = s.reply(ctx, n, id); err != nil {
			return nil, err
		}
	}
	return answers, nil
}

// looks is how often the store was asked, and for how many rows in all.
func (s *rows) looks() (n, read int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, ids := range s.asked {
		read += len(ids)
	}
	return len(s.asked), read
}

// running is a row of an owner with a lease of a minute.
func running(id ID, owner byte) Row {
	return Row{ID: id, State: StateRunning, Owner: Owner{owner}, LeaseLeft: time.Minute}
}

// inBubble runs f with a poller of s in virtual time.
func inBubble(t *testing.T, s *rows, f func(*testing.T, *poller)) {
	synctest.Test(t, func(t *testing.T) {
		p := newPoller(s, 3*time.Second)
		f(t, p)
		p.close()
		synctest.Wait()
		if p.loops || len(p.watched) != 0 || p.looks != 0 {
			t.Errorf("something is left: %+v", p)
		}
	})
}

func TestPoller_LooksGetRarerAndEndWithTheWait(t *testing.T) {
	t.Parallel()
	s := &rows{reply: func(_ context.Context, _ int, id ID) (Row, error) { return running(id, 1), nil }}
	inBubble(t, s, func(t *testing.T, p *poller) {
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		if err := p.wait(ctx, running(ID{1}, 1)); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the wait ended with %v", err)
		}
		n, _ := s.looks()
		if n < 30 || n > 60 {
			t.Errorf("%d looks in 30s, want about 40", n)
		}
		time.Sleep(time.Minute)
		if after, _ := s.looks(); after != n {
			t.Errorf("%d looks after the wait had ended", after-n)
		}
	})
}

// TestPoller_TheCostDoesNotGrowWithTheWaiters has many wait for few rows, and for many.
func TestPoller_TheCostDoesNotGrowWithTheWaiters(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ waiters, keys int }{{1, 1}, {1000, 1}, {1000, 1000}} {
		s := &rows{reply: func(_ context.Context, _ int, id ID) (Row, error) { return running(id, 1), nil }}
		inBubble(t, s, func(t *testing.T, p *poller) {
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			defer cancel()
			var all sync.WaitGroup
			for i := range c.waiters {
				k := i % c.keys
				all.Go(func() { _ = p.wait(ctx, running(ID{byte(k), byte(k >> 8)}, 1)) })
			}
			all.Wait()
		})
		n, read := s.looks()
		t.Logf("%d waiters for %d rows: %d looks in 30 s, %d rows read", c.waiters, c.keys, n, read)
		if n > 200 {
			t.Errorf("%d waiters for %d rows cost %d looks", c.waiters, c.keys, n)
		}
		for i := 1; i < len(s.began); i++ {
			if d := s.began[i].Sub(s.began[i-1]); d < firstLook {
				t.Fatalf("two looks %v apart", d)
			}
		}
	}
}

func TestPoller_EachWaiterIsToldWhenItsOwnOwnerIsGone(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]Row{
		"settled": {State: StateDone, Owner: Owner{1}}, "gone": {}, "held": {State: StateUnknown, Owner: Owner{1}},
		"lapsed": {State: StateRunning, Owner: Owner{1}, Lapsed: true}, "another's": running(ID{1}, 2),
	} {
		t.Run(name, func(t *testing.T) {
			s := &rows{reply: func(_ context.Context, n int, id ID) (Row, error) {
				if n < 5 {
					return running(id, 1), nil
				}
				return row, nil
			}}
			inBubble(t, s, func(t *testing.T, p *poller) {
				if err := p.wait(t.Context(), running(ID{1}, 1)); err != nil {
					t.Error(err)
				}
				if n, _ := s.looks(); n != 5 {
					t.Errorf("told after %d looks", n)
				}
			})
		})
	}
}

func TestPoller_AChangeInThisProcessIsToldAtOnce(t *testing.T) {
	t.Parallel()
	s := &rows{reply: func(_ context.Context, _ int, id ID) (Row, error) { return running(id, 1), nil }}
	inBubble(t, s, func(t *testing.T, p *poller) {
		told, other := make(chan error, 1), make(chan error, 1)
		ctx, cancel := context.WithCancel(t.Context())
		go func() { told <- p.wait(t.Context(), running(ID{1}, 1)) }()
		go func() { other <- p.wait(ctx, running(ID{2}, 1)) }()
		time.Sleep(20 * time.Second) // looks are a second apart by now
		changed := time.Now()
		p.changed(ID{1})
		if err := <-told; err != nil || time.Since(changed) != 0 {
			t.Errorf("told %v later: %v", time.Since(changed), err)
		}
		synctest.Wait()
		if len(other) != 0 {
			t.Error("another row's waiter was told")
		}
		cancel()
		<-other
	})
}

func TestPoller_ALeaseThatEndsIsLookedAtInTime(t *testing.T) {
	t.Parallel()
	var began time.Time
	s := &rows{reply: func(_ context.Context, _ int, id ID) (Row, error) {
		row := running(id, 1)
		row.LeaseLeft = max(0, 20100*time.Millisecond-time.Since(began))
		row.Lapsed = row.LeaseLeft == 0
		return row, nil
	}}
	inBubble(t, s, func(t *testing.T, p *poller) {
		began = time.Now()
		if err := p.wait(t.Context(), running(ID{1}, 1)); err != nil {
			t.Error(err)
		}
		if late := time.Since(began) - 20100*time.Millisecond; late < 0 || late > 100*time.Millisecond {
			t.Errorf("told %v after the lease", late)
		}
	})
}

func TestPoller_FailuresEndAWaitWhenTheyLastOrCannotBeMended(t *testing.T) {
	t.Parallel()
	down, refused := &StoreError{Reason: "down", Temporary: true}, &StoreError{Reason: "refused"}
	for _, c := range []struct {
		name  string
		err   error
		fails int // looks that fail
		want  error
		looks int
	}{
		{"some", down, lookErrors, nil, lookErrors + 1},
		{"too many", down, 100, down, lookErrors + 1},
		{"for good", refused, 100, refused, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &rows{reply: func(_ context.Context, n int, id ID) (Row, error) {
				if n <= c.fails {
					return Row{}, c.err
				}
				return Row{State: StateDone}, nil
			}}
			inBubble(t, s, func(t *testing.T, p *poller) {
				if err := p.wait(t.Context(), running(ID{1}, 1)); err != c.want { //nolint:errorlint // the store's own
					t.Errorf("got %v, want %v", err, c.want)
				}
				if n, _ := s.looks(); n != c.looks {
					t.Errorf("%d looks, want %d", n, c.looks)
				}
			})
		})
	}
}

// TestPoller_ALookThatHangsDelaysNobodyForLong hangs the first look, or all of them.
func TestPoller_ALookThatHangsDelaysNobodyForLong(t *testing.T) {
	t.Parallel()
	s := &rows{reply: func(ctx context.Context, n int, id ID) (Row, error) {
		if n == 1 {
			<-ctx.Done()
			return Row{}, &StoreError{Reason: "no answer", Temporary: true, Err: ctx.Err()}
		}
		return Row{State: StateDone}, nil
	}}
	inBubble(t, s, func(t *testing.T, p *poller) {
		first := make(chan error, 1)
		began := time.Now()
		go func() { first <- p.wait(t.Context(), running(ID{1}, 1)) }()
		time.Sleep(500 * time.Millisecond)
		if err := p.wait(t.Context(), running(ID{2}, 1)); err != nil || time.Since(began) > slowLook+100*time.Millisecond {
			t.Errorf("one that came later waited %v: %v", time.Since(began), err)
		}
		if err := <-first; err != nil || time.Since(began) > 4*time.Second {
			t.Errorf("the first waited %v: %v", time.Since(began), err)
		}
	})
}

func TestPoller_AStoreThatHangsIsAskedAFewTimesOnly(t *testing.T) {
	t.Parallel()
	var now, most int
	var mu sync.Mutex
	s := &rows{}
	s.reply = func(ctx context.Context, n int, id ID) (Row, error) {
		mu.Lock()
		now++
		most = max(most, now)
		mu.Unlock()
		<-ctx.Done()
		mu.Lock()
		now--
		mu.Unlock()
		return Row{}, &StoreError{Reason: "no answer", Temporary: true, Err: ctx.Err()}
	}
	inBubble(t, s, func(t *testing.T, p *poller) {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		var all sync.WaitGroup
		for i := range 100 {
			all.Go(func() {
				time.Sleep(time.Duration(i) * 50 * time.Millisecond)
				_ = p.wait(ctx, running(ID{byte(i)}, 1))
			})
		}
		all.Wait()
	})
	if most != maxLooks {
		t.Errorf("%d looks at once, want %d", most, maxLooks)
	}
}
