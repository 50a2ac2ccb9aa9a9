package scenarios

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
	"github.com/idemgen/idemgen/idem/postgres"
)

// This file is the time that runs in a transaction take, and the connections: leases are renewed beside them, and a transaction that nobody can
// reach does not keep its key.

// TestTx_ALongRunIsRenewed holds a transaction open for several leases, renewed on another connection; in READ COMMITTED that is not in the outcome's
// way. Under norenew a lease that is long enough does it.
func TestTx_ALongRunIsRenewed(t *testing.T) {
	t.Parallel()
	s := withEffects(t)
	const lease = 1500 * time.Millisecond
	gate := s.gatedEffect()
	op := inTx(own, func(op *idem.Operation[string]) { op.Lease = lease })
	// its connection is kept busy, for the database ends a transaction in which nothing happens for a lease
	held := s.method
	s.method = func(ctx context.Context, run int64) (string, error) {
		handed, _ := postgres.TxFromContext(ctx)
		busy, stop := context.WithCancel(ctx)
		defer stop()
		done := make(chan struct{})
		if err := effect(ctx, run); err != nil {
			return "", err
		}
		s.method = held
		go func() { defer close(done); _ = gate.Enter(context.WithoutCancel(busy)) }()
		for {
			select {
			case <-done:
				return "paid", nil
			default:
				if _, err := handed.Exec(ctx, "SELECT pg_sleep(0.05)"); err != nil {
					return "", err
				}
			}
		}
	}
	running := s.async(t.Context(), op, "k", "a")
	gate.Await(t, 1)
	s.eventually("renewals for twice the lease", func() bool { return s.renewedPast(lease) })
	_, err := s.twin().call(t.Context(), inTx(own, conflict), "k", "a")
	wantErr(t, err, idem.ErrInFlight)
	gate.Open()
	s.wantAnswer(<-running, "paid", nil)
	s.wantEffects(1)
	s.wantRuns(1)
}

// TestTx_AnIdleTransactionEndsWithItsLease: the database ends it, and it is an ordinary error then.
func TestTx_AnIdleTransactionEndsWithItsLease(t *testing.T) {
	t.Parallel()
	for mode, tx := range engineModes {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			s := withEffects(t)
			op := inTx(tx, func(op *idem.Operation[string]) { op.Lease = time.Second })
			s.method = func(ctx context.Context, run int64) (string, error) {
				if run > 1 {
					return "paid", effect(ctx, run)
				}
				handed, _ := postgres.TxFromContext(ctx)
				err := effect(ctx, run)
				pid := handed.Conn().PgConn().PID()
				s.eventually("the end of the transaction", func() bool {
					return ask[int](s, "SELECT count(*) FROM pg_stat_activity WHERE pid = $1", pid) == 0
				})
				return "paid", err
			}
			_, err := s.call(t.Context(), op, "k", "a")
			wantErr(t, err, idem.ErrStore)
			s.wantEffects(0)
			s.wantRow("k", "absent")
			s.wantPaid(inTx(tx), "k", false)
			s.wantEffects(1)
		})
	}
}

// TestTx_AHalfOpenConnectionFreesTheKey: a process is cut off when its outcome is stored and the commit is on its way. The server knows nothing of that
// and keeps the row locked, until the transaction was idle for a lease.
func TestTx_AHalfOpenConnectionFreesTheKey(t *testing.T) {
	t.Parallel()
	for mode, tx := range engineModes {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			w := wiredEffects(t, idem.WithStoreTimeout(3*time.Second))
			op := inTx(tx, func(op *idem.Operation[string]) { op.Lease = 3 * time.Second })
			w.other.method = w.method
			cutOff := idemtest.NewGate(t)
			w.cut.Inject(sqlCommitOutcome, idemtest.Fault{Do: idemtest.ApplyLate, Gate: cutOff})
			dead := w.async(t.Context(), op, "k", "a")
			cutOff.Await(t, 1)
			w.cut.Inject("", idemtest.Fault{Do: idemtest.Refuse, Times: idemtest.Always})
			cutOff.Open()
			_, err := w.other.call(t.Context(), inTx(tx, conflict), "k", "a")
			if mode == "own" {
				wantErr(t, err, idem.ErrInFlight)
			}
			w.other.eventually("an answer", func() bool {
				out, err := w.other.call(t.Context(), op, "k", "a")
				return out == "paid" && err == nil
			})
			<-dead
			w.wantEffects(1)
			w.wantRowNow("k", "done")
		})
	}
}

func TestTx_FewConnectionsAreEnough(t *testing.T) {
	t.Parallel()
	for mode, tx := range engineModes {
		for _, n := range []int32{1, 3} {
			t.Run(fmt.Sprint(mode, "/", n), func(t *testing.T) {
				t.Parallel()
				s := withEffects(t)
				pool := s.storing(conns(n), nil)
				idemtest.Callers(t, 12, func(i int) { s.wantPaid(inTx(tx), fmt.Sprint("k", i), false) })
				s.wantEffects(12)
				if held := pool.Stat().AcquiredConns(); held != 0 {
					t.Errorf("%d connections were not given back", held)
				}
			})
		}
	}
}

// TestTx_AFullPoolIsAnAnswerBeforeTheEffect: whoever takes the connection between claim and run gets the claim given back.
func TestTx_AFullPoolIsAnAnswerBeforeTheEffect(t *testing.T) {
	t.Parallel()
	s := withEffects(t)
	var pool *pgxpool.Pool
	var taken *pgxpool.Conn
	thief := idem.ObserverFunc(func(ctx context.Context, ev idem.Event) {
		if ev.Kind == idem.EventClaimed && taken == nil {
			taken, _ = pool.Acquire(ctx)
		}
	})
	pool = s.storing(conns(1), []postgres.Option{postgres.WithAcquireTimeout(300 * time.Millisecond)}, idem.WithObserver(thief), idem.WithStoreTimeout(3*time.Second))
	if err := pool.Ping(t.Context()); err != nil { // is there
		t.Fatal(err)
	}
	_, err := s.call(t.Context(), inTx(own), "k", "a")
	if taken == nil {
		t.Fatalf("nothing was claimed: %v", err)
	}
	if e := wantErr(t, err, idem.ErrStore); e.RetryAfter <= 0 || e.Reason != "no connection came free: all 1 of the pool are in use" {
		t.Errorf("the error says too little: %+v", e)
	}
	s.wantRuns(0)
	taken.Release()
	s.wantRow("k", "absent")
	s.wantPaid(inTx(own), "k", false)
	s.wantEffects(1)
}

// TestTx_OpenTransactionsDelayNobodysRenewal fills the pool with open transactions, one of which has its row locked and does not come to commit.
func TestTx_OpenTransactionsDelayNobodysRenewal(t *testing.T) {
	t.Parallel()
	w := wiredEffects(t)
	pool, cut := throughCut(t, w.dsn, conns(4))
	w.worksOn(postgres.NewStore(pool))
	slow := idemtest.NewGate(t)
	cut.Inject(sqlCommitOutcome, idemtest.Fault{Do: idemtest.Delay, Gate: slow})
	op := inTx(own, func(op *idem.Operation[string]) { op.Lease = 2 * time.Second })
	paying := w.method
	committing := w.async(t.Context(), op, "k", "a")
	slow.Await(t, 1)
	gate := idemtest.NewGate(t)
	w.method = func(ctx context.Context, run int64) (string, error) {
		handed, _ := postgres.TxFromContext(ctx)
		err := effect(ctx, run)
		opened := make(chan error, 1)
		go func() { opened <- gate.Enter(context.WithoutCancel(ctx)) }()
		for {
			select {
			case <-opened:
				return "paid", err
			default:
				if _, err := handed.Exec(ctx, "SELECT pg_sleep(0.05)"); err != nil {
					return "", err
				}
			}
		}
	}
	var others []<-chan answer
	for i := range 3 {
		others = append(others, w.async(t.Context(), op, fmt.Sprint("k", i), "a"))
	}
	gate.Await(t, 3)
	w.eventually("renewals of all for twice the lease", func() bool {
		return ask[int](w.stage, "SELECT count(*) FROM idem_claims WHERE id <> $1 AND lease_until > claimed_at + interval '4 s'", rowID("k")) == 3
	})
	w.method = paying
	slow.Open()
	gate.Open()
	for _, o := range append(others, committing) {
		if a := <-o; a != (answer{"paid", nil}) {
			t.Errorf("got %v", a)
		}
	}
	w.wantEffects(4)
}
