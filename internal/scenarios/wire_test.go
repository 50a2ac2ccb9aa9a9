package scenarios

import (
	"context"
	"errors"
	"net"
	"strconv"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
	"github.com/idemgen/idemgen/idem/postgres"
	"github.com/idemgen/idemgen/internal/pgtest"
)

// This file is what goes between an engine and its database: a proxy that the test controls, on which answers get lost, with
// another process that reaches the database directly; and tracers, which hear of every statement.

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

// behindCut gives the stage an engine that reaches the database through a proxy. The stage looks at the rows past it.
func (s *stage) behindCut(opts ...idem.Option) *idemtest.Cut {
	s.Helper()
	pool, cut := throughCut(s, s.dsn)
	s.worksOn(postgres.NewStore(pool), opts...)
	return cut
}

// wired is a stage whose engine is behind a proxy, and another process that runs the same method.
type wired struct {
	*stage
	cut   *idemtest.Cut
	other *stage // it reaches the database directly, and has events of its own
}

func newWired(t testing.TB, dsn string, opts ...idem.Option) *wired {
	t.Helper()
	w := &wired{stage: stageOn(t, dsn, nil)}
	w.other, w.events = w.twin(), &events{}
	w.cut = w.behindCut(opts...)
	return w
}

// refusesOthers fails the test unless a call in the other process is told that the key is in flight.
func (w *wired) refusesOthers(key, when string) {
	w.Helper()
	out, err := w.other.call(context.Background(), with(conflict), key, "a")
	if !errors.Is(err, idem.ErrInFlight) {
		w.Errorf("%s another process got %q, %v; want in flight", when, out, err)
	}
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
	if _, err := w.other.call(context.Background(), &charge, key, "a"); err != nil && !errors.Is(err, dead) {
		w.Fatal(err)
	}
	if state == idem.StateDone {
		w.age(key, 2*defaultTTL)
		return
	}
	w.editRow(key, "abandoned = false")
}

// tracer is called with the statements of every batch that a pool sends, and with every statement that is sent alone.
type tracer func(ctx context.Context, batch bool, sent ...string)

func traced(t tracer) func(*pgxpool.Config) {
	return func(c *pgxpool.Config) { c.ConnConfig.Tracer = t }
}

func (t tracer) TraceBatchStart(ctx context.Context, _ *pgx.Conn, d pgx.TraceBatchStartData) context.Context {
	var sent []string
	for _, q := range d.Batch.QueuedQueries {
		sent = append(sent, q.SQL)
	}
	t(ctx, true, sent...)
	return ctx
}

func (t tracer) TraceQueryStart(ctx context.Context, _ *pgx.Conn, d pgx.TraceQueryStartData) context.Context {
	t(ctx, false, d.SQL)
	return ctx
}

func (tracer) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}
func (tracer) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData)     {}
func (tracer) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData)     {}

// statements are those that go over a pool's connections, begin and commit included.
type statements struct {
	mu   sync.Mutex
	sent []string
}

// take returns what was sent since it was asked last.
func (c *statements) take() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	sent := c.sent
	c.sent = nil
	return sent
}

// countStatements gives the stage an engine whose statements are counted.
func (s *stage) countStatements(opts ...idem.Option) *statements {
	s.Helper()
	count := &statements{}
	pool := pgtest.PoolOf(s, s.dsn, traced(func(_ context.Context, _ bool, sent ...string) {
		count.mu.Lock()
		defer count.mu.Unlock()
		count.sent = append(count.sent, sent...)
	}))
	s.worksOn(postgres.NewStore(pool), opts...)
	return count
}
