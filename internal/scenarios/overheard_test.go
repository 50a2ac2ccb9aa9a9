package scenarios

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/idem/postgres"
	"github.com/idemgen/idemgen/internal/pgtest"
)

// This file is about a commit that no standby has: who must hear of it, and who must not act on it.

// TestReplication_TheWarningIsHeardWhateverTheSessionWantsToHear: a role or a database may be set to send no warnings.
func TestReplication_TheWarningIsHeardWhateverTheSessionWantsToHear(t *testing.T) {
	p := newReplicas(t)
	s := stageOn(t, p.primary.DSN(), func(c *pgxpool.Config) {
		postgres.Configure(c)
		c.ConnConfig.RuntimeParams["client_min_messages"] = "error"
	})
	p.hold()
	call := s.async(t.Context(), &charge, "k", "a")
	p.cancel()
	p.committing() // of a confirmation, or of the outcome of a method that must not have run yet
	s.wantRuns(0)
	p.goOn()
	if a := <-call; a.err != nil {
		t.Errorf("got %v", a)
	}
}

// TestDurability_AStoreWarnsOfStandbysThatNobodyWaitsFor: synchronous_commit may say that a commit is the primary's business alone.
func TestDurability_AStoreWarnsOfStandbysThatNobodyWaitsFor(t *testing.T) {
	p := newReplicas(t)
	pool := pgtest.PoolOf(t, p.primary.DSN(), postgres.Configure, func(c *pgxpool.Config) {
		c.ConnConfig.RuntimeParams["synchronous_commit"] = "local"
	})
	if err := postgres.Migrate(t.Context(), pool); err != nil {
		t.Fatal(err)
	}
	var log lockedBuffer
	s := &stage{TB: t, pool: pool, events: &events{}}
	s.engine = newEngine(t, postgres.NewStore(pool, postgres.WithLogger(slog.New(slog.NewTextHandler(&log, nil)))))
	p.hold()
	if out, err := s.call(t.Context(), &charge, "k", "a"); out != "ran 1" || err != nil {
		t.Fatalf("%q, %v", out, err)
	}
	if text := log.String(); !strings.Contains(text, "synchronous_commit") { // and the standby has nothing of it
		t.Errorf("logged %q", text)
	}
	p.goOn()
}
