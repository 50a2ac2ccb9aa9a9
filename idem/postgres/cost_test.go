package postgres_test

import (
	"context"
	"fmt"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/postgres"
	"github.com/idemgen/idemgen/internal/pgtest"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// This file is what calls cost: round trips, statements, transactions that write, and WAL. It has a durable server of its own, on which nothing
// else writes; WAL is measured by positions, because the server's statistics lag behind.

// meter counts what goes over a pool's connections.
type meter struct {
	trips      atomic.Int64
	statements atomic.Int64
	look       *pgx.Conn
}

// reading is a state of the meter, or the difference of two.
type reading struct{ trips, statements, writes, wal int64 }

func (m *meter) read(t *testing.T) (r reading) {
	t.Helper()
	r.trips, r.statements = m.trips.Load(), m.statements.Load()
	err := m.look.QueryRow(t.Context(), `SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint, (pg_current_wal_insert_lsn() - '0/0')::bigint`).
		Scan(&r.writes, &r.wal)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// cost is what f costs, n times over.
func (m *meter) cost(t *testing.T, n int, f func(i int)) reading {
	t.Helper()
	before := m.read(t)
	for i := range n {
		f(i)
	}
	after := m.read(t)
	return reading{after.trips - before.trips, after.statements - before.statements, after.writes - before.writes, after.wal - before.wal}
}

func (r reading) String(n int) string {
	each := func(x int64) float64 { return float64(x) / float64(n) }
	return fmt.Sprintf("%.2f round trips, %.2f statements, %.2f writing transactions, %.0f bytes of WAL",
		each(r.trips), each(r.statements), each(r.writes), each(r.wal))
}

// TraceBatchStart counts the statements of a batch, begin and commit left out.
func (m *meter) TraceBatchStart(ctx context.Context, _ *pgx.Conn, d pgx.TraceBatchStartData) context.Context {
	m.statements.Add(int64(d.Batch.Len()) - 2)
	return ctx
}

func (m *meter) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}
func (m *meter) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData)     {}

func (m *meter) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	m.statements.Add(1)
	return ctx
}
func (m *meter) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// countedConn counts a round trip each time its reader turns to what the server says to something that was written.
type countedConn struct {
	net.Conn
	meter *meter
	asked atomic.Bool
}

func (c *countedConn) Write(b []byte) (int, error) {
	c.asked.Store(true)
	return c.Conn.Write(b)
}

func (c *countedConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if c.asked.Swap(false) {
		c.meter.trips.Add(1)
	}
	return n, err
}

// measured is an engine on a durable server of its own, with one connection, all of whose traffic the meter sees.
func measured(t *testing.T) (*idem.Engine, *bench, *meter) {
	t.Helper()
	server, err := pgtest.Start(t.Context(), pgtest.Options{Durable: true, Settings: map[string]string{
		"wal_level": "minimal", "max_wal_senders": "0", // else the server now and then writes for standbys
		"autovacuum": "off", "checkpoint_timeout": "1h", "max_wal_size": "4GB",
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Stop(); err != nil {
			t.Error(err)
		}
	})
	m := &meter{}
	if m.look, err = pgx.Connect(t.Context(), server.DSN()); err != nil {
		t.Fatal(err)
	}
	b := &bench{dsn: server.DSN(), look: pgtest.PoolOf(t, server.DSN())}
	if err := postgres.Migrate(t.Context(), b.look); err != nil {
		t.Fatal(err)
	}
	b.pool = pgtest.PoolOf(t, b.dsn, func(c *pgxpool.Config) {
		c.MaxConns = 1
		c.ConnConfig.Tracer = m
		dial := c.ConnConfig.DialFunc
		c.ConnConfig.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := dial(ctx, network, address)
			return &countedConn{Conn: conn, meter: m}, err
		}
	})
	b.Store = postgres.NewStore(b.pool)
	engine, err := idem.New(b.Store)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = engine.Close() })
	return engine, b, m
}

func TestPC1_AReplayWritesNothing(t *testing.T) {
	t.Parallel()
	engine, b, m := measured(t)
	const calls = 200
	op := &idem.Operation[string]{Name: "example.com/shop.Payments.Charge", Lease: time.Hour}
	result := strings.Repeat("x", 98) // 100 bytes as JSON
	call := func(from int) func(int) {
		return func(i int) {
			_, err := idem.Do(t.Context(), engine, op, idem.Call[string]{
				Key: idem.StringKey(fmt.Sprintf("order-%d", from+i)),
				Run: func(context.Context) (string, error) { return result, nil },
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	call(-1)(0) // prepares the statements
	first := m.cost(t, calls, call(0))
	m.cost(t, calls, call(0)) // the first readers of a page may tidy it up
	replay := m.cost(t, calls, call(0))
	c, _ := b.won(t)
	renew := func(int) { b.renewed(t, c) }
	renew(0) // connects
	renewal := m.cost(t, calls, renew)
	t.Attr("renewal", renewal.String(calls))
	t.Attr("first-call", first.String(calls))
	t.Attr("replay", replay.String(calls))
	if want := (reading{trips: calls, statements: 2 * calls}); replay != want {
		t.Errorf("a replay is one round trip that reads; %d of them: %+v", calls, replay)
	}
	if first.trips != 2*calls || first.statements != 3*calls || first.writes != 2*calls {
		t.Errorf("a first call is a claim, a read and a complete, in two round trips and two commits; %d of them: %+v", calls, first)
	}
	if renewal.trips != calls || renewal.writes != calls {
		t.Errorf("a renewal is one round trip and one commit; %d of them: %+v", calls, renewal)
	}
	if limit := int64(1000 * calls); first.wal > limit {
		t.Errorf("%d bytes of WAL, at most %d were expected", first.wal, limit)
	}
}
