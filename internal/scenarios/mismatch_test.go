package scenarios

import (
	"errors"
	"testing"
	"time"

	"github.com/idemgen/idemgen/idem"
)

// This file is the rule that other arguments are refused before anything else is looked at: never waited for, never a reason to
// take a claim over, to hold it, or to give out an outcome. Only what has expired is free for another request.

// standing is how a row comes to be what it is, by calls with the argument "x".
type standing struct {
	name  string
	op    func(*idem.Operation[string])
	reach func(s *stage, a *lateRun)
	age   time.Duration
	row   string
}

func forever(op *idem.Operation[string]) { op.TTL = idem.Forever }

func asItIs(*idem.Operation[string]) {}

func runsOn(*stage, *lateRun) {}

func succeeds(_ *stage, a *lateRun) { a.ends("A", nil) }

func timesOut(_ *stage, a *lateRun) { a.ends("", idem.Unknown(errors.New("timeout"))) }

func isMade(set string) func(*stage, *lateRun) {
	return func(s *stage, _ *lateRun) { s.editRow("k", set) }
}

const (
	ancient = 100 * 365 * 24 * time.Hour

	tombstone = `state = 2, keep = NULL, completed_at = clock_timestamp(), expires_at = clock_timestamp() + interval '1 day',
		codec = 'none', schema_hash = '', result = ''`
)

// binding are rows that say what the key was used for, however old some of them are.
func binding() []standing {
	return []standing{
		{"running", asItIs, runsOn, 0, "running"},
		{"lapsed", asItIs, runsOn, pastLease, "running lapsed"},
		{"lapsed, with attempts used up", oneLapse, runsOn, pastLease, "running lapsed"},
		{"lapsed under hold", holding, runsOn, ancient, "running lapsed"},
		{"lapsed, and kept for good", forever, runsOn, ancient, "running lapsed"},
		{"abandoned", asItIs, timesOut, 0, "running lapsed abandoned"},
		{"abandoned, and kept for good", forever, timesOut, ancient, "running lapsed abandoned"},
		{"done", asItIs, succeeds, 0, "done"},
		{"done for good", forever, succeeds, ancient, "done"},
		{"a tombstone", asItIs, isMade(tombstone), 0, "done"},
		{"failed", asItIs, isMade(storedFailure), 0, "failed"},
		{"unknown", holding, timesOut, 0, "unknown"},
		{"unknown for long", holding, timesOut, ancient, "unknown"},
		{"unknown, by its many attempts, for long", oneLapse, func(s *stage, _ *lateRun) { s.holdsLapsed(late(oneLapse)) }, ancient, "unknown"},
	}
}

// free are rows whose time is over.
func free() []standing {
	return []standing{
		{"lapsed", asItIs, runsOn, pastKeep, "running lapsed"},
		{"abandoned", asItIs, timesOut, pastKeep, "running lapsed abandoned"},
		{"done", asItIs, succeeds, pastKeep, "done"},
		{"done, of an operation that holds", holding, succeeds, pastKeep, "done"},
		{"a tombstone", asItIs, isMade(tombstone), pastKeep, "done"},
		{"failed", asItIs, isMade(storedFailure), pastKeep, "failed"},
	}
}

// reached makes the row.
func (s *stage) reached(st standing) *lateRun {
	s.Helper()
	a := s.beginLate(late(st.op), "x")
	st.reach(s, a)
	if st.age != 0 {
		s.age("k", st.age)
	}
	if r := s.charged("k"); r.String() != st.row {
		s.Fatalf("the row is %q, want it %q", r, st.row)
	}
	return a
}

func TestI8_AMismatchWinsInEveryState(t *testing.T) {
	t.Parallel()
	world := newStage(t)
	for _, st := range binding() {
		t.Run(st.name, func(t *testing.T) {
			s := world.afresh(t)
			a := s.reached(st)
			before := s.versionOf("k")
			for name, policy := range map[string]func(*idem.Operation[string]){"poll": asItIs, "conflict": conflict} {
				other := s.anotherProcess()
				_, err := other.call(t.Context(), late(st.op, policy), "k", "other")
				e := wantErr(t, err, idem.ErrMismatch)
				if e.RetryAfter != 0 || errors.Is(err, idem.ErrInFlight) {
					t.Errorf("%s: %+v invites another try", name, e)
				}
				other.wantEvents(idem.EventMismatch)
				other.wantRuns(0)
			}
			if after := s.versionOf("k"); after != before {
				t.Errorf("the row was\n%s and is\n%s", before, after)
			}
			a.wantRuns(1)
		})
	}
}

func TestI8_WhatExpiredBindsNobody(t *testing.T) {
	t.Parallel()
	world := newStage(t)
	for _, st := range free() {
		t.Run(st.name, func(t *testing.T) {
			s := world.afresh(t)
			s.reached(st)
			other := s.anotherProcess()
			ctx, info := idem.WithInfo(t.Context())
			out, err := other.call(ctx, late(st.op, conflict), "k", "other")
			if out != "ran 1" || err != nil || info.Attempt != 1 || info.Replayed || !info.Stored {
				t.Errorf("got %q, %v, %+v; want a first attempt", out, err, *info)
			}
			other.wantEvents(idem.EventReclaimed, idem.EventCompleted)
			if r := s.charged("k"); r.String() != "done" || r.Attempt != 1 || r.Lapses != 0 || string(r.Result) != `"ran 1"` {
				t.Errorf("the row is %+v", r)
			}
			_, err = other.call(t.Context(), late(st.op), "k", "x")
			wantErr(t, err, idem.ErrMismatch)
		})
	}
}
