package scenarios

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
	"github.com/idemgen/idemgen/idem/postgres"
	"github.com/idemgen/idemgen/internal/pgtest"
)

// This file is about a pool that is too small: the application's own, which the engine shares. A full one must give an answer that names
// it, not a deadlock, and the engine must not fill it: it holds no connection while the method runs or a call waits.

// enough is time for everything that does not hang.
const enough = 20 * time.Second

// takeAll takes the pool's connections, and returns what gives them back.
func takeAll(t *testing.T, pool *pgxpool.Pool) (giveBack func()) {
	t.Helper()
	var taken []*pgxpool.Conn
	giveBack = func() {
		for _, c := range taken {
			c.Release()
		}
		taken = nil
	}
	t.Cleanup(giveBack)
	ctx, cancel := context.WithTimeout(t.Context(), enough)
	defer cancel()
	for range pool.Config().MaxConns {
		c, err := pool.Acquire(ctx)
		if err != nil {
			t.Fatal(err)
		}
		taken = append(taken, c)
	}
	return giveBack
}

// TestPool_CallersThatHoldTheWholePoolGetAnAnswer: each caller holds a connection, as one in a transaction does, and needs another.
func TestPool_CallersThatHoldTheWholePoolGetAnAnswer(t *testing.T) {
	t.Parallel()
	limits := map[string]struct {
		acquire time.Duration
		store   time.Duration
	}{
		"the limit on acquiring": {50 * time.Millisecond, enough},
		"the store timeout":      {0, 300 * time.Millisecond},
	}
	for name, limit := range limits {
		for _, n := range []int32{1, 2} {
			t.Run(fmt.Sprintf("%s/%d", name, n), func(t *testing.T) {
				t.Parallel()
				store := []postgres.Option{postgres.WithAcquireTimeout(limit.acquire)}
				s, pool := apartWith(t, pgtest.Database(t), conns(n), store, idem.WithStoreTimeout(limit.store))
				giveBack := takeAll(t, pool)
				full := fmt.Sprintf("all %d of the pool are in use", n)
				idemtest.Callers(t, int(n), func(i int) {
					_, err := s.call(t.Context(), &charge, fmt.Sprint("k", i), "a")
					if e := wantErr(t, err, idem.ErrStore); !strings.Contains(e.Reason, full) || e.RetryAfter <= 0 {
						t.Errorf("the error says too little: %+v", e)
					}
				})
				s.wantRuns(0)
				giveBack()
				idemtest.Callers(t, 2*int(n), func(i int) {
					if a := s.insist(&charge, fmt.Sprint("k", i), "a"); a.err != nil {
						t.Errorf("with connections free again: %v", a.err)
					}
				})
				s.wantRuns(2 * int64(n))
			})
		}
	}
}

func TestPool_TheMethodCanUseAPoolOfOne(t *testing.T) {
	t.Parallel()
	s, pool := apart(t, pgtest.Database(t), conns(1))
	s.method = func(ctx context.Context, _ int64) (name string, err error) {
		err = pool.QueryRow(ctx, "SELECT current_database()").Scan(&name)
		return name, err
	}
	ctx, cancel := context.WithTimeout(t.Context(), enough)
	defer cancel()
	if out, err := s.call(ctx, &charge, "k", "a"); out != pool.Config().ConnConfig.Database || err != nil {
		t.Errorf("got %q, %v", out, err)
	}
	s.wantRuns(1)
}

// TestPool_AFullPoolCostsNoLease is over when the lease has been renewed for another length of it, all of it with no connection free.
func TestPool_AFullPoolCostsNoLease(t *testing.T) {
	t.Parallel()
	s, pool := apart(t, pgtest.Database(t), conns(2))
	const lease = 2 * time.Second
	gate := s.gated()
	first := s.async(t.Context(), with(func(op *idem.Operation[string]) { op.Lease = lease }), "k", "a")
	gate.Await(t, 1)
	giveBack := takeAll(t, pool)
	rival := s.beside()
	rival.worksOn(postgres.NewStore(s.pool))
	s.eventually("the lease renewed", func() bool {
		_, err := rival.call(t.Context(), with(conflict), "k", "a")
		wantErr(t, err, idem.ErrInFlight)
		return s.renewedPast(lease)
	})
	giveBack()
	gate.Open()
	s.wantAnswer(<-first, "charged", nil)
	s.wantRuns(1)
	rival.wantRuns(0)
	if n := s.events.count(idem.EventLeaseLost) + s.events.count(idem.EventTakenOver); n != 0 {
		t.Errorf("events: %v", s.events.kinds())
	}
}

func TestI10_WaitersHoldNoConnection(t *testing.T) {
	t.Parallel()
	s, pool := apart(t, pgtest.Database(t), conns(2))
	gate := s.gated()
	calls := []<-chan answer{s.async(t.Context(), &charge, "k", "a")}
	gate.Await(t, 1)
	for range 30 {
		calls = append(calls, s.async(t.Context(), &charge, "k", "a"))
	}
	s.await(idem.EventWaited, 30)
	ctx, cancel := context.WithTimeout(t.Context(), enough)
	defer cancel()
	for range 10 {
		if _, err := pool.Exec(ctx, "SELECT 1"); err != nil {
			t.Fatalf("an unrelated query: %v", err)
		}
	}
	s.eventually("the pool unused", func() bool { return pool.Stat().AcquiredConns() == 0 })
	giveBack := takeAll(t, pool) // both connections are to be had at once
	giveBack()
	gate.Open()
	for _, c := range calls {
		s.wantAnswer(<-c, "charged", nil)
	}
	s.wantRuns(1)
}

// TestPC3_DuplicatesBehindAnOpenTransactionLeaveThePoolFree has a business transaction hold the claim's row until everybody else
// has an answer: were anyone to wait for it, nobody ever would.
func TestPC3_DuplicatesBehindAnOpenTransactionLeaveThePoolFree(t *testing.T) {
	t.Parallel()
	s, pool := apart(t, pgtest.Database(t), conns(5))
	gate := s.gated()
	first := s.async(t.Context(), &charge, "k", "a")
	gate.Await(t, 1)
	release := s.holdRow("k")
	ctx, cancel := context.WithTimeout(t.Context(), enough)
	defer cancel()
	waiters := make([]<-chan answer, 6)
	for i := range waiters {
		waiters[i] = s.async(t.Context(), &charge, "k", "a")
	}
	idemtest.Callers(t, 7, func(i int) {
		if i == 6 {
			if _, err := pool.Exec(ctx, "SELECT 1"); err != nil {
				t.Errorf("an unrelated query: %v", err)
			}
			return
		}
		_, err := s.call(ctx, with(conflict), "k", "a")
		wantErr(t, err, idem.ErrInFlight)
	})
	s.await(idem.EventWaited, len(waiters))
	if n := s.events.count(idem.EventStoreFailed); n != 0 {
		t.Errorf("%d steps failed", n)
	}
	release()
	gate.Open()
	for _, c := range append(waiters, first) {
		s.wantAnswer(<-c, "charged", nil)
	}
	s.wantRuns(1)
}

// TestPool_AServerWithoutAConnectionLeftIsNamed fills a server up to its max_connections.
func TestPool_AServerWithoutAConnectionLeftIsNamed(t *testing.T) {
	t.Parallel()
	server := privateServer(t, map[string]string{"max_connections": "12", "superuser_reserved_connections": "0"})
	const lease = 2 * time.Second
	s, _ := apart(t, server.Database(t), conns(1))
	gate := s.gated()
	running := s.async(t.Context(), with(func(op *idem.Operation[string]) { op.Lease = lease }), "running", "a")
	gate.Await(t, 1)

	late := s.beside() // a process that has no connection yet
	late.worksOn(postgres.NewStore(pgtest.PoolOf(t, s.dsn)))
	leave := fillUp(t, s.dsn)
	_, err := late.call(t.Context(), &charge, "late", "a")
	if e := wantErr(t, err, idem.ErrStore); !strings.Contains(e.Reason, "53300") || e.RetryAfter <= 0 {
		t.Errorf("the error says too little: %+v", e)
	}
	late.wantRuns(0)
	s.eventually("the lease renewed", func() bool { return s.renewedPast(lease) })
	leave()
	s.wantAnswer(late.insist(&charge, "late", "a"), "ran 1", nil)
	gate.Open()
	s.wantAnswer(<-running, "charged", nil)
	s.wantRuns(1)
	if n := s.events.count(idem.EventLeaseLost); n != 0 {
		t.Errorf("events: %v", s.events.kinds())
	}
}

// fillUp takes the connections that a server has left.
func fillUp(t *testing.T, dsn string) (leave func()) {
	t.Helper()
	var taken []*pgx.Conn
	leave = func() {
		for _, c := range taken {
			_ = c.Close(context.Background())
		}
		taken = nil
	}
	t.Cleanup(leave)
	for {
		c, err := pgx.Connect(t.Context(), dsn)
		if e, ok := errors.AsType[*pgconn.PgError](err); ok && e.Code == "53300" {
			return leave
		}
		if err != nil {
			t.Fatal(err)
		}
		taken = append(taken, c)
	}
}
