package scenarios

import (
	"fmt"
	"sync"
	"testing"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
	"github.com/idemgen/idemgen/idem/postgres"
	"github.com/idemgen/idemgen/internal/pgtest"
)

// This file is about requests that are alike in everything, from one process and from several: what tells the winner is his owner, and where
// he is told is the database.

// TestA6: the fingerprint on the row is every caller's own, and so says nothing of who has it.
func TestA6_AnIdenticalRequestIsNotTheWinner(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	gate := s.gated()
	first := s.async(t.Context(), &charge, "k", "a")
	gate.Await(t, 1)
	const n = 16
	idemtest.Callers(t, n, func(int) {
		_, err := s.call(t.Context(), with(conflict), "k", "a")
		wantErr(t, err, idem.ErrInFlight)
	})
	s.wantRuns(1)
	gate.Open()
	s.wantAnswer(<-first, "charged", nil)
}

// TestPC7: what is locked is the row, and not something of the process.
func TestPC7_ProcessesThatShareADatabaseShareTheirClaims(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	processes := make([]*stage, 4)
	for i := range processes {
		processes[i] = s.twin()
		processes[i].events = &events{}
		processes[i].worksOn(postgres.NewStore(pgtest.PoolOf(t, s.dsn)))
	}
	for round := range 5 {
		key := fmt.Sprint("k", round)
		var mu sync.Mutex
		got := map[answer]int{}
		idemtest.Callers(t, 4*len(processes), func(i int) {
			out, err := processes[i%len(processes)].call(t.Context(), &charge, key, "a")
			mu.Lock()
			defer mu.Unlock()
			got[answer{out, err}]++
		})
		if len(got) != 1 || got[answer{fmt.Sprint("ran ", round+1), nil}] == 0 {
			t.Errorf("%s: the answers were %v", key, got)
		}
	}
	s.wantRuns(5)
}
