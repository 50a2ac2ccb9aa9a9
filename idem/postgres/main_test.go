package postgres_test

import (
	"context"
	"crypto/rand"
	"errors"
	"testing"
	"time"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
	"github.com/idemgen/idemgen/idem/postgres"
	"github.com/idemgen/idemgen/internal/pgtest"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// bench is a store on a database of its own, and a second pool to look behind its back.
type bench struct {
	*postgres.Store
	dsn  string
	pool *pgxpool.Pool // the store's
	look *pgxpool.Pool
}

// setup says how a bench differs from the default.
type setup struct {
	database []string // settings of the database, name=value
	pool     func(*pgxpool.Config)
	options  []postgres.Option
}

func newBench(t testing.TB, s setup) *bench {
	t.Helper()
	b := &bench{dsn: pgtest.Database(t, s.database...)}
	b.look = pgtest.PoolOf(t, b.dsn)
	if err := postgres.Migrate(context.Background(), b.look); err != nil {
		t.Fatal(err)
	}
	b.pool = pgtest.PoolOf(t, b.dsn, func(c *pgxpool.Config) {
		if s.pool != nil {
			s.pool(c)
		}
	})
	b.Store = postgres.NewStore(b.pool, s.options...)
	t.Cleanup(func() { _ = b.Close() })
	return b
}

// harness is b for the conformance suite.
func (b *bench) harness() idemtest.Harness {
	return idemtest.Harness{Store: b.Store, Age: b.age, Row: b.row, Count: b.count, Lock: b.lock}
}

func (b *bench) age(t testing.TB, id idem.ID, d time.Duration) {
	t.Helper()
	b.exec(t, `UPDATE idem_claims SET claimed_at = claimed_at - d, lease_until = lease_until - d, completed_at = completed_at - d, expires_at = expires_at - d
		FROM (SELECT $2::bigint * interval '1 microsecond' AS d) age WHERE id = $1`, id.String(), d.Microseconds())
}

func (b *bench) row(t testing.TB, id idem.ID) idem.Row {
	t.Helper()
	row := idem.Row{ID: id}
	var owner [16]byte
	err := b.look.QueryRow(context.Background(), `SELECT state, owner, attempt, lapses, fence, fingerprint, result FROM idem_claims WHERE id = $1`, id.String()).
		Scan(&row.State, &owner, &row.Attempt, &row.Lapses, &row.Fence, &row.Fingerprint, &row.Result)
	if err != nil && err != pgx.ErrNoRows {
		t.Fatal(err)
	}
	row.Owner = owner
	return row
}

func (b *bench) count(t testing.TB) (n int) {
	t.Helper()
	b.get(t, "SELECT count(*) FROM idem_claims", &n)
	return n
}

// lock holds the lock of an open transaction that has changed the row.
func (b *bench) lock(t testing.TB, id idem.ID) (unlock func()) {
	t.Helper()
	tx, err := b.look.Begin(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(context.Background(), "UPDATE idem_claims SET lapses = lapses WHERE id = $1", id.String()); err != nil {
		t.Fatal(err)
	}
	return func() { _ = tx.Rollback(context.Background()) }
}

func (b *bench) exec(t testing.TB, sql string, args ...any) {
	t.Helper()
	if _, err := b.look.Exec(context.Background(), sql, args...); err != nil {
		t.Fatal(err)
	}
}

func (b *bench) get(t testing.TB, sql string, into ...any) {
	t.Helper()
	if err := b.look.QueryRow(context.Background(), sql).Scan(into...); err != nil {
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

// won is a claim that is running, and its row. While many claim at once, a lock on the table, which grows, may be waited for too long.
func (b *bench) won(t testing.TB) (idem.Claim, idem.Row) {
	t.Helper()
	c := fresh()
	row, err := b.Claim(context.Background(), c)
	for end := time.Now().Add(time.Minute); locked(err) && time.Now().Before(end); {
		row, err = b.Claim(context.Background(), c)
	}
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

// locked reports whether a step gave up because somebody's open transaction has the row.
func locked(err error) bool {
	e, ok := errors.AsType[*idem.StoreError](err)
	return ok && e.Locked
}
