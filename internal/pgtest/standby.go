package pgtest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
)

// This file is about streaming standbys: for tests of read-only servers, failovers and synchronous replication.

// Standby is a server that follows another. It answers reads; DSN, Down, Up, Restart are those of any server.
type Standby struct {
	*Server
	receiver int // the process id of a held receiver
}

// standbyRaises are the settings that a standby may not have lower than its primary.
var standbyRaises = []string{"max_connections", "max_worker_processes", "max_wal_senders", "max_prepared_transactions", "max_locks_per_transaction"}

// Standby copies the server and starts the copy as its streaming standby, and returns when it streams. The caller stops it.
// The server's own log is kept for it in a replication slot.
//
// For synchronous replication, name the standby on the primary then: ALTER SYSTEM SET synchronous_standby_names = '*', SELECT pg_reload_conf().
func (s *Server) Standby(ctx context.Context, o Options) (*Standby, error) {
	raised := map[string]string{}
	for _, name := range standbyRaises {
		if value, ok := s.settings[name]; ok {
			raised[name] = value
		}
	}
	maps.Copy(raised, o.Settings)
	o.Settings = raised
	copied := func(of *Server, ctx context.Context) error { return s.backup(ctx, of) }
	server, err := start(ctx, &Server{bin: s.bin, password: s.password}, o, copied)
	if err != nil {
		return nil, err
	}
	standby := &Standby{Server: server}
	if err := standby.streams(ctx); err != nil {
		return nil, errors.Join(err, standby.Stop())
	}
	return standby, nil
}

// backup copies the running server's cluster into the folder of another, which will follow it.
func (s *Server) backup(ctx context.Context, into *Server) error {
	cmd := exec.CommandContext(ctx, filepath.Join(s.bin, "pg_basebackup"), "-D", into.data(), "-h", "127.0.0.1", "-p", strconv.Itoa(s.port),
		"-U", "postgres", "--no-password", "--write-recovery-conf", "--wal-method=stream", "--checkpoint=fast", "--no-sync",
		"--create-slot", "--slot", filepath.Base(into.dir))
	into.prepare(cmd)
	cmd.Env = append(cmd.Env, "PGPASSWORD="+s.password)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("pg_basebackup: %w\n%s", err, out)
	}
	return nil
}

// streams waits until the standby receives its primary's log.
func (s *Standby) streams(ctx context.Context) error {
	for {
		err := s.scan(ctx, "SELECT true FROM pg_stat_wal_receiver WHERE status = 'streaming'", new(bool))
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the standby does not stream: %w (%w)", ctx.Err(), err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// Hold stops the standby from receiving, without closing the connection to its primary: a commit that waits for it, waits.
func (s *Standby) Hold(ctx context.Context) error {
	var pid int
	if err := s.scan(ctx, "SELECT pid FROM pg_stat_wal_receiver", &pid); err != nil {
		return fmt.Errorf("finding the receiver: %w", err)
	}
	if err := suspend(pid); err != nil {
		return err
	}
	s.receiver = pid
	return nil
}

// Continue undoes Hold.
func (s *Standby) Continue() error {
	pid := s.receiver
	s.receiver = 0
	if pid == 0 {
		return nil
	}
	return resume(pid)
}

// Promote makes the standby a primary that takes writes. What a held receiver has not received is lost to it, as in a failover.
func (s *Standby) Promote(ctx context.Context) error {
	if s.receiver != 0 {
		if err := terminate(s.receiver); err != nil {
			return err
		}
		if err := s.Continue(); err != nil {
			return err
		}
	}
	var done bool
	if err := s.scan(ctx, "SELECT pg_promote(true, 60)", &done); err != nil {
		return err
	}
	if !done {
		return errors.New("the standby was not promoted in a minute")
	}
	return nil
}

// Stop is Server.Stop, after Continue.
func (s *Standby) Stop() error { return errors.Join(s.Continue(), s.Server.Stop()) }

// Down is Server.Down, after Continue.
func (s *Standby) Down(how Shutdown) error { return errors.Join(s.Continue(), s.Server.Down(how)) }

func (s *Server) scan(ctx context.Context, sql string, into any) error {
	c, err := pgx.Connect(ctx, s.DSN())
	if err != nil {
		return err
	}
	defer c.Close(context.WithoutCancel(ctx))
	return c.QueryRow(ctx, sql).Scan(into)
}
