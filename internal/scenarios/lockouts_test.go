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

// This file is about a table that can't be written any more when the method has returned: the effect is there, so the caller gets the result,
// the claim is kept, and the outcome is stored when the table is back.

// lockouts are what may happen to the table while a method runs, and what undoes it. {role} is whom the engine works as.
var lockouts = []struct{ name, shut, open string }{
	{"the table renamed", "ALTER TABLE idem_claims RENAME TO moved", "ALTER TABLE moved RENAME TO idem_claims"},
	{"a column renamed", "ALTER TABLE idem_claims RENAME COLUMN result TO moved", "ALTER TABLE idem_claims RENAME COLUMN moved TO result"},
	{"UPDATE revoked", "REVOKE UPDATE ON idem_claims FROM {role}", "GRANT UPDATE ON idem_claims TO {role}"},
	{"everything revoked", "REVOKE ALL ON idem_claims FROM {role}", "GRANT ALL ON idem_claims TO {role}"},
	{
		"the database read-only", "ALTER DATABASE {db} SET default_transaction_read_only = on",
		"ALTER DATABASE {db} SET default_transaction_read_only = off",
	},
}

func TestD4_AnOutcomeThatCannotBeStoredIsNotReleased(t *testing.T) {
	t.Parallel()
	for _, c := range lockouts {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s, alter := lockoutStage(t)
			gate := s.gated()
			ctx, info := idem.WithInfo(t.Context())
			call := s.async(ctx, &charge, "k", "a")
			gate.Await(t, 1)
			alter(c.shut)
			gate.Open()
			s.wantAnswer(<-call, "charged", nil)
			if info.Stored || s.events.count(idem.EventCompleteFailed) == 0 || s.events.count(idem.EventReleased) != 0 {
				t.Errorf("%+v; events: %v", info, s.events.kinds())
			}
			out, err := s.call(t.Context(), with(conflict), "k", "a")
			if !errors.Is(err, idem.ErrStore) && !errors.Is(err, idem.ErrInFlight) {
				t.Errorf("a duplicate got %q, %v", out, err)
			}
			alter(c.open)
			s.await(idem.EventCompleted, 1)
			s.wantAnswer(s.insist(&charge, "k", "a"), "charged", nil)
			s.wantRuns(1)
			if r := s.charged("k"); r.State != int(idem.StateDone) || r.Attempt != 1 || r.Codec != "json" {
				t.Errorf("the row is %+v", r)
			}
		})
	}
}

// TestPB2_TheClaimIsKeptUntilTheOutcomeIsStored lets the engine renew and take over, and not store: for longer than a lease, nobody gets in.
func TestPB2_TheClaimIsKeptUntilTheOutcomeIsStored(t *testing.T) {
	t.Parallel()
	s, alter := lockoutStage(t)
	const lease = 2 * time.Second
	s.method = func(context.Context, int64) (string, error) {
		alter(`REVOKE UPDATE ON idem_claims FROM {role};
			GRANT UPDATE (lease_until, state, owner, fence, claimed_at, keep, attempt, lapses, abandoned, origin) ON idem_claims TO {role}`)
		return "charged", nil
	}
	out, err := s.call(t.Context(), with(func(op *idem.Operation[string]) { op.Lease = lease }), "k", "a")
	s.wantAnswer(answer{out, err}, "charged", nil)
	s.eventually("the lease renewed", func() bool {
		_, err := s.call(t.Context(), with(conflict), "k", "a")
		wantErr(t, err, idem.ErrInFlight)
		return s.renewedPast(lease)
	})
	alter("GRANT UPDATE ON idem_claims TO {role}")
	s.await(idem.EventCompleted, 1)
	s.wantAnswer(s.insist(&charge, "k", "a"), "charged", nil)
	s.wantRuns(1)
}

// lockoutStage is a stage whose engine works as a role that owns nothing. Alter executes sql as the owner, and lets the engine connect anew.
func lockoutStage(t *testing.T) (s *stage, alter func(sql string)) {
	t.Helper()
	dsn := pgtest.Database(t)
	s = stageOn(t, dsn, setting("default_transaction_read_only", "off"))
	db := s.pool.Config().ConnConfig.Database
	role := db + "_role"
	named := strings.NewReplacer("{role}", role, "{db}", db)
	s.exec(named.Replace(`CREATE ROLE {role}; GRANT ALL ON ALL TABLES IN SCHEMA public TO {role};
		GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO {role}`))
	t.Cleanup(func() { s.exec(named.Replace("DROP OWNED BY {role}; DROP ROLE {role}")) })
	pool := pgtest.PoolOf(t, dsn, func(c *pgxpool.Config) {
		c.AfterConnect = func(ctx context.Context, c *pgx.Conn) error {
			_, err := c.Exec(ctx, "SET ROLE "+role)
			return err
		}
	})
	s.worksOn(postgres.NewStore(pool))
	return s, func(sql string) {
		s.exec(named.Replace(sql))
		pool.Reset()
	}
}
