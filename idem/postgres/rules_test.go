package postgres_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/idem/postgres/internal/db"
	"github.com/jackc/pgx/v5"
)

// This file holds the texts of all queries to the rules that make them safe, so that a new one can't forget them, and their plans to
// finding rows one by one.

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

func TestEveryStatementComparesTheOwner(t *testing.T) {
	t.Parallel()
	changes := 0
	for name, sql := range queries(t) {
		if name == swept || !strings.HasPrefix(strings.TrimSpace(sql), "UPDATE") && !strings.HasPrefix(strings.TrimSpace(sql), "DELETE") {
			continue
		}
		changes++
		_, where, _ := strings.Cut(sql, "WHERE")
		if name == "Renew" {
			_, where, _ = strings.Cut(sql, "JOIN") // the rows to update come from this join
		}
		if !regexp.MustCompile(`\bowner = (sqlc\.arg\((owner|seen)\)|asked\.owner)`).MatchString(where) {
			t.Errorf("%s does not compare the owner", name)
		}
	}
	if changes == 0 {
		t.Error("no statements found")
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
	for name, sql := range queries(t) {
		if frozen.MatchString(sql) {
			t.Errorf("%s uses the time of its transaction", name)
		}
		if strings.Contains(sql, "timestamptz") {
			t.Errorf("%s takes a timestamp from outside", name)
		}
	}
}

// TestPlansOfAnEmptyTableFindRowsOneByOne makes the plans that are kept for all parameters while the table is empty: pgx's prepared statements
// may live with those for as long as their connection.
func TestPlansOfAnEmptyTableFindRowsOneByOne(t *testing.T) {
	t.Parallel()
	b := newBench(t, setup{})
	alone := map[string]string{
		"claim": db.Claim, "take over": db.TakeOver, "reclaim": db.Reclaim, "hold": db.HoldLapsed, "read": db.Read, "complete": db.Complete,
		"insert completed": db.InsertCompleted, "release": db.Release, "abandon": db.Abandon, "owned": db.Owned,
	}
	guarded := map[string]string{"renew": db.Renew, "held": db.Held, "read many": db.ReadMany, "sweep": db.Sweep}
	for name, sql := range alone {
		b.plansByRow(t, name, sql, false)
	}
	for name, sql := range guarded {
		b.plansByRow(t, name, sql, true)
	}
}

func (b *bench) plansByRow(t *testing.T, name, sql string, guarded bool) {
	t.Helper()
	ctx := t.Context()
	tx, err := b.look.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback(ctx)
	script := "SET LOCAL plan_cache_mode = force_generic_plan; PREPARE p AS " + sql
	if guarded {
		script = db.PlanByRow + ";" + script
	}
	if _, err := tx.Exec(ctx, script); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	defer tx.Exec(ctx, "DEALLOCATE p")
	nulls := make([]string, len(regexp.MustCompile(`\$\d+`).FindAllString(sql, -1)))
	for n := len(nulls); n > 0; n-- {
		if strings.Contains(sql, fmt.Sprintf("$%d", n)) {
			nulls = nulls[:n]
			break
		}
	}
	for i := range nulls {
		nulls[i] = "NULL"
	}
	rows, err := tx.Query(ctx, "EXPLAIN EXECUTE p("+strings.Join(nulls, ",")+")", pgx.QueryExecModeSimpleProtocol)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if plan := strings.Join(lines, "\n"); strings.Contains(plan, "Seq Scan") || !strings.Contains(plan, "Scan") {
		t.Errorf("%s reads the whole table:\n%s", name, plan)
	}
}
