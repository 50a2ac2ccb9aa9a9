package scenarios

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/postgres"
	"github.com/idemgen/idemgen/internal/pgtest"
)

// This file is about a database that can't be reached any more, for every reason there is on the way to it. Before the method that is an error
// in time, which says what it is, and no run; after it the caller gets his result, and the outcome is stored when the database is back.

// obstacle is a reason why no connection can be made.
type obstacle struct {
	name      string
	spoil     func(*testing.T) func(*pgx.ConnConfig)
	reason    string
	temporary bool
}

var obstacles = []obstacle{
	{"nobody listens", func(t *testing.T) func(*pgx.ConnConfig) {
		return func(c *pgx.ConnConfig) {
			c.DialFunc = func(context.Context, string, string) (net.Conn, error) {
				return nil, &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
			}
		}
	}, "can't be reached", true},
	{"it accepts and says nothing", func(t *testing.T) func(*pgx.ConnConfig) {
		port := listener(t)
		return func(c *pgx.ConnConfig) { c.Port = port }
	}, "did not answer in time", true},
	{"its name is unknown", func(*testing.T) func(*pgx.ConnConfig) {
		return lookedUp(func(context.Context, string) ([]string, error) {
			return nil, &net.DNSError{Err: "no such host", Name: "database", IsNotFound: true}
		})
	}, "can't be reached", true},
	{"the name server says nothing", func(*testing.T) func(*pgx.ConnConfig) {
		return lookedUp(func(ctx context.Context, _ string) ([]string, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		})
	}, "did not answer in time", true},
	{"the password was changed", func(*testing.T) func(*pgx.ConnConfig) {
		return func(c *pgx.ConnConfig) { c.Password = "of last week" }
	}, "refused the login (SQLSTATE 28P01)", false},
	{"the user was dropped", func(*testing.T) func(*pgx.ConnConfig) {
		return func(c *pgx.ConnConfig) { c.User = "of_last_week" }
	}, "refused the login (SQLSTATE 28", false},
	{"the database was dropped", func(*testing.T) func(*pgx.ConnConfig) {
		return func(c *pgx.ConnConfig) { c.Database = "of_last_week" }
	}, "there is no such database (SQLSTATE 3D000)", false},
	{"it does not speak TLS", func(*testing.T) func(*pgx.ConnConfig) {
		return func(c *pgx.ConnConfig) {
			c.TLSConfig = &tls.Config{ServerName: "database", MinVersion: tls.VersionTLS12}
		}
	}, "can't be reached", true},
}

func lookedUp(by func(context.Context, string) ([]string, error)) func(*pgx.ConnConfig) {
	return func(c *pgx.ConnConfig) { c.Host, c.LookupFunc = "database.invalid", by }
}

// listener is a port at which somebody accepts connections and says nothing.
func listener(t *testing.T) (port uint16) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return uint16(l.Addr().(*net.TCPAddr).Port)
}

// patienceWithStore is the store timeout of the engines here, and soon what they must have answered in.
const (
	patienceWithStore = 900 * time.Millisecond
	soon              = 5 * time.Second
)

// cutOff is a stage whose engine loses the database at lose, and finds it again at find.
func cutOff(t *testing.T, server *pgtest.Server, o obstacle) (s *stage, lose, find func()) {
	t.Helper()
	var lost atomic.Bool
	spoil := o.spoil(t)
	s = stageOn(t, server.Database(t), nil)
	pool := pgtest.PoolOf(t, s.dsn, func(c *pgxpool.Config) {
		c.BeforeConnect = func(_ context.Context, c *pgx.ConnConfig) error {
			c.Fallbacks = nil
			if lost.Load() {
				spoil(c)
			}
			return nil
		}
	})
	s.worksOn(postgres.NewStore(pool), idem.WithStoreTimeout(patienceWithStore))
	change := func(to bool) func() {
		return func() {
			lost.Store(to)
			pool.Reset()
		}
	}
	return s, change(true), change(false)
}

func TestUnreachable_NothingRunsAndTheAnswerComesInTimeAndSaysWhy(t *testing.T) {
	t.Parallel()
	server := privateServer(t, nil)
	t.Run("", func(t *testing.T) {
		for _, o := range obstacles {
			t.Run(o.name, func(t *testing.T) {
				t.Parallel()
				s, lose, find := cutOff(t, server, o)
				s.wantAnswer(s.insist(&charge, "done", "a"), "ran 1", nil)
				lose()
				for _, key := range []string{"fresh", "done"} {
					began := time.Now()
					_, err := s.call(t.Context(), &charge, key, "a")
					e := wantErr(t, err, idem.ErrStore)
					if !strings.Contains(e.Reason, o.reason) || e.Reason == "" || (e.RetryAfter > 0) != o.temporary {
						t.Errorf("the error says %+v", e)
					}
					if strings.Contains(err.Error(), "127.0.0.1") || strings.Contains(err.Error(), "database.invalid") {
						t.Errorf("the error says where the database is: %v", err)
					}
					if took := time.Since(began); took > soon {
						t.Errorf("it took %v", took)
					}
				}
				s.wantRuns(1)
				find()
				s.wantAnswer(s.insist(&charge, "done", "a"), "ran 1", nil)
				s.wantAnswer(s.insist(&charge, "fresh", "a"), "ran 2", nil)
				s.wantRuns(2)
			})
		}
	})
}

func TestUnreachable_AnOutcomeOfThatTimeIsStoredWhenTheDatabaseIsBack(t *testing.T) {
	t.Parallel()
	server := privateServer(t, nil)
	t.Run("", func(t *testing.T) {
		for _, o := range obstacles {
			t.Run(o.name, func(t *testing.T) {
				t.Parallel()
				s, lose, find := cutOff(t, server, o)
				gate := s.gated()
				ctx, info := idem.WithInfo(t.Context())
				call := s.async(ctx, &charge, "k", "a")
				gate.Await(t, 1)
				lose()
				began := time.Now()
				gate.Open()
				s.wantAnswer(<-call, "charged", nil)
				if took := time.Since(began); took > soon {
					t.Errorf("the caller waited for %v", took)
				}
				if info.Stored || s.events.count(idem.EventCompleteFailed) == 0 || s.events.count(idem.EventReleased) != 0 {
					t.Errorf("%+v; events: %v", info, s.events.kinds())
				}
				other := s.process(s.pool) // a process that has the database
				if _, err := other.call(t.Context(), with(conflict), "k", "a"); !errors.Is(err, idem.ErrInFlight) {
					t.Errorf("a duplicate elsewhere got %v", err)
				}
				find()
				s.await(idem.EventCompleted, 1)
				s.wantAnswer(other.insist(&charge, "k", "a"), "charged", nil)
				s.wantRuns(1)
				other.wantRuns(0)
			})
		}
	})
}
