package scenarios

import (
	"context"
	"errors"
	"fmt"
	"slices"
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

// This file is what the scenarios are played on: a database of the test's own, an engine, a method that counts its runs and
// does what the test says, and eyes on the rows and the events.

func TestMain(m *testing.M) { pgtest.Main(m) }

// stage is one test's world.
type stage struct {
	testing.TB
	dsn    string
	pool   *pgxpool.Pool
	engine *idem.Engine
	events *events
	runs   atomic.Int64
	// method is what a call runs; nil returns "ran N" for run number N.
	method func(ctx context.Context, run int64) (string, error)
}

// newStage makes a stage. The engine is shut down with the test, and must leave no goroutine behind.
func newStage(t testing.TB, opts ...idem.Option) *stage {
	t.Helper()
	return stageOn(t, pgtest.Database(t), nil, opts...)
}

func stageOn(t testing.TB, dsn string, edit func(*pgxpool.Config), opts ...idem.Option) *stage {
	t.Helper()
	idemtest.NoLeaks(t)
	edits := []func(*pgxpool.Config){}
	if edit != nil {
		edits = append(edits, edit)
	}
	s := &stage{TB: t, dsn: dsn, pool: pgtest.PoolOf(t, dsn, edits...), events: &events{}}
	if err := postgres.Migrate(t.Context(), s.pool); err != nil {
		t.Fatalf("migrate: %v", err)
	}
	s.engine = newEngine(t, postgres.NewStore(s.pool), append(opts, idem.WithObserver(s.events))...)
	return s
}

func newEngine(t testing.TB, store idem.Store, opts ...idem.Option) *idem.Engine {
	t.Helper()
	e, err := idem.New(store, opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		if err := e.Shutdown(ctx); err != nil {
			t.Errorf("shutdown: %v", err)
		}
	})
	return e
}

// charge is the operation of most scenarios.
var charge = idem.Operation[string]{Name: "scenarios.Charge", Lease: 30 * time.Second, MaxWait: 20 * time.Second}

// with is charge with changes.
func with(change func(*idem.Operation[string])) *idem.Operation[string] {
	op := charge
	change(&op)
	return &op
}

func conflict(op *idem.Operation[string]) { op.Policy = idem.PolicyConflict }

func holding(op *idem.Operation[string]) { op.Takeover = idem.TakeoverHold }

// call is one call of op with a key and an argument.
func (s *stage) call(ctx context.Context, op *idem.Operation[string], key, arg string) (string, error) {
	return idem.Do(ctx, s.engine, op, s.request(key, arg))
}

func (s *stage) request(key, arg string) idem.Call[string] {
	return idem.Call[string]{
		Key:  idem.StringKey(key),
		Args: func(f *idem.Fingerprint) { f.Add("arg", arg) },
		Run: func(ctx context.Context) (string, error) {
			run := s.runs.Add(1)
			if s.method == nil {
				return fmt.Sprintf("ran %d", run), nil
			}
			return s.method(ctx, run)
		},
	}
}

// async starts a call and returns its answer's channel.
func (s *stage) async(ctx context.Context, op *idem.Operation[string], key, arg string) <-chan answer {
	c := make(chan answer, 1)
	go func() {
		out, err := s.call(ctx, op, key, arg)
		c <- answer{out, err}
	}()
	return c
}

type answer struct {
	result string
	err    error
}

// wantRuns fails the test unless the method ran n times.
func (s *stage) wantRuns(n int64) {
	s.Helper()
	if got := s.runs.Load(); got != n {
		s.Errorf("the method ran %d times, want %d", got, n)
	}
}

// row is the claim of op's key as it stands in the database, or the zero row.
type row struct {
	State, Attempt, Lapses int
	Abandoned, Lapsed      bool
	Unstarted              bool // and so expired with its lease
	Codec                  string
	Result                 []byte
}

func (s *stage) row(op, scope, key string) row {
	s.Helper()
	id := idem.RowID(idem.Ref{Operation: op, Scope: scope, Key: key})
	rows, err := s.pool.Query(context.Background(), `SELECT state, attempt, lapses, abandoned, lease_until <= clock_timestamp() AS lapsed,
		coalesce(keep = interval '0', false) AS unstarted,
		coalesce(codec, '') AS codec, result FROM idem_claims WHERE id = $1`, [16]byte(id))
	if err != nil {
		s.Fatal(err)
	}
	r, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[row])
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		s.Fatal(err)
	}
	return r
}

func (s *stage) charged(key string) row {
	s.Helper()
	return s.row(charge.Name, "", key)
}

// age moves the lease's end and the expiry of charge's key back by d, as if that time had passed.
func (s *stage) age(key string, d time.Duration) {
	s.Helper()
	id := idem.RowID(idem.Ref{Operation: charge.Name, Key: key})
	tag, err := s.pool.Exec(context.Background(), `UPDATE idem_claims SET claimed_at = claimed_at - $2::interval, lease_until = lease_until - $2::interval,
		completed_at = completed_at - $2::interval, expires_at = expires_at - $2::interval WHERE id = $1`, [16]byte(id), d)
	if err != nil || tag.RowsAffected() != 1 {
		s.Fatalf("ageing %d rows: %v", tag.RowsAffected(), err)
	}
}

// events is an observer that remembers.
type events struct {
	mu   sync.Mutex
	seen []idem.Event
}

func (e *events) Observe(_ context.Context, ev idem.Event) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.seen = append(e.seen, ev)
}

// count is how many events of the kind were seen.
func (e *events) count(kind idem.EventKind) (n int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, ev := range e.seen {
		if ev.Kind == kind {
			n++
		}
	}
	return n
}

// kinds are the kinds seen so far, in order.
func (e *events) kinds() (kinds []idem.EventKind) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, ev := range e.seen {
		kinds = append(kinds, ev.Kind)
	}
	return slices.Clip(kinds)
}

// await blocks until n events of the kind were seen.
func (s *stage) await(kind idem.EventKind, n int) {
	s.Helper()
	s.eventually(fmt.Sprintf("%d events %q", n, kind), func() bool { return s.events.count(kind) >= n })
}

// eventually waits for what must become true soon.
func (s *stage) eventually(what string, ok func() bool) {
	s.Helper()
	for deadline := time.Now().Add(20 * time.Second); !ok(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			s.Fatalf("never saw %s; events: %v", what, s.events.kinds())
		}
	}
}

// wantErr fails the test unless err is an *idem.Error of the kind.
func wantErr(t testing.TB, err, kind error) *idem.Error {
	t.Helper()
	var e *idem.Error
	if !errors.Is(err, kind) || !errors.As(err, &e) {
		t.Fatalf("got %v, want %v", err, kind)
	}
	return e
}
