package postgres_test

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

// This file is about row-level security on the table: a store whose connections may not see a key's row is told so, whatever it wants
// of it, and gets no row that could be taken for a free one.

func TestARowThatRowSecurityHidesIsNeitherWonNorMissing(t *testing.T) {
	t.Parallel()
	for name, tenant := range map[string]string{"another tenant": "globex", "no tenant": ""} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, setup{})
			role := b.pool.Config().ConnConfig.Database + "_tenant"
			b.exec(t, "CREATE ROLE "+role)
			t.Cleanup(func() {
				b.exec(t, "DROP OWNED BY "+role)
				b.exec(t, "DROP ROLE "+role)
			})
			for _, sql := range []string{
				"GRANT ALL ON ALL TABLES IN SCHEMA public TO " + role,
				"GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO " + role,
				"ALTER TABLE idem_claims ADD COLUMN tenant text DEFAULT current_setting('app.tenant', true)",
				"ALTER TABLE idem_claims ENABLE ROW LEVEL SECURITY",
				"CREATE POLICY tenancy ON idem_claims USING (tenant = current_setting('app.tenant', true))",
			} {
				b.exec(t, sql)
			}
			as := func(tenant string) *postgres.Store {
				s := postgres.NewStore(pgtest.PoolOf(t, b.pool.Config().ConnString(), func(c *pgxpool.Config) {
					c.AfterConnect = func(ctx context.Context, c *pgx.Conn) error {
						_, err := c.Exec(ctx, "SELECT set_config('role', $1, false), set_config('app.tenant', nullif($2, ''), false)", role, tenant)
						return err
					}
				}))
				t.Cleanup(func() { _ = s.Close() })
				return s
			}
			acme, other := as("acme"), as(tenant)
			c := fresh()
			row, err := acme.Claim(t.Context(), c)
			if err != nil || row.Owner != c.Owner {
				t.Fatalf("%+v, %v", row, err)
			}
			began := time.Now()
			for step, err := range map[string]error{
				"claim":    second(other.Claim(t.Context(), rival(c))),
				"complete": second(other.Complete(t.Context(), outcome(c, row))),
			} {
				s, ok := errors.AsType[*idem.StoreError](err)
				if !errors.Is(err, postgres.ErrRowSecurity) || !ok || s.Reason == "" {
					t.Errorf("%s: %v", step, err)
				}
			}
			if took := time.Since(began); took > 20*time.Second {
				t.Errorf("it took %v", took)
			}
			if row, err := acme.Complete(t.Context(), outcome(c, row)); err != nil || row.State != idem.StateDone {
				t.Errorf("the owner got %+v, %v", row, err)
			}
		})
	}
}

func second(_ idem.Row, err error) error { return err }
