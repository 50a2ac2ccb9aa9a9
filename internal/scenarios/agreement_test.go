package scenarios

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
)

// This file is what a storm must not shake.

// TestI4: all callers of a key that got a nil error got the one outcome that is stored, whoever ran it, took it over or
// lost it meanwhile.
func TestI4_AllCallersOfAKeyAgree(t *testing.T) {
	t.Parallel()
	s := newStorm(t)
	s.rages(t.Context())
	for n := range stormKeys {
		key := fmt.Sprint("key ", n)
		r := s.charged(key)
		if r.String() != "done" {
			t.Errorf("%s: the row is %+v", key, r)
		}
		if got := len(s.answers[key]); got != stormProcesses*stormCallers {
			t.Errorf("%s: %d outcomes, want one for each caller", key, got)
		}
		for _, g := range s.answers[key] {
			if fmt.Sprintf("%q", g.result) != string(r.Result) || !g.info.Stored {
				t.Errorf("%s: a caller got %q, %+v; stored is %s", key, g.result, g.info, r.Result)
			}
		}
		for i, p := range s.processes {
			if out, err := p.call(t.Context(), &stormed, key, "x"); fmt.Sprintf("%q", out) != string(r.Result) || err != nil {
				t.Errorf("%s: process %d replays %q, %v; stored is %s", key, i, out, err, r.Result)
			}
		}
	}
	s.wantStormy()
}

// wantStormy fails the test unless it was rough, and rough in the ways that it should be.
func (s *storm) wantStormy() {
	s.Helper()
	for _, kind := range []error{idem.ErrMismatch, idem.ErrOutcomeUnknown, idem.ErrResultNotStored, idem.ErrUnreadable} {
		if s.refused[kind] != 0 {
			s.Errorf("%d calls were refused: %v", s.refused[kind], kind)
		}
	}
	for _, kind := range []idem.EventKind{
		idem.EventClaimed, idem.EventTakenOver, idem.EventReleased, idem.EventAbandoned, idem.EventFenced, idem.EventReplayed, idem.EventStoreFailed,
	} {
		n := s.heard(kind)
		s.Logf("%s: %d", kind, n)
		if n == 0 {
			s.Errorf("nothing was %q: nothing is shown", kind)
		}
	}
	for name, do := range map[string]idemtest.Action{"answers lost": idemtest.LoseAnswer, "requests cut": idemtest.Refuse, "landed late": idemtest.ApplyLate} {
		hits := 0
		for _, i := range s.faults[do] {
			hits += i.Hits()
		}
		s.Logf("%s: %d", name, hits)
		if hits == 0 {
			s.Errorf("%s: none", name)
		}
	}
	s.Logf("refused: %v", s.refused)
}

// TestI6: each run has a claim of its own that stands in the records, so there are at most as many runs as attempts in all the rows that
// a key has had.
func TestI6_NoRunWithoutAnAttemptOfItsOwn(t *testing.T) {
	t.Parallel()
	s := newStorm(t)
	s.rages(t.Context())
	runs := 0
	for n := range stormKeys {
		key := fmt.Sprint("key ", n)
		fences := s.fences[key]
		runs += len(fences)
		slices.Sort(fences)
		if unique := slices.Compact(slices.Clone(fences)); len(unique) != len(fences) {
			t.Errorf("%s: two runs under one claim, of %v", key, fences)
		}
		var recorded []int64
		var attempts int
		err := errors.Join(
			s.pool.QueryRow(t.Context(), `SELECT array_agg(DISTINCT fence) FROM records WHERE key = $1 AND state = 1 AND op <> 'DELETE'`, key).Scan(&recorded),
			// the last attempt of each generation of the row: one ends when the row goes, or is claimed anew
			s.pool.QueryRow(t.Context(), `SELECT coalesce(sum(attempt), 0) FROM (
				SELECT attempt, lead(op) OVER (ORDER BY n) AS next FROM records WHERE key = $1) r
				WHERE next IS NULL OR next IN ('INSERT', 'RECLAIM')`, key).Scan(&attempts),
		)
		if err != nil {
			t.Fatal(err)
		}
		for _, fence := range fences {
			if !slices.Contains(recorded, fence) {
				t.Errorf("%s: a run under a claim %d that was never there; there were %v", key, fence, recorded)
			}
		}
		if len(fences) > attempts {
			t.Errorf("%s: %d runs, and %d attempts are recorded", key, len(fences), attempts)
		}
	}
	t.Logf("%d runs", runs)
	if runs <= stormKeys {
		t.Error("nothing was run twice: nothing is shown")
	}
	s.wantStormy()
}
