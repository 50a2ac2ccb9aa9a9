package sqlite_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
	"github.com/idemgen/idemgen/idem/sqlite"
)

// This file is about the tables and the file: how they are made, and that what is acknowledged is on the disk.

func TestManyMayMigrateAtOnceAndAgain(t *testing.T) {
	onEachDriver(t, func(t *testing.T, d driver) {
		file := filepath.Join(t.TempDir(), "claims.db")
		for range 2 {
			idemtest.Callers(t, 8, func(int) {
				if err := sqlite.Migrate(t.Context(), d.open(t, file)); err != nil {
					t.Error(err)
				}
			})
		}
		b := &bench{look: d.open(t, file)}
		var versions, fences int
		b.get(t, "SELECT count(*) FROM idem_migrations", &versions)
		b.get(t, "SELECT count(*) FROM idem_fence", &fences)
		if versions != 1 || fences != 1 {
			t.Errorf("%d migrations, %d fences", versions, fences)
		}
	})
}

func TestAMigrationLeavesWhatIsThereAndWhatIsNewer(t *testing.T) {
	onEachDriver(t, func(t *testing.T, d driver) {
		b := newBench(t, setup{driver: d})
		c, _ := b.done(t)
		b.exec(t, "INSERT INTO idem_migrations (version, applied_at) VALUES (99, 0)")
		if err := sqlite.Migrate(t.Context(), b.db); err != nil {
			t.Error(err)
		}
		if b.row(t, c.ID).State != idem.StateDone {
			t.Error("the row is gone")
		}
	})
}

func TestAMigrationThatIsLockedOutEndsWithItsContext(t *testing.T) {
	onEachDriver(t, func(t *testing.T, d driver) {
		file := filepath.Join(t.TempDir(), "claims.db")
		b := &bench{look: d.open(t, file)}
		b.exec(t, "CREATE TABLE mine (x)")
		c, err := b.look.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if _, err := c.ExecContext(t.Context(), "BEGIN IMMEDIATE"); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), lease/100_000)
		defer cancel()
		wantRefusal(t, sqlite.Migrate(ctx, d.open(t, file)), idem.StoreError{Reason: "locked by another writer", Temporary: true, NotApplied: true})
	})
}

// An empty file gets the journal that serves best; one with tables of somebody's keeps its own.
func TestTheJournalIsAWALInAFileOfItsOwnOnly(t *testing.T) {
	onEachDriver(t, func(t *testing.T, d driver) {
		for want, sql := range map[string]string{"wal": "SELECT 1", "delete": "CREATE TABLE mine (x)"} {
			db := d.open(t, filepath.Join(t.TempDir(), "claims.db"))
			b := &bench{look: db}
			b.exec(t, sql)
			if err := sqlite.Migrate(t.Context(), db); err != nil {
				t.Fatal(err)
			}
			var mode string
			b.get(t, "PRAGMA journal_mode", &mode)
			if mode != want {
				t.Errorf("journal_mode is %s, want %s", mode, want)
			}
		}
	})
}

// In a WAL, NORMAL forgets the last commits when the power fails.
func TestEveryWriteIsSynchronousWhateverTheConnectionIs(t *testing.T) {
	onEachDriver(t, func(t *testing.T, d driver) {
		for _, pragma := range []string{"synchronous(OFF)", "synchronous(NORMAL)", "synchronous(FULL)"} {
			b := newBench(t, setup{driver: d, pragmas: []string{pragma, "trusted_schema(1)"}})
			b.exec(t, "CREATE TABLE seen (synchronous)")
			for _, event := range []string{"INSERT", "UPDATE", "DELETE"} {
				b.exec(t, "CREATE TRIGGER seen_"+event+" AFTER "+event+" ON idem_claims BEGIN INSERT INTO seen SELECT synchronous FROM pragma_synchronous; END")
			}
			b.done(t)
			c, _ := b.won(t)
			if changed, err := b.Release(t.Context(), c.ID, c.Owner); err != nil || !changed {
				t.Fatal(err)
			}
			var writes, least int
			b.get(t, "SELECT count(*), min(synchronous) FROM seen", &writes, &least)
			if writes != 4 || least != 3 {
				t.Errorf("%s: %d writes, at least one with synchronous = %d, want 3 (EXTRA)", pragma, writes, least)
			}
		}
	})
}
