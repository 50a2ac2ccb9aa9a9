//go:build unix

package processes

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/jackc/pgx/v5/pgxpool"
)

// This file gathers what there is to know about a run when it is over.

// evidence is what is compared.
type evidence struct {
	issued  []order            // all keys that were called
	effects []effect           // the ledger
	moves   []move             // the history
	sights  []sight            // the witness's
	stored  map[string]receipt // the outcomes, as they stand in the table in the end
	killed  map[string]point   // workers
	torn    int                // lines broken off
}

func gather(ctx context.Context, pool *pgxpool.Pool, folder string, issued []order) (*evidence, error) {
	e := &evidence{issued: issued}
	var torn1, torn2 int
	var err [4]error
	e.effects, torn1, err[0] = readJournal[effect](filepath.Join(folder, ledgerFile))
	e.moves, torn2, err[1] = readJournal[move](filepath.Join(folder, historyFile))
	e.sights, err[2] = testimony(ctx, pool)
	e.stored, err[3] = outcomes(ctx, pool, issued)
	e.torn = torn1 + torn2
	return e, errors.Join(err[:]...)
}

// outcomes are the stored outcomes of orders, read past the runtime.
func outcomes(ctx context.Context, pool *pgxpool.Pool, of []order) (map[string]receipt, error) {
	keys := make([]string, len(of))
	for i, o := range of {
		keys[i] = o.Key
	}
	rows, err := pool.Query(ctx, "SELECT key, result FROM idem_claims WHERE state = 2 AND key = ANY ($1)", keys)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	stored := map[string]receipt{}
	for rows.Next() {
		var key string
		var result []byte
		var r receipt
		if err := errors.Join(rows.Scan(&key, &result), json.Unmarshal(result, &r)); err != nil {
			return nil, fmt.Errorf("the outcome of %s: %w", key, err)
		}
		stored[key] = r
	}
	return stored, rows.Err()
}

// saw counts what the witness saw, by key.
func (e *evidence) saw(kinds ...what) map[string]int {
	n := map[string]int{}
	for _, s := range e.sights {
		for _, k := range kinds {
			if s.What == k {
				n[s.Key]++
			}
		}
	}
	return n
}

// total is the sum of saw.
func (e *evidence) total(kinds ...what) (n int) {
	for _, count := range e.saw(kinds...) {
		n += count
	}
	return n
}

// run is one run: no claim has two.
type run struct {
	key   string
	fence int64
}

func (e effect) run() run { return run{e.Key, e.Fence} }

// killedInside counts the workers that were killed between the winning of a claim and its end.
func (e *evidence) killedInside() (n int) {
	open := map[string]map[run]bool{}
	for _, l := range e.effects {
		if open[l.Worker] == nil {
			open[l.Worker] = map[run]bool{}
		}
		if l.Phase == phaseStart {
			open[l.Worker][l.run()] = true
		} else {
			delete(open[l.Worker], l.run())
		}
	}
	for name, at := range e.killed {
		if len(open[name]) > 0 || at != anywhere && at != completed {
			n++
		}
	}
	return n
}
