package postgres_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
	"github.com/idemgen/idemgen/idem/postgres"
	"github.com/idemgen/idemgen/internal/pgtest"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// This file asks duplicates whether they write: from outside, by the server's write-ahead log, and from inside, by asking each of
// their transactions whether it was given an id, which is the first thing that a transaction needs to write or to lock a row.

// asker rewrites the statements that read a row so that they also ask for the id of their transaction. The answer comes as a notice, beside
// the rows, so that nobody else has to know of it.
type asker struct {
	mu  sync.Mutex
	ids []string // "none" where there is none
}

const askFunction = `CREATE FUNCTION ask() RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
BEGIN
	RAISE NOTICE 'asked: %', coalesce(pg_current_xact_id_if_assigned()::text, 'none');
	RETURN true;
END $$`

func (a *asker) TraceBatchStart(ctx context.Context, _ *pgx.Conn, d pgx.TraceBatchStartData) context.Context {
	for _, q := range d.Batch.QueuedQueries {
		if strings.HasPrefix(q.SQL, "-- name: Read") {
			q.SQL = "SELECT r.* FROM (" + q.SQL + ") AS r WHERE ask()"
		}
	}
	return ctx
}

func (a *asker) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}
func (a *asker) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData)     {}

func (a *asker) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	return ctx
}
func (a *asker) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

func (a *asker) notice(_ *pgconn.PgConn, n *pgconn.Notice) {
	if id, ok := strings.CutPrefix(n.Message, "asked: "); ok {
		a.mu.Lock()
		a.ids = append(a.ids, id)
		a.mu.Unlock()
	}
}

// take returns how many transactions were asked since the last time, and how many of them had an id.
func (a *asker) take() (asked, assigned int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, id := range a.ids {
		if id != "none" {
			assigned++
		}
	}
	asked, a.ids = len(a.ids), nil
	return asked, assigned
}

// asked is an engine all of whose reading transactions are asked, on the server of the meter.
func asked(t *testing.T) (*idem.Engine, *asker, *meter, *bench) {
	t.Helper()
	_, b, m := measured(t)
	b.exec(t, askFunction)
	a := &asker{}
	pool := pgtest.PoolOf(t, b.dsn, func(c *pgxpool.Config) {
		c.ConnConfig.Tracer, c.ConnConfig.OnNotice = a, a.notice
	})
	engine, err := idem.New(postgres.NewStore(pool), idem.WithMaxResult(100))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = engine.Close() })
	return engine, a, m, b
}

// duplicate is a call whose key somebody used before.
type duplicate struct {
	name   string
	key    string
	arg    string
	policy idem.Policy
	want   error
}

var duplicates = []duplicate{
	{"a replay", "done", "a", idem.PolicyPoll, nil},
	{"a mismatch", "done", "b", idem.PolicyPoll, idem.ErrMismatch},
	{"in flight, refused", "running", "a", idem.PolicyConflict, idem.ErrInFlight},
	{"in flight, after waiting", "running", "a", idem.PolicyPoll, idem.ErrInFlight},
	{"in flight, a mismatch", "running", "b", idem.PolicyPoll, idem.ErrMismatch},
	{"a tombstone", "large", "a", idem.PolicyPoll, idem.ErrResultNotStored},
	{"a tombstone, a mismatch", "large", "b", idem.PolicyPoll, idem.ErrMismatch},
	{"an unknown outcome", "unknown", "a", idem.PolicyPoll, idem.ErrOutcomeUnknown},
	{"an unreadable outcome", "unreadable", "a", idem.PolicyPoll, idem.ErrUnreadable},
}

// TestPC1 again, for every answer that a duplicate can get.
func TestPC1_NoDuplicateWritesOrTakesATransactionID(t *testing.T) {
	t.Parallel()
	engine, asker, meter, b := asked(t)
	gate, running := idemtest.NewGate(t), make(chan struct{})
	call := func(key, arg string, policy idem.Policy, run func(context.Context) (string, error)) error {
		op := &idem.Operation[string]{
			Name: "example.com/shop.Payments.Charge", Lease: time.Hour, MaxWait: 15 * time.Millisecond, Policy: policy, Takeover: idem.TakeoverHold,
		}
		_, err := idem.Do(t.Context(), engine, op, idem.Call[string]{
			Key: idem.StringKey(key), Args: func(f *idem.Fingerprint) { f.Add("arg", arg) }, Run: run,
		})
		return err
	}
	for key, result := range map[string]string{"done": "charged", "large": strings.Repeat("x", 200), "unreadable": "charged", "unknown": ""} {
		err := call(key, "a", idem.PolicyPoll, func(context.Context) (string, error) {
			if result == "" {
				return "", context.DeadlineExceeded
			}
			return result, nil
		})
		if (err != nil) != (key == "unknown") {
			t.Fatal(err)
		}
	}
	if asked, assigned := asker.take(); asked != 4 || assigned != 4 {
		t.Fatalf("of %d claims that were won %d had a transaction id: the asking shows nothing", asked, assigned)
	}
	b.exec(t, "UPDATE idem_claims SET codec = 'other' WHERE key = 'unreadable'")
	go func() {
		defer close(running)
		_ = call("running", "a", idem.PolicyPoll, func(ctx context.Context) (string, error) { return "slow", gate.Enter(ctx) })
	}()
	gate.Await(t, 1)
	defer func() { gate.Open(); <-running }()

	const calls = 40
	for _, d := range duplicates {
		again := func(int) {
			err := call(d.key, d.arg, d.policy, func(context.Context) (string, error) {
				t.Errorf("%s: it ran again", d.name)
				return "", nil
			})
			if !errors.Is(err, d.want) {
				t.Errorf("%s: got %v, want %v", d.name, err, d.want)
			}
		}
		again(0) // prepares statements, and the first reader of a page may tidy it up
		asker.take()
		cost := meter.cost(t, calls, again)
		asked, assigned := asker.take()
		t.Logf("%d times %s: %d transactions asked, %d ids assigned, %d bytes of WAL", calls, d.name, asked, assigned, cost.wal)
		if asked < calls || assigned != 0 {
			t.Errorf("%s: of %d transactions %d were given an id", d.name, asked, assigned)
		}
		if cost.writes != 0 || cost.wal != 0 {
			t.Errorf("%s: %d of them cost %+v", d.name, calls, cost)
		}
	}
}
