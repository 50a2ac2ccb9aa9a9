package postgres_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
	"github.com/idemgen/idemgen/idem/postgres"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// This file is about the connection that renewals have to themselves. What renewals do is in the conformance suite.

// named gives the connections of the store under test a name, to tell them from the test's.
func named(c *pgxpool.Config) {
	c.MaxConns = 1
	c.ConnConfig.RuntimeParams["application_name"] = "store"
}

// connections is how many the store and its pool have.
func (b *bench) connections(t *testing.T) (n int) {
	t.Helper()
	b.get(t, "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'store' AND datname = current_database()", &n)
	return n
}

// comesTo waits until there are n: a server process ends a little later than its connection.
func (b *bench) comesTo(t *testing.T, n int) {
	t.Helper()
	for deadline := time.Now().Add(patience); b.connections(t) != n; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d connections, want %d", b.connections(t), n)
		}
	}
}

// renewed renews the lease of c.
func (b *bench) renewed(t *testing.T, c idem.Claim) {
	t.Helper()
	answers, err := b.Renew(t.Context(), []idem.Lease{{ID: c.ID, Owner: c.Owner, Lease: lease}})
	if err != nil || answers[0] != idem.RenewalDone {
		t.Fatalf("not renewed: %v, %v", answers, err)
	}
}

func TestPA6_AFullPoolDelaysNoRenewal(t *testing.T) {
	t.Parallel()
	b := newBench(t, setup{pool: named, options: []postgres.Option{postgres.WithAcquireTimeout(0)}})
	c, _ := b.won(t)
	conn, err := b.pool.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Release()
	b.renewed(t, c)
}

func TestTheConnectionForRenewalsComesAndGoesWithThem(t *testing.T) {
	t.Parallel()
	b := newBench(t, setup{pool: named})
	c, _ := b.won(t)
	b.comesTo(t, 1)
	for range 2 {
		b.renewed(t, c)
		b.renewed(t, c)
		b.comesTo(t, 2)
		b.DropIdle()
		b.comesTo(t, 1)
	}
	b.renewed(t, c)
	for range 2 {
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
		b.comesTo(t, 1)
	}
	b.renewed(t, c) // the pool is still the application's, and does for what goes on
	b.comesTo(t, 1)
}

func TestAStoreClosedDuringARenewalLeavesNoConnection(t *testing.T) {
	t.Parallel()
	var cut *idemtest.Cut
	b := newBench(t, setup{pool: func(c *pgxpool.Config) {
		named(c)
		through(t, &cut)(c)
	}})
	c, _ := b.won(t)
	gate := idemtest.NewGate(t)
	cut.Inject("SKIP LOCKED", idemtest.Fault{Do: idemtest.DelayAnswer, Gate: gate})
	idemtest.Callers(t, 2, func(i int) {
		if i == 0 {
			b.renewed(t, c)
			return
		}
		gate.Await(t, 1)
		if err := b.Close(); err != nil {
			t.Error(err)
		}
		gate.Open()
	})
	b.comesTo(t, 1)
}

func TestABrokenConnectionForRenewalsIsReplacedAtOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t, setup{pool: named})
	c, _ := b.won(t)
	b.renewed(t, c)
	b.exec(t, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'store' AND datname = current_database()")
	b.comesTo(t, 0)
	b.renewed(t, c)
	b.renewed(t, c)
}

func TestARefusedRenewalKeepsItsConnection(t *testing.T) {
	t.Parallel()
	var dialled atomic.Int32
	b := newBench(t, setup{pool: func(c *pgxpool.Config) {
		c.BeforeConnect = func(context.Context, *pgx.ConnConfig) error {
			dialled.Add(1)
			return nil
		}
	}})
	c, _ := b.won(t)
	b.renewed(t, c)
	before := dialled.Load()
	b.exec(t, "ALTER TABLE idem_claims RENAME TO away")
	_, err := b.Renew(t.Context(), []idem.Lease{{ID: c.ID, Owner: c.Owner, Lease: lease}})
	is(t, err, false, true, "postgres.Migrate", c)
	b.exec(t, "ALTER TABLE away RENAME TO idem_claims")
	b.renewed(t, c)
	if n := dialled.Load() - before; n != 0 {
		t.Errorf("connected %d times", n)
	}
}

func TestTheConnectionForRenewalsIsMadeAsThePools(t *testing.T) {
	t.Parallel()
	var before, after atomic.Int32
	b := newBench(t, setup{pool: func(c *pgxpool.Config) {
		named(c)
		password := c.ConnConfig.Password
		c.ConnConfig.Password = ""
		c.BeforeConnect = func(_ context.Context, c *pgx.ConnConfig) error {
			before.Add(1)
			c.Password = password
			return nil
		}
		c.AfterConnect = func(context.Context, *pgx.Conn) error {
			if after.Add(1) == 2 {
				return errors.New("not this one")
			}
			return nil
		}
	}})
	c, _ := b.won(t) // the first connection
	b.renewed(t, c)  // by the pool's, since its own is turned down
	b.comesTo(t, 1)
	b.renewed(t, c)
	b.comesTo(t, 2)
	if before.Load() != 3 || after.Load() != 3 {
		t.Errorf("BeforeConnect was called %d times, AfterConnect %d times", before.Load(), after.Load())
	}
}

func TestWhereNoConnectionOfItsOwnCanBeMadeARenewalTakesThePools(t *testing.T) {
	t.Parallel()
	for name, refusal := range map[string]error{
		"no room":     &pgconn.PgError{Code: "53300", Severity: "FATAL", SeverityUnlocalized: "FATAL", Message: "sorry, too many clients already"},
		"new secrets": &pgconn.PgError{Code: "28P01", Severity: "FATAL", SeverityUnlocalized: "FATAL", Message: "password authentication failed"},
		"a hook":      errors.New("the vault is sealed"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var dialled atomic.Int32
			b := newBench(t, setup{pool: func(c *pgxpool.Config) {
				named(c)
				c.BeforeConnect = func(context.Context, *pgx.ConnConfig) error {
					if dialled.Add(1) > 1 {
						return refusal
					}
					return nil
				}
			}})
			c, _ := b.won(t)
			b.renewed(t, c)
			if dialled.Load() != 2 {
				t.Errorf("connected %d times", dialled.Load())
			}
		})
	}
}

func TestATakeOverGivesALockedRowUpInTime(t *testing.T) {
	t.Parallel()
	b := newBench(t, setup{})
	c, row := b.won(t)
	b.age(t, c.ID, time.Hour)
	unlock := b.lock(t, c.ID)
	defer unlock()
	rival := c
	rival.Owner = idem.Owner{7}
	_, err := b.TakeOver(t.Context(), rival, row.Owner)
	is(t, err, true, true, "locked", c)
}

func TestARenewalDoesNotWaitBehindOneThatHangs(t *testing.T) {
	t.Parallel()
	var cut *idemtest.Cut
	b := newBench(t, setup{pool: through(t, &cut)})
	c, _ := b.won(t)
	gate := idemtest.NewGate(t)
	hung := cut.Inject("SKIP LOCKED", idemtest.Fault{Do: idemtest.DelayAnswer, Gate: gate})
	idemtest.Callers(t, 2, func(i int) {
		if i == 1 {
			gate.Await(t, 1)
			defer gate.Open()
		}
		b.renewed(t, c) // the second by the pool, or it would wait for the first for ever
	})
	if hung.Hits() != 1 {
		t.Errorf("%d renewals hung", hung.Hits())
	}
}
