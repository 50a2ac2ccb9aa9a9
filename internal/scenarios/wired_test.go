package scenarios

import (
	"context"
	"errors"
	"net"
	"strconv"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
	"github.com/idemgen/idemgen/idem/postgres"
	"github.com/idemgen/idemgen/internal/pgtest"
)

// This file is the stage for lost answers: two processes on one database, of which one reaches it through a proxy that the test
// controls, and the other one directly. Both run the same method.

// The statements of the steps, as an injection finds them.
const (
	sqlClaim      = "-- name: Claim "
	sqlTakeOver   = "-- name: TakeOver "
	sqlReclaim    = "-- name: Reclaim "
	sqlHoldLapsed = "-- name: HoldLapsed "
	sqlRenew      = "-- name: Renew "
	sqlComplete   = "-- name: Complete "
	sqlRelease    = "-- name: Release "
	sqlAbandon    = "-- name: Abandon "
	sqlRead       = "-- name: Read "
)

// wired is a stage whose engine is behind a proxy, and another process.
type wired struct {
	*stage
	cut         *idemtest.Cut
	other       *idem.Engine // the other process; it has the stage's pool, a direct one
	otherEvents *events
}

func newWired(t testing.TB, dsn string, opts ...idem.Option) *wired {
	t.Helper()
	w := &wired{stage: stageOn(t, dsn, nil)}
	w.other, w.otherEvents, w.events = w.engine, w.events, &events{}
	wire, cut := throughCut(t, dsn)
	w.cut = cut
	w.engine = newEngine(t, postgres.NewStore(wire), append(opts, idem.WithObserver(w.events))...)
	return w
}

// throughCut is a pool that reaches its database through a proxy.
func throughCut(t testing.TB, dsn string, edit ...func(*pgxpool.Config)) (pool *pgxpool.Pool, cut *idemtest.Cut) {
	t.Helper()
	pool = pgtest.PoolOf(t, dsn, append(edit, func(c *pgxpool.Config) {
		_, server := pgconn.NetworkAddress(c.ConnConfig.Host, c.ConnConfig.Port)
		cut = idemtest.NewCut(t, server)
		host, port, _ := net.SplitHostPort(cut.Addr())
		number, _ := strconv.Atoi(port)
		c.ConnConfig.Host, c.ConnConfig.Port, c.ConnConfig.Fallbacks = host, uint16(number), nil
	})...)
	return pool, cut
}

// callOther is a call in the other process.
func (w *wired) callOther(ctx context.Context, op *idem.Operation[string], key, arg string) (string, error) {
	return idem.Do(ctx, w.other, op, w.request(key, arg))
}

// refusesOthers fails the test unless a call in the other process is told that the key is in flight.
func (w *wired) refusesOthers(key, when string) {
	w.Helper()
	out, err := w.callOther(context.Background(), with(conflict), key, "a")
	if !errors.Is(err, idem.ErrInFlight) {
		w.Errorf("%s another process got %q, %v; want in flight", when, out, err)
	}
}

// whole is all of the row with a key, as text; empty: there is none.
func (s *stage) whole(key string) (text string) {
	s.Helper()
	err := s.pool.QueryRow(context.Background(), "SELECT coalesce(min(c::text), '') FROM idem_claims c WHERE key = $1", key).Scan(&text)
	if err != nil {
		s.Fatal(err)
	}
	return text
}

// leave plays a run of the other process that leaves charge's key behind: as a process that died does, past its lease; or
// done and expired. It counts as a run.
func (w *wired) leave(key string, state idem.State) {
	w.Helper()
	method := w.method
	defer func() { w.method = method }()
	dead := errors.New("dead")
	w.method = func(context.Context, int64) (string, error) {
		if state == idem.StateDone {
			return "expired", nil
		}
		return "", idem.Unknown(dead)
	}
	if _, err := w.callOther(context.Background(), &charge, key, "a"); err != nil && !errors.Is(err, dead) {
		w.Fatal(err)
	}
	if state == idem.StateDone {
		w.age(key, 2*defaultTTL)
		return
	}
	id := idem.RowID(idem.Ref{Operation: charge.Name, Key: key})
	if _, err := w.pool.Exec(context.Background(), "UPDATE idem_claims SET abandoned = false WHERE id = $1", [16]byte(id)); err != nil {
		w.Fatal(err)
	}
}

// defaultTTL is for how long an outcome is kept where the operation says nothing.
const defaultTTL = 24 * time.Hour
