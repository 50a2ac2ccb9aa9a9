package pgtest_test

import (
	"context"
	"testing"
	"time"

	"github.com/idemgen/idemgen/internal/pgtest"
	"github.com/jackc/pgx/v5"
)

// This file tests what is done to a server of one's own: restarts, and standbys.

func TestARestartKeepsDataAndAddress(t *testing.T) {
	t.Parallel()
	s := start(t, pgtest.Options{})
	dsn := s.DSN()
	apply(t, dsn, "CREATE TABLE kept (n int)")
	for n, how := range []pgtest.Shutdown{pgtest.Fast, pgtest.Immediate} {
		apply(t, dsn, "INSERT INTO kept VALUES (1)")
		if err := s.Down(how); err != nil {
			t.Fatal(err)
		}
		if answers(dsn) {
			t.Error("it answers while it is down")
		}
		if err := s.Up(t.Context()); err != nil {
			t.Fatal(err)
		}
		var rows int
		query(t, s.DSN(), "SELECT count(*) FROM kept", &rows)
		if rows != n+1 || s.DSN() != dsn {
			t.Errorf("%d rows kept, at the same address: %t", rows, s.DSN() == dsn)
		}
	}
}

func TestARestartBreaksConnections(t *testing.T) {
	t.Parallel()
	s := start(t, pgtest.Options{})
	c, err := pgx.Connect(t.Context(), s.DSN())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(t.Context())
	if err := s.Restart(t.Context(), pgtest.Fast); err != nil {
		t.Fatal(err)
	}
	if c.Ping(t.Context()) == nil {
		t.Error("the connection outlived the server")
	}
}

func TestAStandbyFollowsAndIsReadOnlyUntilPromoted(t *testing.T) {
	t.Parallel()
	s := start(t, pgtest.Options{})
	apply(t, s.DSN(), "CREATE TABLE followed (n int); INSERT INTO followed VALUES (1)")
	standby := follow(t, s, pgtest.Options{})
	apply(t, s.DSN(), "INSERT INTO followed VALUES (2)")
	eventually(t, "the standby has what is new", func() bool { return count(t, standby.DSN()) == 2 })
	if try(standby.DSN(), "INSERT INTO followed VALUES (3)") == nil {
		t.Error("a standby took a write")
	}
	if err := standby.Promote(t.Context()); err != nil {
		t.Fatal(err)
	}
	apply(t, standby.DSN(), "INSERT INTO followed VALUES (3)")
}

func TestACommitWaitsForAHeldSynchronousStandby(t *testing.T) {
	t.Parallel()
	sync := pgtest.Options{Settings: map[string]string{"synchronous_commit": "on"}}
	s := start(t, sync)
	apply(t, s.DSN(), "CREATE TABLE followed (n int)")
	standby := follow(t, s, sync)
	for _, sql := range []string{"ALTER SYSTEM SET synchronous_standby_names = '*'", "SELECT pg_reload_conf()"} {
		apply(t, s.DSN(), sql)
	}
	eventually(t, "the standby is synchronous", func() bool {
		var state string
		query(t, s.DSN(), "SELECT coalesce(max(sync_state), '') FROM pg_stat_replication", &state)
		return state == "sync"
	})
	if err := standby.Hold(t.Context()); err != nil {
		t.Fatal(err)
	}
	written := make(chan error)
	go func() { written <- try(s.DSN(), "INSERT INTO followed VALUES (1)") }()
	eventually(t, "the commit waits", func() bool {
		var waiting int
		query(t, s.DSN(), "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'", &waiting)
		return waiting == 1
	})
	if err := standby.Continue(); err != nil {
		t.Fatal(err)
	}
	if err := <-written; err != nil || count(t, standby.DSN()) != 1 {
		t.Errorf("the commit got %v", err)
	}
}

func TestAPromotedStandbyLacksWhatAHeldReceiverDidNotReceive(t *testing.T) {
	t.Parallel()
	s := start(t, pgtest.Options{})
	apply(t, s.DSN(), "CREATE TABLE followed (n int)")
	standby := follow(t, s, pgtest.Options{})
	if err := standby.Hold(t.Context()); err != nil {
		t.Fatal(err)
	}
	apply(t, s.DSN(), "INSERT INTO followed VALUES (1)")
	if err := s.Down(pgtest.Immediate); err != nil {
		t.Fatal(err)
	}
	if err := standby.Promote(t.Context()); err != nil {
		t.Fatal(err)
	}
	if rows := count(t, standby.DSN()); rows != 0 {
		t.Errorf("it has %d rows", rows)
	}
}

func follow(t *testing.T, s *pgtest.Server, o pgtest.Options) *pgtest.Standby {
	t.Helper()
	standby, err := s.Standby(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := standby.Stop(); err != nil {
			t.Error(err)
		}
	})
	return standby
}

func count(t *testing.T, dsn string) (rows int) {
	t.Helper()
	query(t, dsn, "SELECT count(*) FROM followed", &rows)
	return rows
}

func apply(t *testing.T, dsn, sql string) {
	t.Helper()
	if err := try(dsn, sql); err != nil {
		t.Fatal(err)
	}
}

func try(dsn, sql string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	c, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return err
	}
	defer c.Close(ctx)
	_, err = c.Exec(ctx, sql)
	return err
}
