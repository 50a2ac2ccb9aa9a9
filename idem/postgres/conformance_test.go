package postgres_test

import (
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// This file runs the conformance suite, and the race for a claim, under what an application may have chosen for its database
// and pool: the default isolation level, and the way pgx sends queries.

var modes = []pgx.QueryExecMode{
	pgx.QueryExecModeCacheStatement, pgx.QueryExecModeCacheDescribe, pgx.QueryExecModeDescribeExec, pgx.QueryExecModeExec, pgx.QueryExecModeSimpleProtocol,
}

var isolations = []string{"read committed", "repeatable read", "serializable"}

func chosen(isolation string, mode pgx.QueryExecMode) setup {
	return setup{
		database: []string{"default_transaction_isolation=" + isolation},
		pool:     func(c *pgxpool.Config) { c.ConnConfig.DefaultQueryExecMode = mode },
	}
}

// TestB17_PostgresKeepsEveryPromise runs every rule in each mode, and in each isolation level. The store in memory is held to the same rules in idem/idemtest.
func TestB17_PostgresKeepsEveryPromise(t *testing.T) {
	t.Parallel()
	for i, mode := range modes {
		isolation := isolations[i%len(isolations)]
		t.Run(isolation+", "+mode.String(), func(t *testing.T) {
			t.Parallel()
			b := newBench(t, chosen(isolation, mode))
			idemtest.TestStore(t, func(t *testing.T) idemtest.Harness {
				b.exec(t, "TRUNCATE idem_claims")
				return b.harness()
			})
		})
	}
}

// TestA9_OneWinnerAKeyAndNoLoserWithoutARow has 16 callers claim each of 150 keys at the same moment, in every combination.
func TestA9_OneWinnerAKeyAndNoLoserWithoutARow(t *testing.T) {
	const callers, keys = 16, 150
	for _, isolation := range isolations {
		for _, mode := range modes {
			t.Run(isolation+", "+mode.String(), func(t *testing.T) {
				b := newBench(t, chosen(isolation, mode))
				for range keys {
					b.race(t, callers)
				}
				if n := b.count(t); n != keys {
					t.Errorf("%d rows for %d keys", n, keys)
				}
			})
		}
	}
}

// race has n calls claim one key at once.
func (b *bench) race(t *testing.T, n int) {
	t.Helper()
	c := fresh()
	rows := make([]idem.Row, n)
	var winners atomic.Int32
	idemtest.Callers(t, n, func(i int) {
		mine := rival(c)
		row, err := b.Claim(t.Context(), mine)
		for locked(err) { // the winner has not committed yet
			row, err = b.Claim(t.Context(), mine)
		}
		if err != nil {
			t.Error(fmt.Errorf("a claim failed: %w", err))
		}
		if row.Owner == mine.Owner {
			winners.Add(1)
		}
		rows[i] = row
	})
	if winners.Load() != 1 {
		t.Errorf("%d winners", winners.Load())
	}
	for _, row := range rows {
		if row.State != idem.StateRunning || row.Owner != rows[0].Owner || row.Fence != rows[0].Fence {
			t.Errorf("a caller sees state %d of fence %d", row.State, row.Fence)
		}
	}
}
