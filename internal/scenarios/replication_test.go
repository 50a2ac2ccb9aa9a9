package scenarios

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
	"github.com/idemgen/idemgen/idem/postgres"
	"github.com/idemgen/idemgen/internal/pgtest"
)

// This file is about a primary that acknowledges a commit when its standby has it. Somebody can cancel that wait: then the
// commit is visible, reported as a success with a warning, and gone after a failover. So it counts for nothing until a later write of
// the same owner was acknowledged.

// replicas are a primary and its synchronous standby.
type replicas struct {
	testing.TB
	primary *pgtest.Server
	standby *pgtest.Standby
	look    *pgxpool.Pool
}

func newReplicas(t testing.TB) *replicas {
	t.Helper()
	p := &replicas{TB: t}
	var err error
	if p.primary, err = pgtest.Start(t.Context(), pgtest.Options{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.primary.Stop() })
	if p.standby, err = p.primary.Standby(t.Context(), pgtest.Options{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.standby.Stop() })
	p.look = pgtest.PoolOf(t, p.primary.DSN())
	for _, sql := range []string{"ALTER SYSTEM SET synchronous_standby_names = '*'", "SELECT pg_reload_conf()"} {
		if _, err := p.look.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	p.eventually("the standby is synchronous", "SELECT EXISTS (SELECT FROM pg_stat_replication WHERE sync_state = 'sync')")
	return p
}

// eventually waits until a query says true.
func (p *replicas) eventually(what, sql string) {
	p.Helper()
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		var ok bool
		if err := p.look.QueryRow(context.Background(), sql).Scan(&ok); err != nil {
			p.Fatal(err)
		}
		if ok {
			return
		}
		if time.Now().After(deadline) {
			p.Fatalf("waited in vain until %s", what)
		}
	}
}

const waiting = "FROM pg_stat_activity WHERE wait_event = 'SyncRep'"

// committing waits until a commit waits for the standby.
func (p *replicas) committing() {
	p.Helper()
	p.eventually("a commit waits for the standby", "SELECT EXISTS (SELECT "+waiting+")")
}

// cancel makes the server give up a wait for the standby.
func (p *replicas) cancel() {
	p.Helper()
	p.committing()
	p.eventually("the wait is cancelled", "SELECT coalesce(bool_or(pg_cancel_backend(pid)), false) "+waiting)
}

func (p *replicas) hold() {
	p.Helper()
	if err := p.standby.Hold(p.Context()); err != nil {
		p.Fatal(err)
	}
}

func (p *replicas) goOn() {
	p.Helper()
	if err := p.standby.Continue(); err != nil {
		p.Fatal(err)
	}
}

func TestReplication_ACommitThatNoStandbyHasCountsForNothing(t *testing.T) {
	p := newReplicas(t)
	s := stageOn(t, p.primary.DSN(), postgres.Configure)

	t.Run("a claim's", func(t *testing.T) {
		p.hold()
		call := s.async(t.Context(), &charge, "claim", "a")
		p.cancel()
		s.await(idem.EventStoreFailed, 1)
		p.committing() // once more, by a write that confirms the claim
		if r := s.charged("claim"); r.State != int(idem.StateRunning) {
			t.Errorf("the row is %+v; want it visible", r)
		}
		s.wantRuns(0)
		p.goOn()
		if a := <-call; a != (answer{"ran 1", nil}) {
			t.Errorf("got %v", a)
		}
	})

	t.Run("a complete's", func(t *testing.T) {
		before := s.events.count(idem.EventStoreFailed)
		s.method = func(context.Context, int64) (string, error) {
			p.hold()
			return "charged", nil
		}
		ctx, info := idem.WithInfo(t.Context())
		call := s.async(ctx, &charge, "complete", "a")
		p.cancel()
		s.await(idem.EventStoreFailed, before+1)
		p.committing()
		if len(call) != 0 {
			t.Error("the call has returned")
		}
		p.goOn()
		if a := <-call; a != (answer{"charged", nil}) || !info.Stored {
			t.Errorf("got %v, %+v", a, info)
		}
	})
}

// TestReplication_AClaimThatAFailoverWouldLoseIsNotRunUnder lets the failover happen: the method must not have run on the old primary.
func TestReplication_AClaimThatAFailoverWouldLoseIsNotRunUnder(t *testing.T) {
	p := newReplicas(t)
	s := stageOn(t, p.primary.DSN(), postgres.Configure, idem.WithStoreTimeout(6*time.Second))
	p.eventually("the standby has the table", "SELECT bool_and(replay_lsn >= pg_current_wal_lsn()) FROM pg_stat_replication")
	p.hold()
	ctx, hangUp := context.WithCancel(t.Context())
	call := s.async(ctx, &charge, "k", "a")
	p.cancel()
	s.await(idem.EventStoreFailed, 1)
	p.committing()
	if err := p.primary.Down(pgtest.Immediate); err != nil {
		t.Fatal(err)
	}
	if err := p.standby.Promote(t.Context()); err != nil {
		t.Fatal(err)
	}
	hangUp()
	if a := <-call; a.err == nil {
		t.Errorf("the old primary's caller got %v", a)
	}
	pool := pgtest.PoolOf(t, p.standby.DSN(), postgres.Configure)
	for _, sql := range []string{"ALTER SYSTEM SET synchronous_standby_names = ''", "SELECT pg_reload_conf()"} {
		if _, err := pool.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	s.engine = newEngine(t, postgres.NewStore(pool))
	if out, err := s.call(t.Context(), &charge, "k", "a"); out != "ran 1" || err != nil {
		t.Errorf("the new primary's caller got %q, %v", out, err)
	}
	s.wantRuns(1)
}

// TestReplication_AClaimWhoseClientGaveUpWaitingIsConfirmed needs no Configure: the client itself asked to cancel, as pgx does when a context ends.
func TestReplication_AClaimWhoseClientGaveUpWaitingIsConfirmed(t *testing.T) {
	p := newReplicas(t)
	s := stageOn(t, p.primary.DSN(), nil, idem.WithStoreTimeout(3*time.Second))
	p.hold()
	call := s.async(t.Context(), &charge, "k", "a")
	s.await(idem.EventStoreFailed, 1)
	p.committing()
	if r := s.charged("k"); r.State != int(idem.StateRunning) || s.runs.Load() != 0 {
		t.Errorf("the row is %+v, and the method ran %d times", r, s.runs.Load())
	}
	p.goOn()
	if a := <-call; a != (answer{"ran 1", nil}) {
		t.Errorf("got %v", a)
	}
}

func TestDurability_AStoreWarnsOnceOfADatabaseThatMayForget(t *testing.T) {
	p := newReplicas(t)
	warned := func(t *testing.T, dsn string, want string, edit ...func(*pgxpool.Config)) {
		t.Helper()
		pool := pgtest.PoolOf(t, dsn, edit...)
		if err := postgres.Migrate(t.Context(), pool); err != nil {
			t.Fatal(err)
		}
		var log lockedBuffer
		s := &stage{TB: t, pool: pool, events: &events{}}
		s.engine = newEngine(t, postgres.NewStore(pool, postgres.WithLogger(slog.New(slog.NewTextHandler(&log, nil)))))
		idemtest.Callers(t, 5, func(i int) {
			if _, err := s.call(t.Context(), &charge, "k", "a"); err != nil {
				t.Error(err)
			}
		})
		text := log.String()
		if n := strings.Count(text, "level=WARN"); want == "" && n != 0 || want != "" && (n != 1 || !strings.Contains(text, want)) {
			t.Errorf("logged %q, want %q once", text, want)
		}
	}
	t.Run("standbys, and nobody listens", func(t *testing.T) { warned(t, p.primary.DSN(), "postgres.Configure") })
	t.Run("standbys, and Configure", func(t *testing.T) { warned(t, p.primary.DSN(), "", postgres.Configure) })
	t.Run("synchronous_commit off", func(t *testing.T) {
		warned(t, pgtest.Database(t, "synchronous_commit=off"), "synchronous_commit")
	})
	t.Run("nothing to say", func(t *testing.T) { warned(t, pgtest.Database(t), "") })
	t.Run("unlogged", func(t *testing.T) {
		dsn := pgtest.Database(t)
		pool := pgtest.PoolOf(t, dsn)
		if err := postgres.Migrate(t.Context(), pool); err != nil {
			t.Fatal(err)
		}
		if _, err := pool.Exec(t.Context(), "ALTER TABLE idem_claims SET UNLOGGED"); err != nil {
			t.Fatal(err)
		}
		warned(t, dsn, "UNLOGGED")
	})
}

// lockedBuffer is a log that several may write.
type lockedBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}
