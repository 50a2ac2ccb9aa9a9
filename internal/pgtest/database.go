package pgtest

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// This file is what tests use: one server a binary, one database a test.

const (
	startWithin   = 60 * time.Second
	connectWithin = 30 * time.Second
)

// shared is the binary's server, or the one it was pointed to.
var shared struct {
	once   sync.Once
	server *Server
	dsn    string
	err    error
}

// Main runs the tests of a package, stops the server they used, and exits.
func Main(m *testing.M) {
	code := m.Run()
	if shared.server != nil {
		if err := shared.server.Stop(); err != nil {
			fmt.Fprintln(os.Stderr, "stopping the test server:", err)
			code = 1
		}
	}
	os.Exit(code)
}

// Pool gives the test a database of its own and a pool for it, closed with the test. Edit changes the pool's configuration before it
// opens. It is an error of the test to end with a connection in use.
func Pool(t testing.TB, edit ...func(*pgxpool.Config)) *pgxpool.Pool {
	t.Helper()
	return PoolOf(t, Database(t), edit...)
}

// PoolOf is Pool for a database that is there, of Database.
func PoolOf(t testing.TB, dsn string, edit ...func(*pgxpool.Config)) *pgxpool.Pool {
	t.Helper()
	cfg, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		t.Fatal("the database's address does not parse")
	}
	cfg.MaxConns = 20
	for _, f := range edit {
		f(cfg)
	}
	pool, err := pgxpool.NewWithConfig(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closePool(t, pool) })
	return pool
}

// closePool waits for the pool's connections to come back, but not for ever.
func closePool(t testing.TB, pool *pgxpool.Pool) {
	closed := make(chan struct{})
	go func() {
		pool.Close()
		close(closed)
	}()
	select {
	case <-closed:
	case <-time.After(connectWithin):
		t.Errorf("%d connections were never given back to the pool", pool.Stat().AcquiredConns())
	}
}

// Database makes an empty database, dropped with the test, and returns its connection string. Settings are its own
// defaults, as in ALTER DATABASE … SET; give them as name=value.
func Database(t testing.TB, settings ...string) string {
	t.Helper()
	admin := adminDSN(t)
	name := create(t, admin, settings)
	t.Cleanup(func() { execute(t, admin, "DROP DATABASE "+name+" WITH (FORCE)") })
	return withDatabase(admin, name)
}

// Database is the function of that name for a server of the test's own. The database goes with the server.
func (s *Server) Database(t testing.TB, settings ...string) string {
	t.Helper()
	return withDatabase(s.DSN(), create(t, s.DSN(), settings))
}

// create makes a database, on the server of the connection string admin.
func create(t testing.TB, admin string, settings []string) (name string) {
	t.Helper()
	name = "idemgen_test_" + strings.ToLower(rand.Text())
	execute(t, admin, "CREATE DATABASE "+name)
	for _, s := range settings {
		setting, value, _ := strings.Cut(s, "=")
		execute(t, admin, fmt.Sprintf("ALTER DATABASE %s SET %s = '%s'", name, setting, value))
	}
	return name
}

// withDatabase is the connection string dsn, a URL or a list of keywords, with another database.
func withDatabase(dsn, name string) string {
	u, err := url.Parse(dsn)
	if err != nil || u.Scheme == "" {
		return dsn + " dbname=" + name
	}
	u.Path = "/" + name
	return u.String()
}

func adminDSN(t testing.TB) string {
	t.Helper()
	shared.once.Do(func() {
		if shared.dsn = os.Getenv("IDEMGEN_TEST_DATABASE_URL"); shared.dsn != "" {
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), startWithin)
		defer cancel()
		if shared.server, shared.err = Start(ctx, Options{}); shared.err == nil {
			shared.dsn = shared.server.DSN()
		}
	})
	if shared.err != nil {
		t.Fatal("this test needs a Postgres server: ", shared.err)
	}
	return shared.dsn
}

func execute(t testing.TB, dsn, sql string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), connectWithin)
	defer cancel()
	c, err := pgx.Connect(ctx, dsn)
	if err != nil {
		t.Fatal("connecting to the test server: ", err)
	}
	defer c.Close(ctx)
	if _, err := c.Exec(ctx, sql); err != nil {
		t.Fatal(err)
	}
}
