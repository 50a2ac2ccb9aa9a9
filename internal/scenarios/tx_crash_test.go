package scenarios

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
	"github.com/idemgen/idemgen/idem/postgres"
	"github.com/idemgen/idemgen/internal/pgtest"
)

// This file lets a process die at every statement of a run in a transaction, just before the database gets it and just after it has done it.
// docs/transactions.md has the table. Whatever the point, the next caller ends with one effect and one outcome, of the same transaction.

// txCrash is a statement at which a process dies, and what it leaves.
type txCrash struct {
	mode          string
	point, sql    string
	before, after string // the row, and how many effects stand
	runs          [2]int64
}

// txCrashes are the points, in the order of a run.
var txCrashes = []txCrash{
	{"own", "claim", sqlClaim, "absent, 0", "running, 0", [2]int64{1, 1}},
	{"own", "begin", sqlBeginEffect, "running, 0", "running, 0", [2]int64{1, 1}},
	{"own", "effect", sqlEffect, "running, 0", "running, 0", [2]int64{2, 2}},
	{"own", "complete", sqlComplete, "running, 0", "running, 0", [2]int64{2, 2}},
	{"own", "commit", sqlCommitOutcome, "running, 0", "done, 1", [2]int64{2, 1}},
	{"join", "claim", sqlClaim, "absent, 0", "absent, 0", [2]int64{1, 1}},
	{"join", "effect", sqlEffect, "absent, 0", "absent, 0", [2]int64{2, 2}},
	{"join", "complete", sqlComplete, "absent, 0", "absent, 0", [2]int64{2, 2}},
	{"join", "commit", sqlCallersCommit, "absent, 0", "done, 1", [2]int64{2, 1}},
	{"optimistic", "read", sqlRead, "absent, 0", "absent, 0", [2]int64{1, 1}},
	{"optimistic", "begin", sqlBeginEffect, "absent, 0", "absent, 0", [2]int64{1, 1}},
	{"optimistic", "effect", sqlEffect, "absent, 0", "absent, 0", [2]int64{2, 2}},
	{"optimistic", "insert", sqlInsertSettled, "absent, 0", "absent, 0", [2]int64{2, 2}},
	{"optimistic", "commit", sqlCommitOutcome, "absent, 0", "done, 1", [2]int64{2, 1}},
}

const sqlCallersCommit = "commit /* the caller's */"

func TestI3_ADeathInATransactionLeavesEffectAndOutcomeOrNeither(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"own", "join", "optimistic"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			for _, c := range txCrashes {
				if c.mode == mode {
					t.Run(c.point+"/before", func(t *testing.T) { c.play(t, idemtest.Delay) })
					t.Run(c.point+"/after", func(t *testing.T) { c.play(t, idemtest.DelayAnswer) })
				}
			}
		})
	}
}

func (c txCrash) play(t *testing.T, point idemtest.Action) {
	left, runs := c.before, c.runs[0]
	if point == idemtest.DelayAnswer {
		left, runs = c.after, c.runs[1]
	}
	w := newWired(t, pgtest.Database(t), idem.WithStoreTimeout(3*time.Second))
	w.exec("CREATE TABLE effects (downstream_key text, run int)")
	pool, cut := throughCut(t, w.dsn, conns(2))
	w.cut = cut
	w.worksOn(postgres.NewStore(pool), idem.WithStoreTimeout(3*time.Second))
	w.method = func(ctx context.Context, run int64) (string, error) { return "paid", effect(ctx, run) }
	mode := map[string]func(*idem.Operation[string]){"own": own, "join": joining, "optimistic": optimistic}[c.mode]
	op := inTx(mode, func(op *idem.Operation[string]) { op.Lease = 20 * time.Second })
	pay := func(ctx context.Context, s *stage, pool *pgxpool.Pool) (string, error) {
		if c.mode != "join" {
			return s.call(ctx, op, "k", "a")
		}
		return s.payJoined(ctx, pool, op, "k")
	}
	ctx, bury := context.WithCancel(context.Background())
	defer bury()
	gate := idemtest.NewGate(t)
	i := cut.Inject(c.sql, idemtest.Fault{Do: point, Gate: gate})
	dead := make(chan struct{})
	go func() {
		defer close(dead)
		_, _ = pay(ctx, w.stage, pool)
	}()
	gate.Await(t, 1)
	cut.Inject("", idemtest.Fault{Do: idemtest.Refuse, Times: idemtest.Always})
	cut.CutAll()
	if i.Hits() != 1 {
		t.Fatalf("the process did not reach the point: %d", i.Hits())
	}
	w.eventually("the end of its sessions", func() bool { return w.backends("state LIKE 'idle in transaction%'") == 0 })
	if got := fmt.Sprint(w.charged("k"), ", ", ask[int](w.stage, "SELECT count(*) FROM effects")); got != left {
		t.Errorf("it left %q, want %q", got, left)
	}
	if w.charged("k").String() == "running" {
		w.refusesOthers("k", "before its lease is over,")
		w.age("k", time.Minute)
	}
	for range 2 {
		if out, err := pay(context.Background(), w.other, w.pool); out != "paid" || err != nil {
			t.Errorf("the next caller got %q, %v", out, err)
		}
	}
	w.wantRuns(runs)
	w.wantEffects(1)
	if n := ask[int](w.stage, "SELECT count(*) FROM effects e, idem_claims c WHERE e.xmin = c.xmin"); n != 1 && c.mode != "join" { // under join they are subtransactions
		t.Error("effect and outcome are of different transactions")
	}
	bury()
	gate.Open()
	<-dead
	_ = w.engine.Close()
	w.wantEffects(1)
}

// payJoined pays in a transaction of its own making.
func (s *stage) payJoined(ctx context.Context, pool *pgxpool.Pool, op *idem.Operation[string], key string) (out string, err error) {
	c, err := pool.Acquire(ctx)
	if err != nil {
		return "", err
	}
	defer c.Release()
	tx, err := c.Conn().BeginTx(ctx, pgx.TxOptions{CommitQuery: sqlCallersCommit})
	if err != nil {
		return "", err
	}
	defer func() { _ = tx.Rollback(ctx) }()
	runs := &s.runs
	if s.plays != nil {
		runs = &s.plays.runs
	}
	call := s.request(key, "a")
	call.Tx = tx
	call.Run = func(ctx context.Context) (string, error) {
		r, _ := idem.FromContext(ctx)
		_, err := tx.Exec(ctx, sqlEffect+" VALUES ($1, $2)", r.DownstreamKey, runs.Add(1))
		return "paid", err
	}
	if out, err = idem.Do(ctx, s.engine, op, call); err != nil {
		return "", err
	}
	return out, tx.Commit(ctx)
}
