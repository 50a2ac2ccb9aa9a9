package scenarios

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
	"github.com/idemgen/idemgen/idem/postgres"
	"github.com/idemgen/idemgen/internal/pgtest"
)

// This file is what the scenarios are played on: a database of the test's own, an engine, and a method that counts its runs and
// does what the test says.

func TestMain(m *testing.M) {
	if dsn := os.Getenv(dyingOn); dsn != "" {
		dieDetached(dsn)
		os.Exit(0)
	}
	pgtest.Main(m)
}

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
	plays  *stage // whose method and runs it has; nil: its own
	// find is what is asked before a rerun, under recover; nil finds "found" if there was a run.
	find  func(ctx context.Context) (string, bool, error)
	asked atomic.Int64
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
	s.worksOn(postgres.NewStore(s.pool), opts...)
	return s
}

// worksOn gives the stage another engine, on a store, which it observes.
func (s *stage) worksOn(store idem.Store, opts ...idem.Option) {
	s.Helper()
	s.engine = newEngine(s.TB, store, append(opts, idem.WithObserver(s.events))...)
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

// defaultTTL is for how long an outcome is kept where the operation says nothing.
const defaultTTL = 24 * time.Hour

// with is charge with changes.
func with(changes ...func(*idem.Operation[string])) *idem.Operation[string] {
	op := charge
	for _, change := range changes {
		change(&op)
	}
	return &op
}

func conflict(op *idem.Operation[string]) { op.Policy = idem.PolicyConflict }

func holding(op *idem.Operation[string]) { op.Takeover = idem.TakeoverHold }

func recovering(op *idem.Operation[string]) { op.Takeover = idem.TakeoverRecover }

func detached(op *idem.Operation[string]) { op.Detach = true }

// call is one call of op with a key and an argument.
func (s *stage) call(ctx context.Context, op *idem.Operation[string], key, arg string) (string, error) {
	request := s.request(key, arg)
	if op.Takeover == idem.TakeoverRecover {
		request.Recover = s.recover
	}
	return idem.Do(ctx, s.engine, op, request)
}

func (s *stage) recover(ctx context.Context) (string, bool, error) {
	switch {
	case s.plays != nil:
		return s.plays.recover(ctx)
	case s.find != nil:
		s.asked.Add(1)
		return s.find(ctx)
	}
	s.asked.Add(1)
	return "found", s.runs.Load() > 0, nil
}

func (s *stage) request(key, arg string) idem.Call[string] {
	return idem.Call[string]{
		Key:  idem.StringKey(key),
		Args: func(f *idem.Fingerprint) { f.Add("arg", arg) },
		Run:  s.run,
	}
}

func (s *stage) run(ctx context.Context) (string, error) {
	if s.plays != nil {
		return s.plays.run(ctx)
	}
	run := s.runs.Add(1)
	if s.method == nil {
		return fmt.Sprintf("ran %d", run), nil
	}
	return s.method(ctx, run)
}

// gated makes the method wait in a gate, whatever becomes of its caller, and return "charged".
func (s *stage) gated() *idemtest.Gate {
	gate := idemtest.NewGate(s)
	s.method = func(ctx context.Context, _ int64) (string, error) {
		return "charged", gate.Enter(context.WithoutCancel(ctx))
	}
	return gate
}

// gatedInContext is gated, but for a method that fails when its context ends.
func (s *stage) gatedInContext() *idemtest.Gate {
	gate := idemtest.NewGate(s)
	s.method = func(ctx context.Context, _ int64) (string, error) { return "charged", gate.Enter(ctx) }
	return gate
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

// wantErr fails the test unless err is an *idem.Error of the kind.
func wantErr(t testing.TB, err, kind error) *idem.Error {
	t.Helper()
	var e *idem.Error
	if !errors.Is(err, kind) || !errors.As(err, &e) {
		t.Fatalf("got %v, want %v", err, kind)
	}
	return e
}

func (s *stage) wantAnswer(a answer, result string, err error) {
	s.Helper()
	if a != (answer{result, err}) {
		s.Errorf("got %q, %v; want %q, %v", a.result, a.err, result, err)
	}
}

// insist calls until the store has an answer, as a client does who is told to try again.
func (s *stage) insist(op *idem.Operation[string], key, arg string) answer {
	s.Helper()
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		out, err := s.call(s.Context(), op, key, arg)
		if !errors.Is(err, idem.ErrStore) || time.Now().After(deadline) {
			return answer{out, err}
		}
	}
}

// orInsist is a, or what a client gets that tries again because the store failed.
func (s *stage) orInsist(a answer, key string) answer {
	s.Helper()
	if a.err == nil {
		return a
	}
	wantErr(s, a.err, idem.ErrStore)
	return s.insist(&charge, key, "a")
}
