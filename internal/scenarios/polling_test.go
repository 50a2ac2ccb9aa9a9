package scenarios

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
	"github.com/idemgen/idemgen/idem/postgres"
	"github.com/idemgen/idemgen/internal/pgtest"
)

// This file is about what waiting costs: queries and connections, for one waiter and for many. When to look is tested in virtual
// time, in package idem.

// looks counts the statements by which an engine's waiters look at rows.
type looks struct{ n atomic.Int64 }

func (l *looks) trace(_ context.Context, batch bool, sent ...string) {
	reads := 0
	for _, sql := range sent {
		switch {
		case !batch || strings.Contains(sql, "INSERT") || strings.Contains(sql, "UPDATE"):
			return
		case strings.Contains(sql, "FROM idem_claims"):
			reads++
		}
	}
	l.n.Add(int64(reads))
}

// TestI10 has calls of one process run, and one or a hundred duplicates of another process wait for them, with one connection
// among them.
func TestI10_WaitersShareTheirLooksAndHoldNoConnection(t *testing.T) {
	t.Parallel()
	const keys, long = 3, 3 * time.Second
	seen := map[int]int64{}
	for _, waiters := range []int{keys, 40 * keys} {
		s := newStage(t)
		gate := s.gatedInContext()
		key := func(i int) string { return string(rune('a' + i%keys)) }
		for i := range keys {
			s.async(t.Context(), &charge, key(i), "x")
		}
		gate.Await(t, keys)

		var l looks
		pool := pgtest.PoolOf(t, s.dsn, conns(1), traced(l.trace))
		other := s.process(pool)
		var answered sync.WaitGroup
		for i := range waiters {
			answered.Go(func() {
				if out, err := other.call(t.Context(), &charge, key(i), "x"); out != "charged" || err != nil {
					t.Errorf("a waiter got %q, %v", out, err)
				}
			})
		}
		other.await(idem.EventWaited, waiters)
		before, held := l.n.Load(), 0
		began := time.Now()
		samples := 0
		for ; time.Since(began) < long; samples++ {
			if pool.Stat().AcquiredConns() > 0 {
				held++
			}
			time.Sleep(5 * time.Millisecond)
		}
		seen[waiters] = l.n.Load() - before
		if held > samples/2 {
			t.Errorf("%d waiters held a connection in %d of %d moments", waiters, held, samples)
		}
		if _, err := pool.Exec(t.Context(), "SELECT 1"); err != nil {
			t.Errorf("the pool gave no connection while %d waited: %v", waiters, err)
		}
		gate.Open()
		answered.Wait()
		other.wantRuns(0)
	}
	t.Attr("figures", fmt.Sprintf("looks in %v by number of waiters: %v", long, seen))
	if few, many := seen[keys], seen[40*keys]; few == 0 || many > 4*few+20 {
		t.Errorf("looks in %v by number of waiters: %v; want about the same", long, seen)
	}
}

// TestWaiters_OfTheSameProcessAreWokenByTheWinner has waiters who would see nothing by themselves.
func TestWaiters_OfTheSameProcessAreWokenByTheWinner(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		err  error
		want string
	}{
		{"when it has completed", nil, "ran 1"},
		{"when it has released", idem.NoEffect(errClassified), "ran 2"},
		{"when it has abandoned", idem.Unknown(errClassified), "ran 2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			s.worksOn(&seamStore{Store: postgres.NewStore(s.pool), before: func(ctx context.Context, step idemtest.Step) {
				if step == idemtest.StepRead {
					<-ctx.Done() // looks never end
				}
			}})
			gate := idemtest.NewGate(t)
			s.method = func(ctx context.Context, run int64) (string, error) {
				if run > 1 {
					return "ran 2", nil
				}
				return "ran 1", firstOf(gate.Enter(ctx), c.err)
			}
			first := s.async(t.Context(), &charge, "k", "a")
			gate.Await(t, 1)
			waiter := s.async(t.Context(), &charge, "k", "a")
			s.await(idem.EventWaited, 1)
			gate.Open()
			<-first
			if a := <-waiter; a != (answer{c.want, nil}) {
				t.Errorf("the waiter got %v", a)
			}
		})
	}
}

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
