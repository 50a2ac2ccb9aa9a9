package scenarios

import (
	"context"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/internal/pgtest"
)

// This file is about the moment after a restart: the database is back, and the pool is full of connections to the one before.

// TestRestart_BrokenConnectionsDoNotHideADatabaseThatIsBack has twenty connections that were used a moment ago (a pool looks after
// those that were idle for longer), and are dead.
func TestRestart_BrokenConnectionsDoNotHideADatabaseThatIsBack(t *testing.T) {
	t.Parallel()
	const n = 20
	s, pool := apart(t, pgtest.Database(t), conns(n))
	var opened, used sync.WaitGroup
	opened.Add(n)
	for range n {
		used.Go(func() {
			err := pool.AcquireFunc(t.Context(), func(*pgxpool.Conn) error {
				opened.Done()
				opened.Wait()
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	used.Wait()
	s.exec("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()")
	s.eventually("the connections gone", func() (gone bool) {
		err := s.pool.QueryRow(context.Background(), `SELECT NOT EXISTS (SELECT FROM pg_stat_activity
			WHERE datname = current_database() AND pid <> pg_backend_pid())`).Scan(&gone)
		return err == nil && gone
	})
	out, err := s.call(t.Context(), &charge, "k", "a")
	s.wantAnswer(answer{out, err}, "ran 1", nil)
	s.wantRuns(1)
}
