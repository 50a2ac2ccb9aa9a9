package scenarios

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
	"github.com/idemgen/idemgen/idem/postgres"
	"github.com/idemgen/idemgen/internal/pgtest"
)

// This file is what scenarios of a troubled database need: an engine whose pool is apart from the one that the test looks
// through, and rows that somebody's open transaction holds.

// apart makes a stage whose engine works through a pool of its own, edited by edit. The stage's pool stays the test's.
func apart(t testing.TB, dsn string, edit func(*pgxpool.Config), opts ...idem.Option) (*stage, *pgxpool.Pool) {
	t.Helper()
	return apartWith(t, dsn, edit, nil, opts...)
}

func apartWith(t testing.TB, dsn string, edit func(*pgxpool.Config), store []postgres.Option, opts ...idem.Option) (*stage, *pgxpool.Pool) {
	t.Helper()
	s := stageOn(t, dsn, nil)
	pool := pgtest.PoolOf(t, dsn, edit)
	s.engine = newEngine(t, postgres.NewStore(pool, store...), append(opts, idem.WithObserver(s.events))...)
	return s, pool
}

func conns(n int32) func(*pgxpool.Config) {
	return func(c *pgxpool.Config) { c.MaxConns = n }
}

// beside is another test's stage in the same world: the engine, the pool and the events are shared, the method and its runs are not.
func (s *stage) beside() *stage {
	return &stage{TB: s.TB, dsn: s.dsn, pool: s.pool, engine: s.engine, events: s.events}
}

// gated makes the method wait in a gate, whatever becomes of its caller, and return "charged".
func (s *stage) gated() *idemtest.Gate {
	gate := idemtest.NewGate(s)
	s.method = func(ctx context.Context, _ int64) (string, error) {
		return "charged", gate.Enter(context.WithoutCancel(ctx))
	}
	return gate
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

// holdRow has an open transaction change charge's row of the key.
func (s *stage) holdRow(key string) (release func()) {
	s.Helper()
	return s.hold(key, "UPDATE idem_claims SET origin = 'somebody' WHERE id = $1")
}

// holdEntry has an open transaction insert charge's row of the key: nobody sees it, and the key is taken until it is known whether it
// comes to be.
func (s *stage) holdEntry(key string) (release func()) {
	s.Helper()
	return s.hold(key, `INSERT INTO idem_claims (id, owner, fence, lease_until, claimed_at, attempt, lapses, state, abandoned, fingerprint, operation, scope)
		VALUES ($1, gen_random_uuid(), 0, clock_timestamp() + interval '1 minute', clock_timestamp(), 1, 0, 1, false, '\x01', 'somebody', '')`)
}

// hold executes sql with the row's id in a transaction that is rolled back by release, by the end of the test, or with its connection.
func (s *stage) hold(key, sql string) (release func()) {
	s.Helper()
	ctx := context.Background()
	c, err := pgx.Connect(ctx, s.dsn)
	if err != nil {
		s.Fatal(err)
	}
	var once sync.Once
	release = func() { once.Do(func() { _ = c.Close(ctx) }) }
	s.Cleanup(release)
	if _, err := c.Exec(ctx, "BEGIN"); err != nil {
		s.Fatal(err)
	}
	id := idem.RowID(idem.Ref{Operation: charge.Name, Key: key})
	if tag, err := c.Exec(ctx, sql, [16]byte(id)); err != nil || tag.RowsAffected() != 1 {
		s.Fatalf("holding %d rows: %v", tag.RowsAffected(), err)
	}
	return release
}

// awaitHeld blocks until n statements that contain sql wait for a lock.
func (s *stage) awaitHeld(n int, sql string) {
	s.Helper()
	s.eventually("a statement that is held: "+sql, func() (held bool) {
		err := s.pool.QueryRow(context.Background(), `SELECT count(*) >= $1 FROM pg_stat_activity
			WHERE datname = current_database() AND wait_event_type = 'Lock' AND position($2 in query) > 0`, n, sql).Scan(&held)
		return err == nil && held
	})
}

// exec executes sql through the test's pool.
func (s *stage) exec(sql string) {
	s.Helper()
	if _, err := s.pool.Exec(context.Background(), sql); err != nil {
		s.Fatal(err)
	}
}
