package idemtest_test

import (
	"context"
	"errors"
	"net"
	"strconv"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/idem/idemtest"
	"github.com/idemgen/idemgen/internal/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

const insert = "INSERT INTO notes VALUES ($1)"

// wire is a database behind a proxy.
type wire struct {
	*testing.T
	*idemtest.Cut
	dsn    string
	direct *pgx.Conn
}

// newWire makes a database with a table, and a proxy to its server.
func newWire(t *testing.T) *wire {
	dsn := pgtest.Database(t)
	idemtest.NoLeaks(t) // from here on: the server is its neighbours', too
	w := &wire{T: t, dsn: dsn}
	w.direct = w.connect(dsn)
	cfg := w.direct.Config()
	address := net.JoinHostPort(cfg.Host, strconv.Itoa(int(cfg.Port)))
	if cfg.Host[0] == '/' {
		address = cfg.Host + "/.s.PGSQL." + strconv.Itoa(int(cfg.Port))
	}
	w.Cut = idemtest.NewCut(t, address)
	if _, err := w.direct.Exec(t.Context(), "CREATE TABLE notes (n int PRIMARY KEY)"); err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *wire) connect(dsn string, edit ...func(*pgx.ConnConfig)) *pgx.Conn {
	w.Helper()
	cfg, err := pgx.ParseConfig(dsn)
	if err != nil {
		w.Fatal("the database's address does not parse")
	}
	for _, f := range edit {
		f(cfg)
	}
	conn, err := pgx.ConnectConfig(w.Context(), cfg)
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

// through connects by way of the proxy.
func (w *wire) through(mode pgx.QueryExecMode) *pgx.Conn {
	w.Helper()
	host, port, _ := net.SplitHostPort(w.Addr())
	n, _ := strconv.Atoi(port)
	return w.connect(w.dsn, func(cfg *pgx.ConnConfig) {
		cfg.Host, cfg.Port, cfg.Fallbacks, cfg.DefaultQueryExecMode = host, uint16(n), nil, mode
	})
}

// notes is what the server has.
func (w *wire) notes() (n int) {
	w.Helper()
	if err := w.direct.QueryRow(w.Context(), "SELECT count(*) FROM notes").Scan(&n); err != nil {
		w.Fatal(err)
	}
	return n
}

func (w *wire) want(what string, got, want any) {
	w.Helper()
	if got != want {
		w.Errorf("%s = %v, want %v", what, got, want)
	}
}

var modes = []pgx.QueryExecMode{
	pgx.QueryExecModeCacheStatement, pgx.QueryExecModeCacheDescribe, pgx.QueryExecModeDescribeExec,
	pgx.QueryExecModeExec, pgx.QueryExecModeSimpleProtocol,
}

func TestCut_ActsOnTheRoundTripThatExecutesTheStatement(t *testing.T) {
	t.Parallel()
	for _, mode := range modes {
		t.Run(mode.String(), func(t *testing.T) {
			t.Parallel()
			w := newWire(t)
			w.actsOn(mode, idemtest.Refuse, true, 1, 0)
			w.actsOn(mode, idemtest.LoseAnswer, true, 2, 0)
			w.actsOn(mode, idemtest.ApplyLate, true, 1, 1)
			w.actsOn(mode, idemtest.Delay, false, 2, 0)
			w.actsOn(mode, idemtest.DelayAnswer, false, 2, 0)
		})
	}
}

// actsOn injects a fault into the second insert on a connection, and checks whether it fails, how many notes the server has
// then, and how many more when it lands.
func (w *wire) actsOn(mode pgx.QueryExecMode, do idemtest.Action, fails bool, notes, lands int) {
	w.Helper()
	ctx, conn := w.Context(), w.through(mode)
	i := w.Inject("INTO notes", idemtest.Fault{Do: do, Skip: 1})
	if _, err := conn.Exec(ctx, insert, 1); err != nil {
		w.Fatal(err)
	}
	var one int
	if err := conn.QueryRow(ctx, "SELECT 1").Scan(&one); err != nil {
		w.Fatal(err)
	}
	w.want("hits", i.Hits(), 0)
	_, err := conn.Exec(ctx, insert, 2)
	w.want("failed", err != nil, fails)
	w.want("closed", conn.IsClosed(), fails)
	w.want("hits", i.Hits(), 1)
	w.want("notes", w.notes(), notes)
	w.want("landed", i.Land(), lands)
	w.want("notes", w.notes(), notes+lands)
	if _, err := w.through(mode).Exec(ctx, insert, 3); err != nil {
		w.Error(err)
	}
	if _, err := w.direct.Exec(ctx, "DELETE FROM notes"); err != nil {
		w.Fatal(err)
	}
}

func TestCut_LosesTheAnswerToABatch(t *testing.T) {
	t.Parallel()
	w := newWire(t)
	conn := w.through(pgx.QueryExecModeCacheDescribe)
	batch := &pgx.Batch{}
	batch.Queue("begin isolation level read committed")
	batch.Queue(insert, 1)
	batch.Queue("SELECT n FROM notes")
	batch.Queue("commit")
	i := w.Inject("INTO notes", idemtest.Fault{Do: idemtest.LoseAnswer})
	if err := conn.SendBatch(t.Context(), batch).Close(); err == nil {
		t.Error("no error")
	}
	w.want("hits", i.Hits(), 1)
	w.want("notes", w.notes(), 1)
}

func TestCut_HoldsAtAGate(t *testing.T) {
	t.Parallel()
	for do, while := range map[idemtest.Action]int{idemtest.Delay: 0, idemtest.DelayAnswer: 1} {
		w := newWire(t)
		conn, gate, answer := w.through(pgx.QueryExecModeExec), idemtest.NewGate(t), make(chan error)
		w.Inject("INTO notes", idemtest.Fault{Do: do, Gate: gate})
		go func() { _, err := conn.Exec(t.Context(), insert, 1); answer <- err }()
		gate.Await(t, 1)
		w.want("notes meanwhile", w.notes(), while)
		gate.Open()
		if err := <-answer; err != nil {
			t.Error(err)
		}
		w.want("notes", w.notes(), 1)
	}
}

func TestCut_LetsCancellationsPass(t *testing.T) {
	t.Parallel()
	w := newWire(t)
	conn, ctx := w.through(pgx.QueryExecModeExec), t.Context()
	tx, err := w.direct.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(ctx, "LOCK TABLE notes"); err != nil {
		t.Fatal(err)
	}
	answer := make(chan error)
	go func() { _, err := conn.Exec(ctx, insert, 1); answer <- err }()
	for waiting := false; !waiting; {
		const asked = "SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted AND relation = 'notes'::regclass)"
		if err := tx.QueryRow(ctx, asked).Scan(&waiting); err != nil {
			t.Fatal(err)
		}
	}
	if err := conn.PgConn().CancelRequest(ctx); err != nil {
		t.Fatal(err)
	}
	if err := <-answer; err == nil || conn.IsClosed() {
		t.Errorf("error = %v, closed = %v; want the server's answer that it was cancelled", err, conn.IsClosed())
	}
	_ = tx.Rollback(ctx)
}

func TestCut_CutsAll(t *testing.T) {
	t.Parallel()
	w := newWire(t)
	conn := w.through(pgx.QueryExecModeExec)
	w.want("connections", w.Connections(), 1)
	w.CutAll()
	_, err := conn.Exec(t.Context(), insert, 1)
	w.want("failed", err != nil, true)
	w.want("notes", w.notes(), 0)
	_, err = w.through(pgx.QueryExecModeExec).Exec(t.Context(), insert, 1)
	w.want("error", err, error(nil))
}

func TestCut_ServerNotThere(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = listener.Close()
	conn, err := net.Dial("tcp", idemtest.NewCut(t, listener.Addr().String()).Addr())
	if err != nil {
		t.Fatal(err)
	}
	if n, err := conn.Read(make([]byte, 1)); n != 0 || err == nil || errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("read %d bytes, error %v; want the connection closed", n, err)
	}
}
