package scenarios

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
	"github.com/idemgen/idemgen/internal/pgtest"
)

// This file is the race for a row in each of the ways in which one can be won. The claim of a new key, with many more of them,
// is TestA9.

// prize is a kind of row that many callers race for, all with the argument "x".
type prize struct {
	name  string
	first func(context.Context, int64) (string, error) // how the call before ended; nil: there was none
	age   time.Duration
	dead  bool // as if that call's process had died instead
	won   idem.EventKind
}

var prizes = []prize{
	{"new", nil, 0, false, idem.EventClaimed},
	{"abandoned", func(context.Context, int64) (string, error) { return "", idem.Unknown(errPlain) }, 0, false, idem.EventTakenOver},
	{"lapsed", func(context.Context, int64) (string, error) { panic("dead") }, time.Minute, true, idem.EventTakenOver},
	{"expired", func(context.Context, int64) (string, error) { return "old", nil }, pastKeep, false, idem.EventReclaimed},
	{"lapsed and expired", func(context.Context, int64) (string, error) { panic("dead") }, pastKeep, true, idem.EventReclaimed},
}

// TestI1 races under every isolation level a database can have as its default, in every way pgx can send a statement.
func TestI1_OneWinnerOfEveryRace(t *testing.T) {
	t.Parallel()
	for _, isolation := range isolations {
		dsn := isolated(t, isolation)
		clock := &stage{TB: t, pool: pgtest.PoolOf(t, dsn)} // moves times; not in every mode can it say which
		for _, mode := range execModes {
			t.Run(string(isolation)+"/"+mode.String(), func(t *testing.T) {
				s := stageOn(t, dsn, sendingAs(mode))
				for _, p := range prizes {
					s.raceFor(p, clock, mode.String())
				}
			})
		}
	}
}

func (s *stage) raceFor(p prize, clock *stage, prefix string) {
	s.Helper()
	const callers, keys = 12, 4
	key := func(k int) string { return fmt.Sprintf("%s %s %d", prefix, p.name, k) }
	for k := range keys {
		if p.first != nil {
			s.method = p.first
			s.callAndRecover(key(k))
			clock.age(key(k), p.age)
			if p.dead {
				clock.editRow(key(k), "abandoned = false, lapses = 0")
			}
		}
	}
	s.method = nil
	before, won := s.runs.Load(), s.events.count(p.won)
	var answers sync.Map
	idemtest.Callers(s, callers, func(i int) {
		for k := range keys {
			out, err := s.call(context.Background(), &charge, key(k), "x")
			if first, _ := answers.LoadOrStore(k, out); err != nil || first != out {
				s.Errorf("%s: %q and %q, %v", key(k), first, out, err)
			}
		}
	})
	s.wantRuns(before + keys)
	if n := s.events.count(p.won) - won; n != keys {
		s.Errorf("%d of %d rows were won by %q; events: %v", n, keys, p.won, s.events.kinds())
	}
}

// callAndRecover makes a call that may fail or panic, as the test wants it.
func (s *stage) callAndRecover(key string) {
	s.Helper()
	defer func() { _ = recover() }()
	if _, err := s.call(context.Background(), &charge, key, "x"); err != nil && !errors.Is(err, errPlain) {
		s.Error(err)
	}
}
