package scenarios

import (
	"context"
	"io"
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

// This file is where scenarios get between two things that the runtime does: between two steps of a call, between the store and its
// database, and beside the statements, to count them. And it is contexts whose deadline passes when a test says so.

// interposed is the real store, with something that happens before and after its steps. Either function may be nil.
type interposed struct {
	idem.Store
	before, after func(idemtest.Step)
}

func (i interposed) around(step idemtest.Step) (done func()) {
	if i.before != nil {
		i.before(step)
	}
	return func() {
		if i.after != nil {
			i.after(step)
		}
	}
}

func (i interposed) Claim(ctx context.Context, c idem.Claim) (idem.Row, error) {
	defer i.around(idemtest.StepClaim)()
	return i.Store.Claim(ctx, c)
}

func (i interposed) TakeOver(ctx context.Context, c idem.Claim, seen idem.Owner) (idem.Row, error) {
	defer i.around(idemtest.StepTakeOver)()
	return i.Store.TakeOver(ctx, c, seen)
}

func (i interposed) Reclaim(ctx context.Context, c idem.Claim, seen idem.Owner) (idem.Row, error) {
	defer i.around(idemtest.StepReclaim)()
	return i.Store.Reclaim(ctx, c, seen)
}

func (i interposed) HoldLapsed(ctx context.Context, id idem.ID, seen idem.Owner) (idem.Row, error) {
	defer i.around(idemtest.StepHoldLapsed)()
	return i.Store.HoldLapsed(ctx, id, seen)
}

func (i interposed) Complete(ctx context.Context, o idem.Outcome) (idem.Row, error) {
	defer i.around(idemtest.StepComplete)()
	return i.Store.Complete(ctx, o)
}

func (i interposed) Close() error { return i.Store.(io.Closer).Close() }

// interpose gives the stage an engine whose store has something between its steps.
func (s *stage) interpose(before, after func(idemtest.Step), opts ...idem.Option) {
	s.Helper()
	store := interposed{postgres.NewStore(s.pool), before, after}
	s.engine = newEngine(s, store, append(opts, idem.WithObserver(s.events))...)
}

// proxy gives the stage an engine that reaches the database through a proxy. The stage looks at the rows past it.
func (s *stage) proxy(opts ...idem.Option) *idemtest.Cut {
	s.Helper()
	var cut *idemtest.Cut
	pool := pgtest.PoolOf(s, s.dsn, func(c *pgxpool.Config) {
		_, server := pgconn.NetworkAddress(c.ConnConfig.Host, c.ConnConfig.Port)
		cut = idemtest.NewCut(s, server)
		host, port, _ := net.SplitHostPort(cut.Addr())
		number, _ := strconv.Atoi(port)
		c.ConnConfig.Host, c.ConnConfig.Port, c.ConnConfig.Fallbacks = host, uint16(number), nil
	})
	s.engine = newEngine(s, postgres.NewStore(pool), append(opts, idem.WithObserver(s.events))...)
	return cut
}

// statementCount counts the statements that go over a pool's connections, begin and commit included.
type statementCount struct {
	mu   sync.Mutex
	sent []string
}

func (c *statementCount) add(sql string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sent = append(c.sent, sql)
}

// take returns what was sent since it was asked last.
func (c *statementCount) take() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	sent := c.sent
	c.sent = nil
	return sent
}

func (c *statementCount) TraceQueryStart(ctx context.Context, _ *pgx.Conn, d pgx.TraceQueryStartData) context.Context {
	c.add(d.SQL)
	return ctx
}

func (c *statementCount) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

func (c *statementCount) TraceBatchStart(ctx context.Context, _ *pgx.Conn, d pgx.TraceBatchStartData) context.Context {
	for _, q := range d.Batch.QueuedQueries {
		c.add(q.SQL)
	}
	return ctx
}

func (c *statementCount) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}
func (c *statementCount) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData)     {}

// countStatements gives the stage an engine whose statements are counted.
func (s *stage) countStatements(opts ...idem.Option) *statementCount {
	s.Helper()
	count := &statementCount{}
	pool := pgtest.PoolOf(s, s.dsn, func(c *pgxpool.Config) { c.ConnConfig.Tracer = count })
	s.engine = newEngine(s, postgres.NewStore(pool), append(opts, idem.WithObserver(s.events))...)
	return count
}

// ender is a context and how it ends: by being cancelled, or because its deadline passes.
type ender struct {
	context.Context
	end func()
	err error // what it ends with
}

// enders are both kinds.
var enders = map[string]func(testing.TB) ender{
	"cancelled": func(t testing.TB) ender {
		ctx, cancel := context.WithCancel(t.Context())
		return ender{ctx, cancel, context.Canceled}
	},
	"past its deadline": func(t testing.TB) ender {
		ctx := &timed{Context: t.Context(), passed: make(chan struct{})}
		return ender{ctx, sync.OnceFunc(func() { close(ctx.passed) }), context.DeadlineExceeded}
	},
}

// timed is a context whose deadline passes when the test says so.
type timed struct {
	context.Context
	passed chan struct{}
}

func (c *timed) Done() <-chan struct{} { return c.passed }

func (c *timed) Err() error {
	select {
	case <-c.passed:
		return context.DeadlineExceeded
	default:
		return nil
	}
}
