package migrations

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	atlas "ariga.io/atlas/sql/migrate"
	atlaspostgres "ariga.io/atlas/sql/postgres"
	"github.com/amacneil/dbmate/v2/pkg/dbmate"
	_ "github.com/amacneil/dbmate/v2/pkg/driver/postgres"
	"github.com/golang-migrate/migrate/v4"
	_ "github.com/golang-migrate/migrate/v4/database/pgx/v5"
	_ "github.com/golang-migrate/migrate/v4/source/file"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	_ "github.com/jackc/pgx/v5/stdlib"
	tern "github.com/jackc/tern/v2/migrate"
	"github.com/pressly/goose/v3"

	"github.com/idemgen/idemgen/idem/postgres"
	"github.com/idemgen/idemgen/internal/pgtest"
	"github.com/idemgen/idemgen/internal/starter"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// tool applies the migrations of a folder to a database, and takes them back.
type tool struct {
	flag string // of -migrations
	up   func(ctx context.Context, dir, dsn string) error
	down func(ctx context.Context, dir, dsn string) error // nil: it does not go back
}

var tools = map[string]tool{
	"goose": {
		"goose",
		func(ctx context.Context, dir, dsn string) error {
			p, err := gooseProvider(dir, dsn)
			if err != nil {
				return err
			}
			defer p.Close()
			_, err = p.Up(ctx)
			return err
		},
		func(ctx context.Context, dir, dsn string) error {
			p, err := gooseProvider(dir, dsn)
			if err != nil {
				return err
			}
			defer p.Close()
			_, err = p.Down(ctx)
			return err
		},
	},
	"golang-migrate":                 golangMigrate(""),
	"golang-migrate, multistatement": golangMigrate("&x-multi-statement=true"),
	"dbmate": {
		"dbmate",
		func(_ context.Context, dir, dsn string) error { return dbmateOf(dir, dsn).Migrate() },
		func(_ context.Context, dir, dsn string) error { return dbmateOf(dir, dsn).Rollback() },
	},
	"tern": {
		"tern",
		func(ctx context.Context, dir, dsn string) error {
			return ternTo(ctx, dir, dsn, (*tern.Migrator).Migrate)
		},
		func(ctx context.Context, dir, dsn string) error {
			return ternTo(ctx, dir, dsn, func(m *tern.Migrator, ctx context.Context) error { return m.MigrateTo(ctx, 0) })
		},
	},
	"atlas": {"atlas", atlasUp, nil},
	"plain": {"plain", plainUp, nil},
}

func gooseProvider(dir, dsn string) (*goose.Provider, error) {
	db, err := sql.Open("pgx", dsn)
	if err != nil {
		return nil, err
	}
	return goose.NewProvider(goose.DialectPostgres, db, os.DirFS(dir))
}

func golangMigrate(option string) tool {
	with := func(dir, dsn string, f func(*migrate.Migrate) error) error {
		m, err := migrate.New("file://"+dir, strings.Replace(dsn, "postgres://", "pgx5://", 1)+option)
		if err != nil {
			return err
		}
		defer m.Close()
		return f(m)
	}
	return tool{
		"golang-migrate",
		func(_ context.Context, dir, dsn string) error { return with(dir, dsn, (*migrate.Migrate).Up) },
		func(_ context.Context, dir, dsn string) error { return with(dir, dsn, (*migrate.Migrate).Down) },
	}
}

func dbmateOf(dir, dsn string) *dbmate.DB {
	u, err := url.Parse(dsn)
	if err != nil {
		panic("the database's address does not parse")
	}
	db := dbmate.New(u)
	db.MigrationsDir, db.AutoDumpSchema, db.Log = []string{dir}, false, os.Stderr
	return db
}

func ternTo(ctx context.Context, dir, dsn string, f func(*tern.Migrator, context.Context) error) error {
	c, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return err
	}
	defer c.Close(ctx)
	m, err := tern.NewMigrator(ctx, c, "schema_version")
	if err != nil {
		return err
	}
	if err := m.LoadMigrations(os.DirFS(dir)); err != nil {
		return err
	}
	return f(m, ctx)
}

// atlasUp does what "atlas migrate hash" and "atlas migrate apply" do.
func atlasUp(ctx context.Context, path, dsn string) error {
	dir, err := atlas.NewLocalDir(path)
	if err != nil {
		return err
	}
	sum, err := dir.Checksum()
	if err != nil {
		return err
	}
	if err := atlas.WriteSumFile(dir, sum); err != nil {
		return err
	}
	db, err := sql.Open("pgx", dsn)
	if err != nil {
		return err
	}
	defer db.Close()
	driver, err := atlaspostgres.Open(db)
	if err != nil {
		return err
	}
	e, err := atlas.NewExecutor(driver, dir, atlas.NopRevisionReadWriter{}, atlas.WithAllowDirty(true))
	if err != nil {
		return err
	}
	return e.ExecuteN(ctx, 0)
}

func plainUp(ctx context.Context, dir, dsn string) error {
	c, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return err
	}
	defer c.Close(ctx)
	for _, name := range []string{"idem_claims.sql", "idem_audit.sql"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if os.IsNotExist(err) {
			continue
		}
		if err != nil {
			return err
		}
		if _, err = c.Exec(ctx, string(text)); err != nil {
			return err
		}
	}
	return nil
}

// facts are what Postgres knows of what is ours, one a line.
func facts(t *testing.T, pool *pgxpool.Pool) []string {
	t.Helper()
	rows, err := pool.Query(t.Context(), `
SELECT format('column %s.%s %s %s %s', c.oid::regclass, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, pg_get_expr(d.adbin, d.adrelid))
FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
WHERE c.relname LIKE 'idem%' AND c.relnamespace = 'public'::regnamespace
UNION ALL SELECT format('relation %s %s %s', relname, relkind, reloptions) FROM pg_class WHERE relname LIKE 'idem%' AND relnamespace = 'public'::regnamespace
UNION ALL SELECT format('constraint %s %s', conname, pg_get_constraintdef(oid)) FROM pg_constraint WHERE conrelid::regclass::text LIKE 'idem%'
ORDER BY 1`)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

// What a tool makes of the files is what Migrate makes, which then has nothing to do; and going back leaves nothing of it.
func TestToolsApplyWhatInitWrites(t *testing.T) {
	t.Parallel()
	migrated := pgtest.Pool(t)
	if err := postgres.Migrate(t.Context(), migrated); err != nil {
		t.Fatal(err)
	}
	want := facts(t, migrated)
	if len(want) < 30 {
		t.Fatalf("only %d facts were found", len(want))
	}
	for name, tool := range tools {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := initialised(t, tool.flag)
			dsn := pgtest.Database(t)
			pool := pgtest.PoolOf(t, dsn)
			same := func(when string, want []string) {
				t.Helper()
				if got := facts(t, pool); !slices.Equal(got, want) {
					t.Errorf("%s there is\n%s\nwant\n%s", when, strings.Join(got, "\n"), strings.Join(want, "\n"))
				}
			}
			if err := tool.up(t.Context(), dir, dsn); err != nil {
				t.Fatal(err)
			}
			same("after up", want)
			if err := postgres.Migrate(t.Context(), pool); err != nil {
				t.Fatal(err)
			}
			same("after Migrate", want)
			versions := 0
			if err := pool.QueryRow(t.Context(), "SELECT count(*) FROM idem_migrations").Scan(&versions); err != nil || versions != 2 {
				t.Errorf("Migrate has applied something again: %d versions, %v", versions, err)
			}
			if tool.down == nil {
				return
			}
			if err := tool.down(t.Context(), dir, dsn); err != nil {
				t.Fatal(err)
			}
			same("after down", nil)
			if err := tool.up(t.Context(), dir, dsn); err != nil {
				t.Fatal(err)
			}
			same("after up again", want)
		})
	}
}

// Who has the first version from an earlier init gets the step to the second, and comes to the same.
func TestToolsApplyTheStepThatInitWrites(t *testing.T) {
	t.Parallel()
	migrated := pgtest.Pool(t)
	if err := postgres.Migrate(t.Context(), migrated); err != nil {
		t.Fatal(err)
	}
	want := facts(t, migrated)
	for name, tool := range tools {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, dsn := initialised(t, tool.flag), pgtest.Database(t)
			toVersion1(t, dir)
			pool := pgtest.PoolOf(t, dsn)
			if tool.down != nil { // the others are run without a memory of what they have applied
				if err := tool.up(t.Context(), dir, dsn); err != nil {
					t.Fatal(err)
				}
			}
			first, err := os.ReadDir(dir)
			if err != nil {
				t.Fatal(err)
			}
			plan, err := starter.Make(starter.Wish{Dir: filepath.Dir(dir), NoExample: true, Migrations: tool.flag, MigrationsDir: "up", Now: time.Now().Add(time.Minute)})
			if err != nil {
				t.Fatal(err)
			}
			if err := plan.Write(); err != nil {
				t.Fatal(err)
			}
			if all, err := os.ReadDir(dir); err != nil || len(all) <= len(first) {
				t.Fatalf("there was no step to write: %d files, %v", len(all), err)
			}
			if err := tool.up(t.Context(), dir, dsn); err != nil {
				t.Fatal(err)
			}
			if got := facts(t, pool); !slices.Equal(got, want) {
				t.Errorf("there is\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
			versions := 0
			if err := pool.QueryRow(t.Context(), "SELECT count(*) FROM idem_migrations").Scan(&versions); err != nil || versions != 2 {
				t.Errorf("%d versions, %v", versions, err)
			}
		})
	}
}

// toVersion1 makes of the files of a folder what an earlier init has written.
func toVersion1(t *testing.T, dir string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.sql"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	audit := regexp.MustCompile(`(?s)-- What people have decided.*?\n\);\n\n`)
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		old := audit.ReplaceAllString(string(text), "")
		old = strings.ReplaceAll(strings.ReplaceAll(old, "VALUES (1), (2);", "VALUES (1);"), "DROP TABLE idem_audit;\n", "")
		if old == string(text) || strings.Contains(old, "idem_audit") {
			t.Fatalf("%s is not what was expected:\n%s", path, old)
		}
		if err := os.WriteFile(path, []byte(old), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// Where Migrate was first, the migration fails as a whole and leaves the table and its rows as they are.
func TestAMigrationAfterMigrateChangesNothing(t *testing.T) {
	t.Parallel()
	for name, tool := range tools {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dsn := pgtest.Database(t)
			pool := pgtest.PoolOf(t, dsn)
			if err := postgres.Migrate(t.Context(), pool); err != nil {
				t.Fatal(err)
			}
			want := facts(t, pool)
			if err := tool.up(t.Context(), initialised(t, tool.flag), dsn); err == nil || !strings.Contains(fmt.Sprint(err), "already exists") {
				t.Errorf("the migration: %v", err)
			}
			if got := facts(t, pool); !slices.Equal(got, want) {
				t.Errorf("there is\n%s\nand was\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		})
	}
}

// initialised is the folder of migrations that init writes in a new module.
func initialised(t *testing.T, flag string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/shop\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	plan, err := starter.Make(starter.Wish{Dir: dir, NoExample: true, Migrations: flag, MigrationsDir: "up", Now: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	if err := plan.Write(); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "up")
}
