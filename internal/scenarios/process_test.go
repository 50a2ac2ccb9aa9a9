package scenarios

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/postgres"
	"github.com/idemgen/idemgen/internal/pgtest"
)

// This file is stages beside a stage: an engine whose pool is apart from the one that the test looks through, other callers of
// the same engine, other processes on the same database, and a server that is the test's own.

// apart makes a stage whose engine works through a pool of its own, edited by edit. The stage's pool stays the test's.
func apart(t testing.TB, dsn string, edit func(*pgxpool.Config), opts ...idem.Option) (*stage, *pgxpool.Pool) {
	t.Helper()
	return apartWith(t, dsn, edit, nil, opts...)
}

func apartWith(t testing.TB, dsn string, edit func(*pgxpool.Config), store []postgres.Option, opts ...idem.Option) (*stage, *pgxpool.Pool) {
	t.Helper()
	s := stageOn(t, dsn, nil)
	pool := pgtest.PoolOf(t, dsn, edit)
	s.worksOn(postgres.NewStore(pool, store...), opts...)
	return s, pool
}

// Edits of pools: conns limits the connections, setting has them start with a setting, as ALTER ROLE or ALTER DATABASE would, and
// sendingAs says in which way pgx sends statements.

func conns(n int32) func(*pgxpool.Config) {
	return func(c *pgxpool.Config) { c.MaxConns = n }
}

func setting(name, value string) func(*pgxpool.Config) {
	return func(c *pgxpool.Config) { c.ConnConfig.RuntimeParams[name] = value }
}

func sendingAs(mode pgx.QueryExecMode) func(*pgxpool.Config) {
	return func(c *pgxpool.Config) { c.ConnConfig.DefaultQueryExecMode = mode }
}

// execModes are all ways in which pgx can send a statement, and isolations all levels that a database can have as its default.
var (
	execModes = []pgx.QueryExecMode{
		pgx.QueryExecModeCacheStatement, pgx.QueryExecModeCacheDescribe, pgx.QueryExecModeDescribeExec,
		pgx.QueryExecModeExec, pgx.QueryExecModeSimpleProtocol,
	}
	isolations = []pgx.TxIsoLevel{pgx.ReadCommitted, pgx.RepeatableRead, pgx.Serializable}
)

// isolated makes a database whose transactions have a level unless they say something else.
func isolated(t testing.TB, level pgx.TxIsoLevel) (dsn string) {
	t.Helper()
	return pgtest.Database(t, "default_transaction_isolation="+string(level))
}

// beside is another test's stage in the same world: the engine, the pool and the events are shared, the method and its runs are not.
func (s *stage) beside() *stage {
	return &stage{TB: s.TB, dsn: s.dsn, pool: s.pool, engine: s.engine, events: s.events}
}

// twin is the stage as another process that runs the same method: its runs are the stage's. It has the engine and the events
// that the stage has by now, and keeps them when the stage gets others.
func (s *stage) twin() *stage {
	p := s.beside()
	p.plays = s
	return p
}

// process is another process, with a pool: an engine, events, a method and runs of its own.
func (s *stage) process(pool *pgxpool.Pool, opts ...idem.Option) *stage {
	s.Helper()
	p := &stage{TB: s.TB, dsn: s.dsn, pool: pool, events: &events{}}
	p.worksOn(postgres.NewStore(pool), opts...)
	return p
}

// anotherProcess is a process that has the stage's pool. It is patient with the database, so that a slow machine adds no events.
func (s *stage) anotherProcess() *stage {
	s.Helper()
	return s.process(s.pool, idem.WithStoreTimeout(90*time.Second))
}

// stopAtOnce ends the stage's engine without patience.
func (s *stage) stopAtOnce() {
	s.Helper()
	ctx, end := context.WithCancel(context.Background())
	end()
	if err := s.engine.Shutdown(ctx); err != nil && !errors.Is(err, context.Canceled) {
		s.Error(err)
	}
}

// sweeper is another process's engine that sweeps without any grace.
func (s *stage) sweeper() *idem.Engine {
	s.Helper()
	return newEngine(s.TB, postgres.NewStore(s.pool), idem.WithSweepGrace(0))
}

// afresh is the stage for one of several plays, one after the other: a database of its own for each would take longer than they do. It
// has no engine; when the play is over and its processes are shut down, the table is emptied.
func (s *stage) afresh(t testing.TB) *stage {
	t.Helper()
	t.Cleanup(func() {
		if _, err := s.pool.Exec(context.Background(), "TRUNCATE idem_claims"); err != nil {
			t.Errorf("emptying the table: %v", err)
		}
	})
	return &stage{TB: t, dsn: s.dsn, pool: s.pool, events: &events{}}
}

// privateServer is one that the test may take down.
func privateServer(t *testing.T, settings map[string]string) *pgtest.Server {
	t.Helper()
	server, err := pgtest.Start(t.Context(), pgtest.Options{Settings: settings})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Stop(); err != nil {
			t.Error(err)
		}
	})
	return server
}
