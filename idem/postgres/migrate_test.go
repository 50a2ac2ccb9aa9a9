package postgres_test

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
	"github.com/idemgen/idemgen/idem/postgres"
	"github.com/idemgen/idemgen/internal/pgtest"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// catalog is everything Postgres knows of what is in the schema public, one fact a line.
const catalog = `
SELECT format('column %s.%s %s %s %s', c.oid::regclass, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, pg_get_expr(d.adbin, d.adrelid))
FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum WHERE c.relnamespace = 'public'::regnamespace
UNION ALL SELECT format('relation %s %s %s %s', oid::regclass, relkind, relpersistence, reloptions) FROM pg_class WHERE relnamespace = 'public'::regnamespace
UNION ALL SELECT format('constraint %s %s %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) FROM pg_constraint WHERE connamespace = 'public'::regnamespace
UNION ALL SELECT format('index %s', indexdef) FROM pg_indexes WHERE schemaname = 'public'
UNION ALL SELECT format('sequence %s %s %s %s %s %s', sequencename, data_type, start_value, max_value, increment_by, cycle) FROM pg_sequences WHERE schemaname = 'public'
UNION ALL SELECT format('function %s', p.oid::regprocedure) FROM pg_proc p WHERE p.pronamespace = 'public'::regnamespace
UNION ALL SELECT format('version %s', version) FROM idem_migrations
ORDER BY 1`

func facts(t *testing.T, pool *pgxpool.Pool) []string {
	t.Helper()
	rows, err := pool.Query(t.Context(), catalog)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

func TestMigrateMakesWhatSchemaSaysAndNothingElse(t *testing.T) {
	t.Parallel()
	migrated, applied := pgtest.Pool(t), pgtest.Pool(t)
	if err := postgres.Migrate(t.Context(), migrated); err != nil {
		t.Fatal(err)
	}
	schema, err := os.ReadFile("../../schema.sql")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := applied.Exec(t.Context(), string(schema)); err != nil {
		t.Fatal(err)
	}
	got, want := facts(t, migrated), facts(t, applied)
	for _, line := range want {
		if !slices.Contains(got, line) {
			t.Errorf("missing after Migrate: %s", line)
		}
	}
	for _, line := range got {
		if !slices.Contains(want, line) {
			t.Errorf("not in schema.sql: %s", line)
		}
	}
	if err := postgres.Migrate(t.Context(), applied); err != nil {
		t.Errorf("on the schema of schema.sql: %v", err)
	}
}

func TestManyMayMigrateAtOnceAndAgain(t *testing.T) {
	t.Parallel()
	for _, isolation := range isolations {
		t.Run(isolation, func(t *testing.T) {
			t.Parallel()
			pool := pgtest.PoolOf(t, pgtest.Database(t, "default_transaction_isolation="+isolation))
			for range 2 {
				idemtest.Callers(t, 8, func(int) {
					if err := postgres.Migrate(t.Context(), pool); err != nil {
						t.Error(err)
					}
				})
			}
			if got := facts(t, pool); !slices.Contains(got, "version 2") {
				t.Errorf("no version: %s", strings.Join(got, "\n"))
			}
		})
	}
}

func TestMigrateOnlyReadsWhereThereIsNothingToDo(t *testing.T) {
	t.Parallel()
	b := newBench(t, setup{})
	b.exec(t, "ALTER DATABASE "+b.look.Config().ConnConfig.Database+" SET default_transaction_read_only = on")
	pool := pgtest.PoolOf(t, b.dsn)
	if err := postgres.Migrate(t.Context(), pool); err != nil {
		t.Error(err)
	}
}

func TestMigrateLeavesANewerTableAlone(t *testing.T) {
	t.Parallel()
	b := newBench(t, setup{})
	b.exec(t, "INSERT INTO idem_migrations (version) VALUES (1000)")
	before := facts(t, b.look)
	if err := postgres.Migrate(t.Context(), b.look); err != nil {
		t.Error(err)
	}
	if !slices.Equal(facts(t, b.look), before) {
		t.Error("it changed something")
	}
}

// TestAFailedMigrationLeavesNothingBehind runs as a user who may make tables, of which one is in the way.
func TestAFailedMigrationLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	pool := pgtest.Pool(t)
	if _, err := pool.Exec(t.Context(), "CREATE TABLE idem_claims ()"); err != nil {
		t.Fatal(err)
	}
	err := postgres.Migrate(t.Context(), pool)
	if e, ok := errors.AsType[*idem.StoreError](err); !ok || e.Temporary || !e.NotApplied || !strings.Contains(err.Error(), "42P07") {
		t.Errorf("got %v", err)
	}
	var n int
	if err := pool.QueryRow(t.Context(), "SELECT count(*) FROM pg_class WHERE relname LIKE 'idem%'").Scan(&n); err != nil || n != 1 {
		t.Errorf("%d relations, %v", n, err)
	}
}

// TestAWrongTableIsATypedError breaks the table in each way, and asks the engine, not the store: it is to be found in the errors of keyed calls.
func TestAWrongTableIsATypedError(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ breakIt, says string }{
		"missing":             {"DROP TABLE idem_claims", "missing"},
		"without sequence":    {"DROP SEQUENCE idem_fence_seq", "missing"},
		"older":               {"ALTER TABLE idem_claims DROP COLUMN lapses", "older"},
		"without primary key": {"ALTER TABLE idem_claims DROP CONSTRAINT idem_claims_pkey", "primary key"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, setup{})
			b.exec(t, tt.breakIt)
			runs := 0
			_, err := do(t, b.Store, func(context.Context) (string, error) {
				runs++
				return "", nil
			})
			schema, ok := errors.AsType[*postgres.SchemaError](err)
			if !ok || !strings.Contains(schema.Error(), tt.says) || !strings.Contains(schema.Error(), "postgres.Migrate") {
				t.Errorf("got %v", err)
			}
			if !errors.Is(err, idem.ErrStore) || !strings.Contains(err.Error(), "postgres.Migrate") || runs > 0 {
				t.Errorf("%d runs, and %v", runs, err)
			}
		})
	}
}

// do runs a keyed call of its own key on an engine of its own.
func do(t *testing.T, s idem.Store, run func(context.Context) (string, error)) (string, error) {
	t.Helper()
	engine, err := idem.New(s)
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	op := &idem.Operation[string]{Name: "example.com/shop.Payments.Charge"}
	return idem.Do(t.Context(), engine, op, idem.Call[string]{Key: idem.StringKey(rand.Text()), Run: run})
}
