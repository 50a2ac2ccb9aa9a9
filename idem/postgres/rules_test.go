package postgres_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/idem"
)

// This file holds the texts of all queries to the rules that make them safe, so that a new one can't forget them, and their plans to
// finding rows without reading the whole table.

// queries are the statements of queries/*.sql by name, without comments.
func queries(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob("../../queries/*.sql")
	if err != nil || len(files) == 0 {
		t.Fatalf("no queries: %v", err)
	}
	all := map[string]string{}
	comment := regexp.MustCompile(`(?m)^--.*$`)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, q := range strings.Split(string(text), "-- name: ")[1:] {
			name, sql, _ := strings.Cut(q, " ")
			_, sql, _ = strings.Cut(sql, "\n")
			all[name] = comment.ReplaceAllString(sql, "")
		}
	}
	return all
}

// swept is the one statement that changes rows without knowing an owner: nobody owns what has expired.
const swept = "Sweep"

// comparing is the comparison with an owner, in a query and in what sqlc made of it.
var comparing = regexp.MustCompile(`\bowner = (?:sqlc\.arg\((owner|seen)\)|asked\.(owner)|\$(\d+))`)

// chooses is the part of a statement that says which rows it changes.
func chooses(name, sql string) string {
	from := "WHERE"
	if name == "Renew" {
		from = "JOIN" // the rows to update come from this join
	}
	_, where, _ := strings.Cut(sql, from)
	return where
}

// changing reports whether a statement changes rows that are there.
func changing(sql string) bool {
	return regexp.MustCompile(`(?i)\b(UPDATE\s+\w+\s+(\w+\s+)?SET|DELETE|MERGE|TRUNCATE|DO\s+UPDATE)\b`).MatchString(sql)
}

func TestI2_EveryStatementComparesTheOwner(t *testing.T) {
	t.Parallel()
	changes := 0
	for name, sql := range queries(t) {
		if name == swept || !changing(sql) {
			continue
		}
		changes++
		if !comparing.MatchString(chooses(name, sql)) {
			t.Errorf("%s does not compare the owner", name)
		}
	}
	if changes < 7 {
		t.Errorf("only %d statements that change rows were found", changes)
	}
}

func TestEveryInsertNamesItsConflictAndIsGuarded(t *testing.T) {
	t.Parallel()
	inserts := 0
	for name, sql := range queries(t) {
		if !strings.HasPrefix(strings.TrimSpace(sql), "INSERT") {
			continue
		}
		inserts++
		if !strings.Contains(sql, "ON CONFLICT (id) DO NOTHING") || !strings.Contains(sql, "WHERE NOT EXISTS (SELECT FROM idem_claims c WHERE c.id = sqlc.arg(id))") {
			t.Errorf("%s: an unguarded insert, or one without a conflict target", name)
		}
	}
	if inserts == 0 {
		t.Error("no inserts found")
	}
}

func TestTheClockIsTheDatabasesOfNow(t *testing.T) {
	t.Parallel()
	frozen := regexp.MustCompile(`(?i)\bnow\(\)|current_timestamp|transaction_timestamp|statement_timestamp|localtimestamp`)
	seen := 0
	for _, file := range sources(t, "internal/db") {
		for _, sql := range texts(t, file) {
			if frozen.MatchString(sql) {
				t.Errorf("the time of a transaction is used in %s", sql)
			}
			if strings.Contains(sql, "timestamptz") {
				t.Errorf("a timestamp from outside is taken in %s", sql)
			}
			seen += strings.Count(sql, "clock_timestamp()")
		}
	}
	if seen == 0 {
		t.Error("no statement looks at the clock")
	}
}

// TestNoStepReadsTheWholeTable makes the server keep the plans that it makes while the table is empty, when reading all of it
// looks cheap: pgx's prepared statements may live with such a plan for as long as their connection.
func TestNoStepReadsTheWholeTable(t *testing.T) {
	t.Parallel()
	b := newBench(t, setup{database: []string{"plan_cache_mode=force_generic_plan"}, pool: named})
	scans := func() (n int) {
		b.DropIdle()
		b.pool.Reset()
		b.comesTo(t, 0) // a session's counts are there when it has ended
		b.get(t, "SELECT seq_scan FROM pg_stat_user_tables WHERE relname = 'idem_claims'", &n)
		return n
	}
	before := scans()
	c, ctx := fresh(), t.Context()
	other := fresh()
	lease := func(c idem.Claim) idem.Lease { return idem.Lease{ID: c.ID, Owner: c.Owner, Lease: lease} }
	for _, step := range []func() error{
		func() error { _, err := b.Sweep(ctx, idem.SweepBatch{Limit: 100}); return err },
		func() error { _, err := b.Read(ctx, []idem.ID{c.ID, other.ID}); return err },
		func() error { _, err := b.Read(ctx, []idem.ID{c.ID}); return err },
		func() error { _, err := b.Renew(ctx, []idem.Lease{lease(c), lease(other)}); return err },
		func() error { _, err := b.Claim(ctx, c); return err },
		func() error { _, err := b.TakeOver(ctx, other, c.Owner); return err },
		func() error { _, err := b.Reclaim(ctx, other, c.Owner); return err },
		func() error { _, err := b.HoldLapsed(ctx, other.ID, c.Owner); return err },
		func() error { _, err := b.Complete(ctx, outcome(other, idem.Row{Attempt: 1})); return err },
		func() error { _, err := b.Abandon(ctx, idem.Abandonment{ID: c.ID, Owner: other.Owner}); return err },
		func() error { _, err := b.Release(ctx, c.ID, other.Owner); return err },
	} {
		if err := step(); err != nil {
			t.Fatal(err)
		}
	}
	if n := scans() - before; n != 0 {
		t.Errorf("the whole table was read %d times", n)
	}
}
