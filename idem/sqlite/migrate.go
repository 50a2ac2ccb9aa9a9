package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/sqlite/internal/db"
)

// This file creates and upgrades the tables, by the numbered files of the folder migrations: file n takes the schema from version n-1 to n.
// A file that was released is never changed.

//go:embed migrations/*.sql
var migrations embed.FS

// oldest is the first version of SQLite that has all that the tables need: STRICT came last.
const oldest = "3.37"

// Migrate creates the tables idem_claims, idem_fence and idem_audit and what belongs to them, or brings older ones up to date. Any number of processes may
// call it at once, and as often as they like: on tables that are up to date it only reads. Tables that are newer than this package are
// left as they are.
//
// A database that has no tables yet is set to write-ahead logging (journal_mode WAL), which stays with the file: then nobody who reads
// keeps a writer waiting. One that has tables of somebody's keeps its journal mode.
//
// Each upgrade is one transaction. An error, or the end of ctx, leaves the last complete version in place.
func Migrate(ctx context.Context, pool *sql.DB) error {
	if err := NewStore(pool).migrate(ctx); err != nil {
		return fmt.Errorf("sqlite: migrating: %w", err)
	}
	return nil
}

func (s *Store) migrate(ctx context.Context) error {
	c, err := s.acquire(ctx)
	if err != nil {
		return err
	}
	defer c.release()
	files, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return err
	}
	waiting, cancel := limited(ctx, s.busyTimeout)
	defer cancel()
	var version int
	err = c.retried(waiting, func() (err error) {
		version, err = c.schemaVersion(ctx)
		return err
	})
	if err == nil && version == 0 {
		err = c.retried(waiting, func() error { return c.newcomer(ctx) })
	}
	if err != nil {
		return failure(ctx, err, true)
	}
	for ; version < len(files); version++ {
		if err := c.upgrade(ctx, waiting, version+1, files[version]); err != nil {
			return err
		}
	}
	return nil
}

// newcomer sees that this SQLite is new enough, and gives a database that is still empty the journal that serves best.
func (c *connection) newcomer(ctx context.Context) error {
	var major, minor, tables int
	var version, mode string
	if err := c.QueryRowContext(ctx, "SELECT sqlite_version()").Scan(&version); err != nil {
		return err
	}
	if n, err := fmt.Sscanf(version, "%d.%d", &major, &minor); n == 2 && err == nil && (major < 3 || major == 3 && minor < 37) {
		return &idem.StoreError{Reason: "this is SQLite " + version + ", and " + oldest + " or newer is needed", NotApplied: true}
	}
	if err := c.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_master").Scan(&tables); err != nil || tables > 0 {
		return err
	}
	return c.QueryRowContext(ctx, "PRAGMA journal_mode = WAL").Scan(&mode) // where it can't be, it stays as it is
}

// upgrade takes the schema to a version, unless somebody else did while it waited for the lock.
func (c *connection) upgrade(ctx, waiting context.Context, version int, file string) error {
	ddl, err := migrations.ReadFile(file)
	if err != nil {
		return err
	}
	return c.transact(ctx, waiting, func(ctx context.Context, _ *db.Queries) error {
		if now, err := c.schemaVersion(ctx); err != nil || now >= version {
			return err
		}
		if err := c.exec(ctx, string(ddl)); err != nil {
			return err
		}
		_, err := c.ExecContext(ctx, "INSERT INTO idem_migrations (version, applied_at) SELECT ?, now FROM idem_clock", version)
		return err
	})
}

// schemaVersion is the version of the schema that is there; 0: none.
func (c *connection) schemaVersion(ctx context.Context) (version int, err error) {
	var there bool
	err = c.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'idem_migrations')").Scan(&there)
	if err != nil || !there {
		return 0, err
	}
	err = c.QueryRowContext(ctx, "SELECT coalesce(max(version), 0) FROM idem_migrations").Scan(&version)
	return version, err
}
