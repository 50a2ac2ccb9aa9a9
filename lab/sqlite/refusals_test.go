package sqlite_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/sqlite"
)

// This file is the bad days: a database that can't be used, is locked, full, read-only, damaged, or not what the program expects. Each is a
// typed answer in bounded time, the same with every driver, and nothing was applied.

// wantRefusal fails the test unless err is a *idem.StoreError that says what want says, and no key.
func wantRefusal(t *testing.T, err error, want idem.StoreError) *idem.StoreError {
	t.Helper()
	e, ok := errors.AsType[*idem.StoreError](err)
	if !ok {
		t.Fatalf("got %v, want a *idem.StoreError", err)
	}
	if !strings.Contains(e.Reason, want.Reason) || e.Temporary != want.Temporary || e.NotApplied != want.NotApplied || e.TooMuch != want.TooMuch || e.Locked != want.Locked {
		t.Errorf("got %+v (%v), want %+v", *e, e.Err, want)
	}
	return e
}

// onEachDriver runs a test with each driver.
func onEachDriver(t *testing.T, f func(t *testing.T, d driver)) {
	t.Parallel()
	for _, d := range drivers {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			f(t, d)
		})
	}
}

func TestADatabaseInMemoryIsRefusedUnlessThePoolHasOneConnection(t *testing.T) {
	onEachDriver(t, func(t *testing.T, d driver) {
		for _, dsn := range []string{":memory:", ""} {
			db := d.open(t, dsn)
			want := idem.StoreError{Reason: "the database has no file", NotApplied: true}
			wantRefusal(t, sqlite.Migrate(t.Context(), db), want)
			_, err := sqlite.NewStore(db).Claim(t.Context(), fresh())
			wantRefusal(t, err, want)
			db.SetMaxOpenConns(1)
			if err := sqlite.Migrate(t.Context(), db); err != nil {
				t.Error(err)
			}
			b := &bench{Store: sqlite.NewStore(db)}
			b.done(t)
		}
	})
}

func TestAFileThatIsLockedForLongIsATypedAnswerInBoundedTime(t *testing.T) {
	onEachDriver(t, func(t *testing.T, d driver) {
		b := newBench(t, setup{driver: d, options: []sqlite.Option{sqlite.WithBusyTimeout(50 * time.Millisecond)}})
		c, row := b.won(t)
		unlock := b.lock(t, c.ID)
		defer unlock()
		want := idem.StoreError{Reason: "locked by another writer", Temporary: true, NotApplied: true}
		absent := fresh()
		began := time.Now()
		_, err := b.Claim(t.Context(), absent)
		wantRefusal(t, err, want)
		_, err = b.Complete(t.Context(), outcome(c, row))
		wantRefusal(t, err, want)
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("two steps took %v", took)
		}
		if again, err := b.Claim(t.Context(), rival(c)); err != nil || again.Owner != c.Owner {
			t.Errorf("a claim of a row that is there waited for the lock: %v", err)
		}
		unlock()
		if row, err := b.Claim(t.Context(), absent); err != nil || row.Owner != absent.Owner || row.Fence <= 1 {
			t.Errorf("the store does not work after the lock is gone: %v", err)
		}
	})
}

// The connection's own busy_timeout would keep a step in SQLite, past the end of its context.
func TestAStepEndsWithItsContextWhateverTheConnectionsBusyTimeout(t *testing.T) {
	onEachDriver(t, func(t *testing.T, d driver) {
		b := newBench(t, setup{driver: d, pragmas: []string{"busy_timeout(60000)"}})
		c, _ := b.won(t)
		defer b.lock(t, c.ID)()
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		began := time.Now()
		_, err := b.Claim(ctx, fresh())
		wantRefusal(t, err, idem.StoreError{Reason: "locked by another writer", Temporary: true, NotApplied: true})
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("it took %v", took)
		}
	})
}

func TestConnectionsGoBackAsTheyWere(t *testing.T) {
	onEachDriver(t, func(t *testing.T, d driver) {
		b := newBench(t, setup{driver: d, pragmas: []string{"busy_timeout(1234)", "synchronous(NORMAL)"}, conns: 1})
		b.done(t)
		_, _ = b.Read(t.Context(), []idem.ID{{}})
		var timeout, synchronous int
		if err := b.db.QueryRow("SELECT timeout FROM pragma_busy_timeout").Scan(&timeout); err != nil {
			t.Fatal(err)
		}
		if err := b.db.QueryRow("PRAGMA synchronous").Scan(&synchronous); err != nil {
			t.Fatal(err)
		}
		if timeout != 1234 || synchronous != 1 {
			t.Errorf("busy_timeout is %d and synchronous %d, want 1234 and 1 as before", timeout, synchronous)
		}
	})
}

func TestAPoolThatIsUsedUpIsNamedAsTheCause(t *testing.T) {
	t.Parallel()
	b := newBench(t, setup{conns: 1, options: []sqlite.Option{sqlite.WithAcquireTimeout(50 * time.Millisecond)}})
	c, err := b.db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_, err = b.Claim(t.Context(), fresh())
	wantRefusal(t, err, idem.StoreError{Reason: "all 1 of the pool are in use", Temporary: true, NotApplied: true})
}

func TestAFullDatabaseSaysSoAndASmallOutcomeStillFits(t *testing.T) {
	onEachDriver(t, func(t *testing.T, d driver) {
		b := newBench(t, setup{driver: d, conns: 1})
		c, row := b.won(t)
		var pages int
		b.get(t, "PRAGMA page_count", &pages)
		if _, err := b.db.Exec("PRAGMA max_page_count = " + "1"); err != nil { // it is never below what there is
			t.Fatal(err)
		}
		large := outcome(c, row)
		large.Result = random(1 << 20)
		_, err := b.Complete(t.Context(), large)
		wantRefusal(t, err, idem.StoreError{Reason: "SQLITE_FULL", Temporary: true, NotApplied: true, TooMuch: true})
		if after := b.row(t, c.ID); after.State != idem.StateRunning || after.Owner != c.Owner {
			t.Errorf("the row is changed: %+v", after)
		}
		tombstone := outcome(c, row)
		tombstone.Codec, tombstone.Result, tombstone.Schema = "none", nil, nil
		if row, err := b.Complete(t.Context(), tombstone); err != nil || row.State != idem.StateDone || row.Codec != "none" {
			t.Errorf("a small outcome does not fit: %v", err)
		}
	})
}

func TestAReadOnlyDatabaseIsRefusedAtOnce(t *testing.T) {
	onEachDriver(t, func(t *testing.T, d driver) {
		b := newBench(t, setup{driver: d})
		c, outcome := b.done(t)
		db := d.open(t, b.file, "query_only(1)")
		store := sqlite.NewStore(db)
		began := time.Now()
		_, err := store.Claim(t.Context(), fresh())
		wantRefusal(t, err, idem.StoreError{Reason: "read-only", NotApplied: true})
		if took := time.Since(began); took > 2*time.Second {
			t.Errorf("it took %v", took)
		}
		if row, err := store.Claim(t.Context(), rival(c)); err != nil || row.Owner != outcome.Owner {
			t.Errorf("what is stored can't be read: %v", err)
		}
	})
}

func TestAFileThatIsNoDatabaseOrDamagedOrNotThereIsRefused(t *testing.T) {
	onEachDriver(t, func(t *testing.T, d driver) {
		file := filepath.Join(t.TempDir(), "text.db")
		if err := os.WriteFile(file, []byte(strings.Repeat("no database at all\n", 1000)), 0o600); err != nil {
			t.Fatal(err)
		}
		wantRefusal(t, sqlite.Migrate(t.Context(), d.open(t, file)), idem.StoreError{Reason: "not a SQLite database", NotApplied: true})
		_, err := sqlite.NewStore(d.open(t, file)).Claim(t.Context(), fresh())
		wantRefusal(t, err, idem.StoreError{Reason: "not a SQLite database", NotApplied: true})
		nowhere := filepath.Join(t.TempDir(), "no", "folder", "claims.db")
		wantRefusal(t, sqlite.Migrate(t.Context(), d.open(t, nowhere)), idem.StoreError{Reason: "can't be opened", NotApplied: true})

		b := newBench(t, setup{driver: d})
		for range 20 {
			b.done(t)
		}
		b.exec(t, "PRAGMA wal_checkpoint(TRUNCATE)")
		_ = b.db.Close()
		_ = b.look.Close()
		damage(t, b.file)
		_, err = sqlite.NewStore(d.open(t, b.file)).Claim(t.Context(), fresh())
		wantRefusal(t, err, idem.StoreError{Reason: "damaged", NotApplied: true})
	})
}

// damage overwrites all pages but the first, which has the schema.
func damage(t *testing.T, file string) {
	t.Helper()
	f, err := os.OpenFile(file, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt(random(int(info.Size())-4096), 4096); err != nil {
		t.Fatal(err)
	}
}

func TestTablesThatAreNotThisProgramsAreASchemaError(t *testing.T) {
	onEachDriver(t, func(t *testing.T, d driver) {
		for name, tc := range map[string]struct{ sql, problem string }{
			"no table":      {"DROP TABLE idem_claims", "missing"},
			"no clock":      {"DROP VIEW idem_clock", "missing"},
			"no fence":      {"DROP TABLE idem_fence", "missing"},
			"an old table":  {"ALTER TABLE idem_claims DROP COLUMN origin", "lacks a column"},
			"an empty one":  {"DELETE FROM idem_fence", "empty"},
			"no unique ids": {"DROP TABLE idem_claims; CREATE TABLE idem_claims AS SELECT 1 AS seq, id, owner, fence, lease_until, claimed_at, completed_at, expires_at, keep, attempt, lapses, state, abandoned, fingerprint, operation, scope, key, origin, codec, schema_hash, error_code, result FROM backup", "unique"},
		} {
			t.Run(name, func(t *testing.T) {
				b := newBench(t, setup{driver: d})
				b.exec(t, "CREATE TABLE backup AS SELECT * FROM idem_claims")
				b.exec(t, tc.sql)
				_, err := b.Claim(t.Context(), fresh())
				e, ok := errors.AsType[*sqlite.SchemaError](err)
				if !ok || !strings.Contains(e.Problem, tc.problem) {
					t.Fatalf("got %v, want a *sqlite.SchemaError about %q", err, tc.problem)
				}
				wantRefusal(t, err, idem.StoreError{Reason: "run sqlite.Migrate", NotApplied: true})
			})
		}
		t.Run("nothing at all", func(t *testing.T) {
			_, err := sqlite.NewStore(d.open(t, filepath.Join(t.TempDir(), "new.db"))).Claim(t.Context(), fresh())
			if _, ok := errors.AsType[*sqlite.SchemaError](err); !ok {
				t.Errorf("got %v, want a *sqlite.SchemaError", err)
			}
		})
	})
}

func TestWhatATableRefusesIsTooMuchAndNotTemporary(t *testing.T) {
	onEachDriver(t, func(t *testing.T, d driver) {
		b := newBench(t, setup{driver: d})
		c, row := b.won(t)
		b.exec(t, "CREATE TRIGGER no BEFORE UPDATE ON idem_claims WHEN length(NEW.result) > 10 BEGIN SELECT RAISE(ABORT, 'too long'); END")
		_, err := b.Complete(t.Context(), outcome(c, row))
		wantRefusal(t, err, idem.StoreError{Reason: "SQLITE_CONSTRAINT", NotApplied: true, TooMuch: true})
	})
}

func TestAClosedPoolIsNamed(t *testing.T) {
	onEachDriver(t, func(t *testing.T, d driver) {
		b := newBench(t, setup{driver: d})
		_ = b.db.Close()
		_, err := b.Claim(t.Context(), fresh())
		wantRefusal(t, err, idem.StoreError{Reason: "the database was closed", NotApplied: true})
	})
}

func TestACancelledStepIsTemporaryAndNotApplied(t *testing.T) {
	onEachDriver(t, func(t *testing.T, d driver) {
		b := newBench(t, setup{driver: d})
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		c := fresh()
		_, err := b.Claim(ctx, c)
		wantRefusal(t, err, idem.StoreError{Reason: "cancelled", Temporary: true, NotApplied: true})
		if b.row(t, c.ID).State != idem.StateAbsent {
			t.Error("a row was inserted")
		}
	})
}
