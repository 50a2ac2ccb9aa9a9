package postgres_test

import (
	"context"
	"errors"
	"net"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
	"github.com/idemgen/idemgen/idem/postgres"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// This file is what the engine hears when a step fails: whether it may have been applied, whether to send it again, and a reason that gives
// nothing away.

// is checks an error of the store for the claim c.
func is(t *testing.T, err error, temporary, notApplied bool, reason string, c idem.Claim) {
	t.Helper()
	e, ok := errors.AsType[*idem.StoreError](err)
	switch {
	case !ok:
		t.Fatalf("got %v", err)
	case e.Temporary != temporary || e.NotApplied != notApplied || !strings.Contains(e.Reason, reason):
		t.Errorf("temporary %v, not applied %v: %s\n(%v)", e.Temporary, e.NotApplied, e.Reason, e.Err)
	}
	for _, secret := range []string{c.Ref.Key, "127.0.0.1", "postgres://", "password"} {
		if secret != "" && strings.Contains(err.Error(), secret) {
			t.Errorf("the reason says %q", secret)
		}
	}
}

func TestAFullPoolIsNamed(t *testing.T) {
	t.Parallel()
	for name, limit := range map[string]time.Duration{"by the store's limit": 50 * time.Millisecond, "by the context": 0} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, setup{
				pool:    func(c *pgxpool.Config) { c.MaxConns = 1 },
				options: []postgres.Option{postgres.WithAcquireTimeout(limit)},
			})
			conn, err := b.pool.Acquire(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Release()
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			if limit == 0 {
				ctx, cancel = context.WithTimeout(t.Context(), 50*time.Millisecond)
			}
			defer cancel()
			c := fresh()
			_, err = b.Claim(ctx, c)
			is(t, err, true, true, "all 1 of the pool are in use", c)
			if b.count(t) != 0 {
				t.Error("it was applied")
			}
		})
	}
}

func TestARefusedStatementIsNotAppliedAndKeepsItsConnection(t *testing.T) {
	t.Parallel()
	for _, mode := range modes {
		t.Run(mode.String(), func(t *testing.T) {
			t.Parallel()
			s := chosen("read committed", mode)
			s.database = append(s.database, "lock_timeout=50ms")
			b := newBench(t, s)
			c, _ := b.won(t)
			b.age(t, c.ID, 2*lease)
			opened := b.pool.Stat().NewConnsCount()
			unlock := b.lock(t, c.ID)
			_, err := b.TakeOver(t.Context(), rival(c), c.Owner)
			is(t, err, true, true, "locked", c)
			unlock()
			next := rival(c)
			if row, err := b.TakeOver(t.Context(), next, c.Owner); err != nil || row.Owner != next.Owner {
				t.Errorf("then: %v", err)
			}
			if again := b.pool.Stat().NewConnsCount(); again != opened {
				t.Errorf("%d connections were burnt", again-opened)
			}
		})
	}
}

func TestAReadOnlyDatabaseIsNoReasonToTryAgain(t *testing.T) {
	t.Parallel()
	b := newBench(t, setup{})
	b.exec(t, "ALTER DATABASE "+b.look.Config().ConnConfig.Database+" SET default_transaction_read_only = on")
	c := fresh()
	_, err := b.Claim(t.Context(), c)
	is(t, err, false, true, "read-only", c)
}

func TestADatabaseThatCantBeReachedWasNotTold(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		edit      func(*pgxpool.Config)
		temporary bool
		reason    string
	}{
		"nobody listens":   {func(c *pgxpool.Config) { c.ConnConfig.Port = closedPort(t) }, true, "can't be reached"},
		"no such user":     {func(c *pgxpool.Config) { c.ConnConfig.User = "nobody at all" }, false, "refused the login"},
		"no such database": {func(c *pgxpool.Config) { c.ConnConfig.Database = "nowhere" }, false, "no such database"},
		"a hook that fails": {func(c *pgxpool.Config) {
			c.BeforeConnect = func(context.Context, *pgx.ConnConfig) error { return errors.New("no password to be had") }
		}, true, "can't be reached"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, setup{pool: tt.edit})
			c := fresh()
			_, err := b.Claim(t.Context(), c)
			is(t, err, tt.temporary, true, tt.reason, c)
			_, err = b.Renew(t.Context(), []idem.Lease{{ID: c.ID, Owner: c.Owner, Lease: lease}})
			is(t, err, tt.temporary, true, tt.reason, c)
		})
	}
}

func TestAClosedPoolAndAnEndedContextAreNotApplied(t *testing.T) {
	t.Parallel()
	b := newBench(t, setup{})
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	c := fresh()
	_, err := b.Claim(ended, c)
	is(t, err, true, true, "cancelled", c)
	_, err = b.Renew(ended, []idem.Lease{{ID: c.ID, Owner: c.Owner, Lease: lease}})
	is(t, err, true, true, "cancelled", c)
	b.pool.Close()
	_, err = b.Claim(t.Context(), c)
	is(t, err, true, true, "can't be reached", c)
}

// TestD9_ALostAnswerMayHaveBeenApplied loses it to each kind of change, and sends the same again.
func TestD9_ALostAnswerMayHaveBeenApplied(t *testing.T) {
	t.Parallel()
	var cut *idemtest.Cut
	b := newBench(t, setup{pool: through(t, &cut)})
	ctx := t.Context()
	complete := func(c idem.Claim, row idem.Row) (bool, error) {
		row, err := b.Complete(ctx, outcome(c, row))
		return row.Owner == c.Owner && row.State == idem.StateDone, err
	}
	tests := []struct {
		name, sql string
		gone      bool // the row, before the step
		step      func(c idem.Claim, row idem.Row) (mine bool, err error)
	}{
		{"claim", "INSERT INTO idem_claims", true, func(c idem.Claim, _ idem.Row) (bool, error) {
			row, err := b.Claim(ctx, c)
			return row.Owner == c.Owner && row.State == idem.StateRunning, err
		}},
		{"complete", "UPDATE idem_claims", false, complete},
		{"complete of a row that is gone", "INSERT INTO idem_claims", true, complete},
		{"abandon", "UPDATE idem_claims", false, func(c idem.Claim, _ idem.Row) (bool, error) {
			next := c.Owner
			next[0]++
			changed, err := b.Abandon(ctx, idem.Abandonment{ID: c.ID, Owner: c.Owner, Next: next, Lapse: true})
			return changed && b.row(t, c.ID).Lapses == 1, err
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, row := b.won(t)
			if tt.gone {
				b.exec(t, "DELETE FROM idem_claims WHERE id = $1", c.ID.String())
			}
			fault := cut.Inject(tt.sql, idemtest.Fault{Do: idemtest.LoseAnswer})
			_, err := tt.step(c, row)
			is(t, err, true, false, "connection to the database was lost", c)
			if fault.Hits() != 1 {
				t.Fatal("no answer was lost")
			}
			if mine, err := tt.step(c, row); err != nil || !mine {
				t.Errorf("sent again: %v, %v", mine, err)
			}
		})
	}
}

func TestWhatCantBeStoredIsRefusedBeforeItIsSent(t *testing.T) {
	t.Parallel()
	s := postgres.NewStore(nil) // so that sending anything would panic
	long := strings.Repeat("x", 1025)
	claims := map[string]func(*idem.Claim){
		"no operation":        func(c *idem.Claim) { c.Ref.Operation = "" },
		"long operation":      func(c *idem.Claim) { c.Ref.Operation = long },
		"long scope":          func(c *idem.Claim) { c.Ref.Scope = long[:256] },
		"no key":              func(c *idem.Claim) { c.Ref.Key = "" },
		"long key":            func(c *idem.Claim) { c.Ref.Key = long[:256] },
		"NUL":                 func(c *idem.Claim) { c.Ref.Key = "a\x00b" },
		"not UTF-8":           func(c *idem.Claim) { c.Ref.Key = "a\xff" },
		"long origin":         func(c *idem.Claim) { c.Origin = long },
		"no fingerprint":      func(c *idem.Claim) { c.Fingerprint = nil },
		"long fingerprint":    func(c *idem.Claim) { c.Fingerprint = make([]byte, 65) },
		"an operation of NUL": func(c *idem.Claim) { c.Ref.Operation = "\x00" },
	}
	for name, spoil := range claims {
		t.Run(name, func(t *testing.T) {
			c := fresh()
			spoil(&c)
			for _, step := range []func() (idem.Row, error){
				func() (idem.Row, error) { return s.Claim(t.Context(), c) },
				func() (idem.Row, error) { return s.TakeOver(t.Context(), c, c.Owner) },
				func() (idem.Row, error) { return s.Reclaim(t.Context(), c, c.Owner) },
				func() (idem.Row, error) { return s.Complete(t.Context(), outcome(c, idem.Row{Attempt: 1})) },
			} {
				_, err := step()
				is(t, err, false, true, "", c)
			}
		})
	}
	outcomes := map[string]func(*idem.Outcome){
		"running":           func(o *idem.Outcome) { o.State = idem.StateRunning },
		"unknown":           func(o *idem.Outcome) { o.State = idem.StateUnknown },
		"a success's code":  func(o *idem.Outcome) { o.Code = "declined" },
		"no failure's code": func(o *idem.Outcome) { o.State = idem.StateFailed },
		"a long code":       func(o *idem.Outcome) { o.State, o.Code = idem.StateFailed, long },
		"no codec":          func(o *idem.Outcome) { o.Codec = "" },
		"no TTL":            func(o *idem.Outcome) { o.TTL = 0 },
		"attempt 0":         func(o *idem.Outcome) { o.Attempt = 0 },
	}
	for name, spoil := range outcomes {
		t.Run(name, func(t *testing.T) {
			o := outcome(fresh(), idem.Row{Attempt: 1})
			spoil(&o)
			_, err := s.Complete(t.Context(), o)
			is(t, err, false, true, "", o.Claim)
		})
	}
}

// through puts a proxy between a pool and its server.
func through(t *testing.T, cut **idemtest.Cut) func(*pgxpool.Config) {
	return func(c *pgxpool.Config) {
		t.Helper()
		_, server := pgconn.NetworkAddress(c.ConnConfig.Host, c.ConnConfig.Port)
		*cut = idemtest.NewCut(t, server)
		host, port, err := net.SplitHostPort((*cut).Addr())
		if err != nil {
			t.Fatal(err)
		}
		n, err := strconv.ParseUint(port, 10, 16)
		if err != nil {
			t.Fatal(err)
		}
		c.ConnConfig.Host, c.ConnConfig.Port, c.ConnConfig.Fallbacks = host, uint16(n), nil
	}
}

// closedPort is a port that nobody listens at.
func closedPort(t *testing.T) uint16 {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return uint16(l.Addr().(*net.TCPAddr).Port)
}
