package scenarios

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
	"github.com/idemgen/idemgen/idem/postgres"
	"github.com/idemgen/idemgen/internal/pgtest"
)

// This file is about what waiting costs: queries and connections, for one waiter and for many. When to look is tested in virtual
// time, in package idem.

// looks counts the statements by which an engine's waiters look at rows.
type looks struct{ n atomic.Int64 }

func (l *looks) TraceBatchStart(ctx context.Context, _ *pgx.Conn, d pgx.TraceBatchStartData) context.Context {
	reads := 0
	for _, q := range d.Batch.QueuedQueries {
		switch {
		case strings.Contains(q.SQL, "INSERT") || strings.Contains(q.SQL, "UPDATE"):
			return ctx
		case strings.Contains(q.SQL, "FROM idem_claims"):
			reads++
		}
	}
	l.n.Add(int64(reads))
	return ctx
}
func (*looks) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}
func (*looks) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData)     {}
func (*looks) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	return ctx
}
func (*looks) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// TestI10 has calls of one process run, and one or a hundred duplicates of another process wait for them, with one connection
// among them.
func TestI10_WaitersShareTheirLooksAndHoldNoConnection(t *testing.T) {
	t.Parallel()
	const keys, long = 3, 3 * time.Second
	seen := map[int]int64{}
	for _, waiters := range []int{keys, 40 * keys} {
		s := newStage(t)
		gate := idemtest.NewGate(t)
		s.method = func(ctx context.Context, _ int64) (string, error) { return "charged", gate.Enter(ctx) }
		key := func(i int) string { return string(rune('a' + i%keys)) }
		for i := range keys {
			s.async(t.Context(), &charge, key(i), "x")
		}
		gate.Await(t, keys)

		var l looks
		pool := pgtest.PoolOf(t, s.dsn, func(c *pgxpool.Config) { c.MaxConns, c.ConnConfig.Tracer = 1, &l })
		other := &stage{TB: t, dsn: s.dsn, pool: pool, events: &events{}}
		other.engine = newEngine(t, postgres.NewStore(pool), idem.WithObserver(other.events))
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

// blind is a store whose looks never end.
type blind struct{ idem.Store }

func (blind) Read(ctx context.Context, _ []idem.ID) ([]idem.Row, error) {
	<-ctx.Done()
	return nil, ctx.Err()
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
			s.engine = newEngine(t, blind{postgres.NewStore(s.pool)}, idem.WithObserver(s.events))
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
