package postgres_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"sync/atomic"
	"testing"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// This file is about what a commit must not have to wait for: a notification takes a lock at commit that all of the server's databases
// share, so that no two commits that notify go side by side.

func TestC8_NothingNotifiesAndNothingIsTriggered(t *testing.T) {
	t.Parallel()
	texts := 0
	for _, pattern := range []string{"../../queries/*.sql", "../../schema.sql", "migrations/*.sql", "internal/db/*.go", "*.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: no files, %v", pattern, err)
		}
		for _, file := range files {
			if matched, _ := filepath.Match("*_test.go", filepath.Base(file)); matched {
				continue
			}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			texts++
			if found := regexp.MustCompile(`(?i)\b(pg_notify|notify|listen|create\s+(or\s+replace\s+)?((constraint|event)\s+)?trigger|create\s+rule)\b`).Find(text); found != nil {
				t.Errorf("%s says %q", file, found)
			}
		}
	}
	if texts < 10 {
		t.Errorf("only %d texts were read", texts)
	}
	b := newBench(t, setup{})
	var triggers int
	b.get(t, "SELECT (SELECT count(*) FROM pg_trigger) + (SELECT count(*) FROM pg_event_trigger) + (SELECT count(*) FROM pg_rules WHERE schemaname = 'public')", &triggers)
	if triggers != 0 {
		t.Errorf("the schema has %d triggers and rules", triggers)
	}
}

// TestC8_NoNotificationArrives holds the server's queue of notifications: a session that listens to anything, and is in a transaction, has read
// none of what was sent to any channel since. The server counts the queue in pages, so it takes many to see one. It is alone, because the queue is the whole server's.
func TestC8_NoNotificationArrives(t *testing.T) {
	b := newBench(t, setup{})
	ctx := t.Context()
	listener, err := pgx.Connect(ctx, b.dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close(ctx)
	for _, sql := range []string{"LISTEN idem_claims", "LISTEN something", "BEGIN", "SELECT 1"} {
		if _, err := listener.Exec(ctx, sql); err != nil {
			t.Fatal(err)
		}
	}
	const writers, rounds = 32, 20
	queued := func() (used float64) {
		b.get(t, "SELECT pg_notification_queue_usage()", &used)
		return used
	}
	before := queued()
	idemtest.Callers(t, writers, func(int) {
		for range rounds {
			b.done(t)
		}
	})
	b.everything(t)
	if after := queued(); after != before {
		t.Errorf("the queue of notifications went from %g to %g", before, after)
	}
	b.exec(t, "DO $$ BEGIN FOR i IN 1..640 LOOP PERFORM pg_notify('idem_claims', i::text); END LOOP; END $$")
	if after := queued(); after == before {
		t.Error("as many notifications as there were outcomes don't show: the test shows nothing")
	}
}

// BenchmarkC8_CompleteBy32Writers is the rate at which outcomes are stored, by as many as a notification would make wait for each other.
// Claims are made beforehand; time/op is one outcome's share.
func BenchmarkC8_CompleteBy32Writers(b *testing.B) {
	const writers = 32
	s := newBench(b, setup{pool: func(c *pgxpool.Config) { c.MaxConns = writers }})
	claims := make([]idem.Outcome, 0, b.N)
	for range b.N {
		c, row := s.won(b)
		claims = append(claims, outcome(c, row))
	}
	b.ResetTimer()
	var next atomic.Int64
	idemtest.Callers(b, writers, func(int) {
		for i := next.Add(1) - 1; i < int64(b.N); i = next.Add(1) - 1 {
			if row, err := s.Complete(b.Context(), claims[i]); err != nil || row.State != idem.StateDone {
				b.Error(fmt.Errorf("not completed: %w", err))
				return
			}
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "outcomes/s")
}
