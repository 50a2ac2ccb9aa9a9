package postgres

import (
	"context"
	"embed"
	"fmt"
	"io/fs"

	"github.com/idemgen/idemgen/idem/postgres/internal/db"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// This file creates and upgrades the table, by the numbered files of the folder migrations: file n takes the schema from version n-1 to n.
// A file that was released is never changed. schema.sql is what they amount to.

//go:embed migrations/*.sql
var migrations embed.FS

// migrationLock is the key of the advisory lock that lets one process at a time migrate: the text "idemgen" as a number.
const migrationLock = 0x6964656d67656e

// Migrate creates the table idem_claims and what belongs to it, in the first schema of the connection's search path, or brings an older
// one up to date. Any number of processes may call it at once, and as often as they like: on a table that is up to date it
// only reads. A table that is newer than this package is left as it is.
//
// Each upgrade is one transaction. An error, or the end of ctx, leaves the last complete version in place.
func Migrate(ctx context.Context, pool *pgxpool.Pool) error {
	c, err := pool.Acquire(ctx)
	if err != nil {
		return fmt.Errorf("postgres: migrating: %w", notAcquired(ctx, err, pool.Stat()))
	}
	defer c.Release()
	if err := upgrade(ctx, c.Conn()); err != nil {
		return fmt.Errorf("postgres: migrating: %w", failure(err, refusedByServer(err), connectionLost))
	}
	return nil
}

func upgrade(ctx context.Context, c *pgx.Conn) error {
	files, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return err
	}
	version, err := schemaVersion(ctx, c)
	for ; err == nil && version < len(files); version++ {
		err = migrate(ctx, c, version+1, files[version])
	}
	return err
}

// migrate takes the schema to a version, unless somebody else did while it waited for the lock. It pins the isolation: with a snapshot from before
// the lock it would not see that.
func migrate(ctx context.Context, c *pgx.Conn, version int, file string) error {
	ddl, err := migrations.ReadFile(file)
	if err != nil {
		return err
	}
	return pgx.BeginTxFunc(ctx, c, pgx.TxOptions{IsoLevel: pgx.ReadCommitted}, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock($1)", int64(migrationLock)); err != nil {
			return err
		}
		if now, err := schemaVersion(ctx, tx); err != nil || now >= version {
			return err
		}
		if _, err := tx.Exec(ctx, string(ddl)); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, "INSERT INTO idem_migrations (version) VALUES ($1)", version)
		return err
	})
}

const existsSQL = "SELECT EXISTS (SELECT FROM pg_class WHERE relname = 'idem_migrations' AND pg_table_is_visible(oid))"

// schemaVersion is the version of the schema that is there; 0: none. It looks at the catalog's rows: to_regclass may answer from a
// cache that has not heard yet of a table made by another process.
func schemaVersion(ctx context.Context, q db.DBTX) (version int, err error) {
	var there bool
	if err := q.QueryRow(ctx, existsSQL).Scan(&there); err != nil || !there {
		return 0, err
	}
	err = q.QueryRow(ctx, "SELECT coalesce(max(version), 0) FROM idem_migrations").Scan(&version)
	return version, err
}
