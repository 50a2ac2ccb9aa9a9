package scenarios

import (
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/postgres"
	"github.com/idemgen/idemgen/internal/pgtest"
)

// This file is about a database that takes no writes: a standby that somebody pointed the application to, or one that was set so. A claim
// that can't be written protects nothing, so there is no run, and no replay either: what a standby says is of the past.

func TestB21_AReadOnlyDatabaseIsRefusedAtOnce(t *testing.T) {
	t.Parallel()
	s, _ := apart(t, pgtest.Database(t), setting("default_transaction_read_only", "on"))
	s.refusedAsReadOnly("k")
}

func TestPC2_AReplayFromAReadOnlyDatabaseIsRefusedToo(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.wantAnswer(s.insist(&charge, "k", "a"), "ran 1", nil)
	other := s.beside()
	other.worksOn(postgres.NewStore(pgtest.PoolOf(t, s.dsn, setting("default_transaction_read_only", "on"))))
	other.refusedAsReadOnly("k")
	s.wantAnswer(s.insist(&charge, "k", "a"), "ran 1", nil)
	s.wantRuns(1)
}

// TestB21_AStandbyIsRefusedUntilItIsPromoted: then the very same engine goes on, with the connections it has.
func TestB21_AStandbyIsRefusedUntilItIsPromoted(t *testing.T) {
	t.Parallel()
	server := privateServer(t, nil)
	s := stageOn(t, server.Database(t), nil)
	if _, err := s.call(t.Context(), &charge, "stored", "a"); err != nil {
		t.Fatal(err)
	}
	standby, err := server.Standby(t.Context(), pgtest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := standby.Stop(); err != nil {
			t.Error(err)
		}
	})
	other := s.beside()
	other.worksOn(postgres.NewStore(pgtest.PoolOf(t, s.dsn, onServer(t, standby.Server))))
	other.refusedAsReadOnly("k")
	other.refusedAsReadOnly("stored")
	if err := server.Down(pgtest.Immediate); err != nil {
		t.Fatal(err)
	}
	if err := standby.Promote(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.wantRuns(1)
	s.wantAnswer(other.insist(&charge, "k", "a"), "ran 1", nil)
	s.wantAnswer(other.insist(&charge, "stored", "a"), "ran 1", nil)
	other.wantRuns(1)
}

// onServer points a pool to another server that has the same databases.
func onServer(t *testing.T, server *pgtest.Server) func(*pgxpool.Config) {
	t.Helper()
	cfg, err := pgxpool.ParseConfig(server.DSN())
	if err != nil {
		t.Fatal(err)
	}
	return func(c *pgxpool.Config) { c.ConnConfig.Port = cfg.ConnConfig.Port }
}

// refusedAsReadOnly makes one call, which must send one step and no more.
func (s *stage) refusedAsReadOnly(key string) {
	s.Helper()
	runs, failed, began := s.runs.Load(), s.events.count(idem.EventStoreFailed), time.Now()
	_, err := s.call(s.Context(), &charge, key, "a")
	if e := wantErr(s, err, idem.ErrStore); !strings.Contains(e.Reason, "read-only") || e.RetryAfter != 0 {
		s.Errorf("the error says %+v", e)
	}
	if n := s.events.count(idem.EventStoreFailed) - failed; n != 1 || time.Since(began) > enough {
		s.Errorf("%d steps were sent, in %v", n, time.Since(began))
	}
	s.wantRuns(runs)
}
