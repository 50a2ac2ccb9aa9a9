package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/postgres"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// This file is what a first call and a replay cost in each transaction mode, with an effect of one row; docs/transactions.md has the figures.

func TestTx_CostsWhatTheDocumentationSays(t *testing.T) {
	t.Parallel()
	engine, b, m := measured(t)
	b.exec(t, "CREATE TABLE effects (what text)")
	const calls = 100
	pay := func(ctx context.Context, in interface {
		Exec(context.Context, string, ...any) (pgconn.CommandTag, error)
	},
	) (string, error) {
		_, err := in.Exec(ctx, "INSERT INTO effects VALUES ($1)", strings.Repeat("e", 50))
		return strings.Repeat("x", 98), err
	}
	handed := func(ctx context.Context) (string, error) {
		tx, ok := postgres.TxFromContext(ctx)
		if !ok {
			return "", errors.New("no transaction")
		}
		return pay(ctx, tx)
	}
	for mode, c := range map[string]struct {
		tx   idem.TxMode
		call func(op *idem.Operation[string], c idem.Call[string]) error
	}{
		"none": {idem.TxOff, func(op *idem.Operation[string], c idem.Call[string]) error {
			c.Run = func(ctx context.Context) (out string, err error) {
				err = pgx.BeginFunc(ctx, b.pool, func(tx pgx.Tx) error { out, err = pay(ctx, tx); return err })
				return out, err
			}
			_, err := idem.Do(t.Context(), engine, op, c)
			return err
		}},
		"own": {idem.TxOwn, func(op *idem.Operation[string], c idem.Call[string]) error {
			c.Run = handed
			_, err := idem.Do(t.Context(), engine, op, c)
			return err
		}},
		"join": {idem.TxJoin, func(op *idem.Operation[string], c idem.Call[string]) error {
			return pgx.BeginFunc(t.Context(), b.pool, func(tx pgx.Tx) error {
				c.Tx = tx
				c.Run = func(ctx context.Context) (string, error) { return pay(ctx, tx) }
				_, err := idem.Do(t.Context(), engine, op, c)
				return err
			})
		}},
		"optimistic": {idem.TxOptimistic, func(op *idem.Operation[string], c idem.Call[string]) error {
			c.Run = handed
			_, err := idem.Do(t.Context(), engine, op, c)
			return err
		}},
	} {
		op := &idem.Operation[string]{Name: "example.com/shop.Payments." + mode, Lease: time.Hour, Tx: c.tx}
		call := func(from int) func(int) {
			return func(i int) {
				if err := c.call(op, idem.Call[string]{Key: idem.StringKey(fmt.Sprintf("order-%d", from+i))}); err != nil {
					t.Fatal(err)
				}
			}
		}
		for i := range 3 {
			call(-1 - i)(0) // prepares the statements
			call(-1 - i)(0)
		}
		first := m.cost(t, calls, call(0))
		m.cost(t, calls, call(0))
		replay := m.cost(t, calls, call(0))
		said := documented(t, mode)
		if mode != "join" && said.commits != said.writes { // whose savepoints take ids, too
			t.Errorf("%s: each of its %d commits takes one id, not %d in all", mode, said.commits, said.writes)
		}
		if first.trips != calls*said.trips || first.writes != calls*said.writes {
			t.Errorf("%s: %s; docs/transactions.md says %d round trips and %d transaction ids", mode, first.String(calls), said.trips, said.writes)
		}
		if wal := first.wal / calls; wal < said.wal*8/10 || wal > said.wal*12/10 {
			t.Errorf("%s: %d bytes of WAL; docs/transactions.md says %d", mode, wal, said.wal)
		}
		if replay.trips != calls*said.replay {
			t.Errorf("%s: a replay is %s; docs/transactions.md says %d round trips", mode, replay.String(calls), said.replay)
		}
		if mode != "join" && replay.writes != 0 {
			t.Errorf("%s: a replay writes", mode)
		}
	}
}

// figures are what the documentation says that a call costs.
type figures struct{ commits, writes, trips, wal, replay int64 }

var costRow = regexp.MustCompile(`(?m)^\| (?:none|own|join|optimistic) \|.*$`)

func documented(t *testing.T, mode string) (f figures) {
	t.Helper()
	page, err := os.ReadFile("../../docs/transactions.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range costRow.FindAllString(string(page), -1) {
		cells := strings.Split(strings.Trim(line, "| "), "|")
		if strings.TrimSpace(cells[0]) != mode || len(cells) != 6 {
			continue
		}
		for i, to := range []*int64{&f.commits, &f.writes, &f.trips, &f.wal, &f.replay} {
			if *to, err = strconv.ParseInt(strings.TrimSpace(cells[i+1]), 10, 64); err != nil {
				t.Fatal(err)
			}
		}
	}
	if f == (figures{}) {
		t.Fatalf("docs/transactions.md says nothing of what %s costs", mode)
	}
	return f
}
