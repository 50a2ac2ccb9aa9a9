package scenarios

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/postgres"
	"github.com/idemgen/idemgen/internal/pgtest"
)

// This file is about row-level security on the table: each connection sees the rows of the tenant that it has been told it is. One that was
// told another, or none, gets an error that says so; it does not run, and does not look for ever.

// tenancy is a policy by which a row is its tenant's, who is named by a setting of the connection.
const tenancy = `
	ALTER TABLE idem_claims ADD COLUMN tenant text DEFAULT current_setting('app.tenant', true);
	ALTER TABLE idem_claims ENABLE ROW LEVEL SECURITY;
	CREATE POLICY tenancy ON idem_claims USING (tenant = current_setting('app.tenant', true))`

// tenanted is a stage whose engine's connections are told their tenant by tell, as a role that policies bind.
func tenanted(t *testing.T) (s *stage, tell func(tenant string)) {
	t.Helper()
	s, _ = lockoutStage(t)
	s.exec(tenancy)
	role := s.pool.Config().ConnConfig.Database + "_role"
	tenant := make(chan string, 1)
	tenant <- "acme"
	pool := pgtest.PoolOf(t, s.dsn, func(c *pgxpool.Config) {
		c.AfterConnect = func(ctx context.Context, c *pgx.Conn) error {
			name := <-tenant
			tenant <- name
			_, err := c.Exec(ctx, "SELECT set_config('role', $1, false), CASE WHEN $2 <> '' THEN set_config('app.tenant', $2, false) END", role, name)
			return err
		}
	})
	s.worksOn(postgres.NewStore(pool), idem.WithStoreTimeout(2*time.Second))
	return s, func(name string) {
		<-tenant
		tenant <- name
		pool.Reset()
	}
}

// refusedByRowSecurity makes a call that must fail soon, and name the cause.
func (s *stage) refusedByRowSecurity(key string) {
	s.Helper()
	runs, began := s.runs.Load(), time.Now()
	_, err := s.call(s.Context(), &charge, key, "a")
	if e := wantErr(s, err, idem.ErrStore); !errors.Is(err, postgres.ErrRowSecurity) || !strings.Contains(e.Reason, "row-level security") || e.RetryAfter != 0 {
		s.Errorf("the error says %v, %+v", err, e)
	}
	if took := time.Since(began); took > enough {
		s.Errorf("it took %v", took)
	}
	s.wantRuns(runs)
}

func TestG12_ARowHiddenByRowSecurityIsAnErrorAndNeverARun(t *testing.T) {
	t.Parallel()
	for name, tenant := range map[string]string{"another tenant": "globex", "no tenant": ""} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, tell := tenanted(t)
			for _, key := range []string{"done", "lapsed"} {
				s.wantAnswer(s.insist(&charge, key, "a"), map[string]string{"done": "ran 1", "lapsed": "ran 2"}[key], nil)
			}
			s.exec(`UPDATE idem_claims SET state = 1, lease_until = clock_timestamp() - interval '1 minute', completed_at = NULL, expires_at = NULL,
				codec = NULL, schema_hash = NULL, error_code = NULL, result = NULL WHERE key = 'lapsed'`)
			gate := s.gated()
			running := s.async(t.Context(), &charge, "running", "a")
			gate.Await(t, 1)
			tell(tenant)
			for _, key := range []string{"done", "lapsed", "running"} {
				s.refusedByRowSecurity(key)
			}
			if tenant == "" {
				s.refusedByRowSecurity("fresh")
			}
			tell("acme")
			s.wantAnswer(s.insist(&charge, "done", "a"), "ran 1", nil)
			gate.Open()
			s.wantAnswer(<-running, "charged", nil)
			s.wantAnswer(s.insist(&charge, "running", "a"), "charged", nil)
			s.wantRuns(3)
		})
	}
}

// TestRowSecurity_AnOutcomeWhoseRowIsHiddenIsStoredWhenItIsSeenAgain loses its tenant while the method runs.
func TestRowSecurity_AnOutcomeWhoseRowIsHiddenIsStoredWhenItIsSeenAgain(t *testing.T) {
	t.Parallel()
	for name, tenant := range map[string]string{"another tenant": "globex", "no tenant": ""} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, tell := tenanted(t)
			gate := s.gated()
			ctx, info := idem.WithInfo(t.Context())
			call := s.async(ctx, &charge, "k", "a")
			gate.Await(t, 1)
			tell(tenant)
			gate.Open()
			s.wantAnswer(<-call, "charged", nil)
			if info.Stored || s.events.count(idem.EventCompleteFailed) == 0 || s.events.count(idem.EventReleased) != 0 {
				t.Errorf("%+v; events: %v", info, s.events.kinds())
			}
			tell("acme")
			s.await(idem.EventCompleted, 1)
			s.wantAnswer(s.insist(&charge, "k", "a"), "charged", nil)
			s.wantRuns(1)
		})
	}
}
