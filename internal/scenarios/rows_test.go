package scenarios

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/idem"
)

// This file is how tests look at rows and change them behind everybody's back: their times, their columns, and who has them
// locked. Where nothing else is said, a key is that of an operation with charge's name.

// row is the claim of op's key as it stands in the database, or the zero row.
type row struct {
	State, Attempt, Lapses int
	Abandoned, Lapsed      bool
	Unstarted              bool // and so expired with its lease
	Codec                  string
	Result                 []byte
}

func (r row) String() string {
	if r.Unstarted {
		return "given back" // and in the way of what comes late
	}
	text := []string{"absent", "running", "done", "failed", "unknown"}[r.State]
	if r.State == int(idem.StateRunning) && r.Lapsed {
		text += " lapsed"
	}
	if r.Abandoned {
		text += " abandoned"
	}
	return text
}

// counted is the row's state with its attempt and lapses.
func (r row) counted() string { return fmt.Sprint(r, " ", r.Attempt, " ", r.Lapses) }

func (s *stage) row(op, scope, key string) row {
	s.Helper()
	id := idem.RowID(idem.Ref{Operation: op, Scope: scope, Key: key})
	rows, err := s.pool.Query(context.Background(), `SELECT state, attempt, lapses, abandoned, lease_until <= clock_timestamp() AS lapsed,
		coalesce(keep = interval '0', false) AS unstarted,
		coalesce(codec, '') AS codec, result FROM idem_claims WHERE id = $1`, [16]byte(id))
	if err != nil {
		s.Fatal(err)
	}
	r, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[row])
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		s.Fatal(err)
	}
	return r
}

func (s *stage) charged(key string) row {
	s.Helper()
	return s.row(charge.Name, "", key)
}

// wantRow waits until a row is in the state that row.String gives.
func (s *stage) wantRow(key, state string) {
	s.Helper()
	s.eventually("the row of "+key+" "+state, func() bool { return s.charged(key).String() == state })
}

// wantRowNow fails the test unless a row is in that state already.
func (s *stage) wantRowNow(key, state string) {
	s.Helper()
	if got := s.charged(key).String(); got != state {
		s.Errorf("the row of %s is %q, want %q", key, got, state)
	}
}

// rowID is the id of a key's row, as a parameter.
func rowID(key string) [16]byte { return idem.RowID(idem.Ref{Operation: charge.Name, Key: key}) }

// look reads something of a row, c in SQL, and reports whether there is one.
func (s *stage) look(key, what string, to any) bool {
	s.Helper()
	err := s.pool.QueryRow(context.Background(), "SELECT "+what+" FROM idem_claims c WHERE id = $1", rowID(key)).Scan(to)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		s.Fatalf("%s of the row of %s: %v", what, key, err)
	}
	return err == nil
}

// mustLook is look where there has to be a row.
func (s *stage) mustLook(key, what string, to any) {
	s.Helper()
	if !s.look(key, what, to) {
		s.Fatalf("%s: there is no row of %s", what, key)
	}
}

// ownerOf is who has a row.
func (s *stage) ownerOf(key string) idem.Owner {
	s.Helper()
	var owner [16]byte
	s.mustLook(key, "owner", &owner)
	return owner
}

// leaseLeft is what is left of a lease, by the database's clock.
func (s *stage) leaseLeft(key string) (left time.Duration) {
	s.Helper()
	s.mustLook(key, "lease_until - clock_timestamp()", &left)
	return left
}

// whole is all columns of a row, as text; empty: there is none.
func (s *stage) whole(key string) (text string) {
	s.Helper()
	s.look(key, "c::text", &text)
	return text
}

// versionOf is a row as it is stored: all its columns, its place, and the transactions that wrote and that locked it. Nothing has
// touched a row whose version stayed, while one that is whole as before may have been written again.
func (s *stage) versionOf(key string) (version string) {
	s.Helper()
	s.look(key, "concat_ws(' ', c.ctid, c.xmin, c.xmax, c)", &version)
	return version
}

// renewedPast reports whether the only row's lease was renewed until it was twice as long as it had been.
func (s *stage) renewedPast(lease time.Duration) (renewed bool) {
	err := s.pool.QueryRow(context.Background(), "SELECT lease_until > claimed_at + 2 * $1::interval FROM idem_claims", lease).Scan(&renewed)
	return err == nil && renewed
}

// ask is the one value that a query returns.
func ask[T any](s *stage, sql string, args ...any) (value T) {
	s.Helper()
	if err := s.pool.QueryRow(context.Background(), sql, args...).Scan(&value); err != nil {
		s.Fatal(err)
	}
	return value
}

// outcomes is how many outcomes are stored, and rowCount how many rows there are.
func (s *stage) outcomes() int {
	s.Helper()
	return ask[int](s, "SELECT count(*) FROM idem_claims WHERE state IN (2, 3) OR completed_at IS NOT NULL")
}

func (s *stage) rowCount() int {
	s.Helper()
	return ask[int](s, "SELECT count(*) FROM idem_claims")
}

// backends is how many sessions of clients there are in this database, but for the one that asks, for which a condition holds.
func (s *stage) backends(condition string) int {
	s.Helper()
	return ask[int](s, `SELECT count(*) FROM pg_stat_activity
		WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid() AND `+condition)
}

// exec executes sql through the test's pool.
func (s *stage) exec(sql string, args ...any) {
	s.Helper()
	if _, err := s.pool.Exec(context.Background(), sql, args...); err != nil {
		s.Fatal(err)
	}
}

// editRow changes a row as an operator, or another program, might.
func (s *stage) editRow(key, set string, args ...any) {
	s.Helper()
	tag, err := s.pool.Exec(context.Background(), "UPDATE idem_claims SET "+set+" WHERE id = $1", append([]any{rowID(key)}, args...)...)
	if err != nil || tag.RowsAffected() != 1 {
		s.Fatalf("%d rows changed: %v", tag.RowsAffected(), err)
	}
}

// age moves a lease's end and an expiry back by d, as if that time had passed.
func (s *stage) age(key string, d time.Duration) {
	s.Helper()
	s.editRow(key, `claimed_at = claimed_at - $2::interval, lease_until = lease_until - $2::interval,
		completed_at = completed_at - $2::interval, expires_at = expires_at - $2::interval`, d)
}

// storedFailure is an error stored on purpose, which programs of other releases may write.
const storedFailure = `state = 3, error_code = 'declined', keep = NULL, abandoned = false, completed_at = clock_timestamp(),
	expires_at = clock_timestamp() + interval '1 day', codec = 'json', schema_hash = '', result = '"declined"'`

// swept is how many rows a sweep without any grace deletes, by another process.
func (s *stage) swept() int {
	s.Helper()
	n, err := s.sweeper().Sweep(context.Background())
	if err != nil {
		s.Errorf("sweeping: %v", err)
	}
	return n
}

// holdRow has an open transaction change a row.
func (s *stage) holdRow(key string) (release func()) {
	s.Helper()
	return s.hold(key, "UPDATE idem_claims SET origin = 'somebody' WHERE id = $1")
}

// holdEntry has an open transaction insert a row: nobody sees it, and the key is taken until it is known whether it comes to be.
func (s *stage) holdEntry(key string) (release func()) {
	s.Helper()
	return s.hold(key, `INSERT INTO idem_claims (id, owner, fence, lease_until, claimed_at, attempt, lapses, state, abandoned, fingerprint, operation, scope)
		VALUES ($1, gen_random_uuid(), 0, clock_timestamp() + interval '1 minute', clock_timestamp(), 1, 0, 1, false, '\x01', 'somebody', '')`)
}

// holdTable has an open transaction keep everybody else from writing, for which a step waits as long as it may.
func (s *stage) holdTable() (release func()) {
	s.Helper()
	return s.holdBy(func(ctx context.Context, c *pgx.Conn) error {
		_, err := c.Exec(ctx, "LOCK TABLE idem_claims IN SHARE MODE")
		return err
	})
}

// hold executes sql with the row's id in a transaction that is rolled back by release, by the end of the test, or with its connection.
func (s *stage) hold(key, sql string) (release func()) {
	s.Helper()
	return s.holdBy(func(ctx context.Context, c *pgx.Conn) error {
		tag, err := c.Exec(ctx, sql, rowID(key))
		if err == nil && tag.RowsAffected() != 1 {
			err = fmt.Errorf("%d rows", tag.RowsAffected())
		}
		return err
	})
}

func (s *stage) holdBy(take func(context.Context, *pgx.Conn) error) (release func()) {
	s.Helper()
	ctx := context.Background()
	c, err := pgx.Connect(ctx, s.dsn)
	if err != nil {
		s.Fatal(err)
	}
	release = sync.OnceFunc(func() { _ = c.Close(ctx) })
	s.Cleanup(release)
	if _, err := c.Exec(ctx, "BEGIN"); err != nil {
		s.Fatal(err)
	}
	if err := take(ctx, c); err != nil {
		s.Fatalf("holding: %v", err)
	}
	return release
}

// awaitHeld blocks until n statements that contain sql wait for a lock.
func (s *stage) awaitHeld(n int, sql string) {
	s.Helper()
	s.eventually("a statement that is held: "+sql, func() (held bool) {
		err := s.pool.QueryRow(context.Background(), `SELECT count(*) >= $1 FROM pg_stat_activity
			WHERE datname = current_database() AND backend_type = 'client backend' AND wait_event_type = 'Lock' AND position($2 in query) > 0`, n, sql).Scan(&held)
		return err == nil && held
	})
}
