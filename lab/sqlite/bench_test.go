package sqlite_test

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"testing"
	"time"

	_ "github.com/ncruces/go-sqlite3/driver" // is "sqlite3"
	_ "modernc.org/sqlite"                   // is "sqlite"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
	"github.com/idemgen/idemgen/idem/sqlite"
)

// This file is what the tests work on: a store on a database file of its own, and a second pool to look behind its back.

// driver is a driver as its users open it.
type driver struct{ name, registered string }

var (
	modernc = driver{"modernc", "sqlite"}
	ncruces = driver{"ncruces", "sqlite3"}
	drivers = []driver{modernc, ncruces}
)

// open opens a file. Pragmas are what a user may set on each connection, as "name(value)".
func (d driver) open(t testing.TB, file string, pragmas ...string) *sql.DB {
	t.Helper()
	q := url.Values{}
	for _, p := range pragmas {
		q.Add("_pragma", p)
	}
	db, err := sql.Open(d.registered, "file:"+file+"?"+q.Encode())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// bench is a store, and a second pool on its file.
type bench struct {
	*sqlite.Store
	driver driver
	file   string
	db     *sql.DB // the store's
	look   *sql.DB
}

// setup says how a bench differs from the default.
type setup struct {
	driver  driver
	journal string   // of the file, "" is what Migrate makes it
	pragmas []string // of the store's connections
	conns   int      // of the store's pool
	options []sqlite.Option
}

func newBench(t testing.TB, s setup) *bench {
	t.Helper()
	if s.driver.name == "" {
		s.driver = modernc
	}
	b := &bench{driver: s.driver, file: filepath.Join(t.TempDir(), "claims.db")}
	b.look = b.driver.open(t, b.file, "busy_timeout(10000)")
	if err := sqlite.Migrate(context.Background(), b.look); err != nil {
		t.Fatal(err)
	}
	if s.journal != "" {
		var mode string
		if err := b.look.QueryRow("PRAGMA journal_mode = " + s.journal).Scan(&mode); err != nil || mode != s.journal {
			t.Fatalf("journal_mode is %q: %v", mode, err)
		}
	}
	b.db = b.driver.open(t, b.file, s.pragmas...)
	b.db.SetMaxOpenConns(s.conns)
	b.Store = sqlite.NewStore(b.db, s.options...)
	return b
}

// harness is b for the conformance suite.
func (b *bench) harness() idemtest.Harness {
	return idemtest.Harness{Store: b.Store, Age: b.age, Row: b.row, Count: b.count, Lock: b.lock, OneLock: true}
}

func (b *bench) age(t testing.TB, id idem.ID, d time.Duration) {
	t.Helper()
	const sql = `UPDATE idem_claims SET claimed_at = claimed_at - ?1, lease_until = lease_until - ?1, completed_at = completed_at - ?1,
		expires_at = CASE WHEN expires_at = 9223372036854775807 THEN expires_at ELSE expires_at - ?1 END WHERE id = ?2`
	b.exec(t, sql, d.Microseconds(), id[:])
}

func (b *bench) row(t testing.TB, id idem.ID) idem.Row {
	t.Helper()
	row := idem.Row{ID: id}
	var owner []byte
	err := b.look.QueryRow(`SELECT state, owner, attempt, lapses, fence, fingerprint, result FROM idem_claims WHERE id = ?`, id[:]).
		Scan(&row.State, &owner, &row.Attempt, &row.Lapses, &row.Fence, &row.Fingerprint, &row.Result)
	if errors.Is(err, sql.ErrNoRows) {
		return row
	}
	if err != nil {
		t.Fatal(err)
	}
	row.Owner = idem.Owner(owner)
	return row
}

func (b *bench) count(t testing.TB) (n int) {
	t.Helper()
	b.get(t, "SELECT count(*) FROM idem_claims", &n)
	return n
}

// lock holds the write lock of the file, as a transaction does that has changed the row.
func (b *bench) lock(t testing.TB, id idem.ID) (unlock func()) {
	t.Helper()
	c, err := b.look.Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, sql := range []string{"BEGIN IMMEDIATE", fmt.Sprintf("UPDATE idem_claims SET lapses = lapses WHERE id = x'%x'", id[:])} {
		if _, err := c.ExecContext(context.Background(), sql); err != nil {
			t.Fatal(err)
		}
	}
	return func() {
		_, _ = c.ExecContext(context.Background(), "ROLLBACK")
		_ = c.Close()
	}
}

func (b *bench) exec(t testing.TB, sql string, args ...any) {
	t.Helper()
	if _, err := b.look.Exec(sql, args...); err != nil {
		t.Fatal(err)
	}
}

func (b *bench) get(t testing.TB, sql string, into ...any) {
	t.Helper()
	if err := b.look.QueryRow(sql).Scan(into...); err != nil {
		t.Fatal(err)
	}
}

const (
	lease = time.Hour
	ttl   = 24 * time.Hour
)

// fresh is a claim for a row that nobody has.
func fresh() idem.Claim {
	ref := idem.Ref{Operation: "example.com/shop.Payments.Charge", Scope: "tenant", Key: rand.Text()}
	return idem.Claim{ID: idem.RowID(ref), Ref: ref, Owner: newOwner(), Fingerprint: random(33), Lease: lease, Keep: ttl, Origin: "test"}
}

// rival is another call's claim for the row of c.
func rival(c idem.Claim) idem.Claim {
	c.Owner = newOwner()
	return c
}

func newOwner() idem.Owner { return idem.Owner(random(16)) }

func random(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.Read(b) // it never fails
	return b
}

func outcome(c idem.Claim, row idem.Row) idem.Outcome {
	return idem.Outcome{
		Claim: c, Attempt: row.Attempt, Fence: row.Fence, State: idem.StateDone, TTL: ttl,
		Codec: "json", Schema: []byte("12345678"), Result: random(100),
	}
}

// won is a claim that is running, and its row.
func (b *bench) won(t testing.TB) (idem.Claim, idem.Row) {
	t.Helper()
	c := fresh()
	row, err := b.Claim(context.Background(), c)
	if err != nil || row.Owner != c.Owner {
		t.Fatalf("not claimed: %v", err)
	}
	return c, row
}

// done is a claim whose outcome is stored, and its row.
func (b *bench) done(t testing.TB) (idem.Claim, idem.Row) {
	t.Helper()
	c, row := b.won(t)
	row, err := b.Complete(context.Background(), outcome(c, row))
	if err != nil || row.State != idem.StateDone {
		t.Fatalf("not completed: %v", err)
	}
	return c, row
}
