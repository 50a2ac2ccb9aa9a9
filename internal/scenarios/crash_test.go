package scenarios

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
	"github.com/idemgen/idemgen/internal/pgtest"
)

// This file lets a process die at every step of a call, just before the database gets it and just after it has done it. From then
// on nothing of that process reaches the database. Whatever it left must end, one lease later and in another process, in the
// stored outcome, in a next attempt (under recover, only of what has not happened), or under hold in an unknown outcome; and never in a second run of what had been completed.

// crash is a step at which a process dies.
type crash struct {
	name, sql     string
	left          idem.State // what an earlier process has left
	ending        error      // what the method returns
	before, after crashed
}

// crashed is what a death leaves, and what comes of it.
type crashed struct {
	row, heldRow        string // the row, with its attempt and lapses; empty: there is no such step under this policy
	rerun, hold         string // what the next call returns
	rerunRuns, holdRuns int64  // how many runs there are in all
}

var unsure = idem.ErrOutcomeUnknown.Error()

var crashes = []crash{
	{
		name: "claim", sql: sqlClaim,
		before: crashed{"absent 0 0", "absent 0 0", "ran 1", "ran 1", 1, 1},
		after:  crashed{"running 1 0", "running 1 0", "ran 1", unsure, 1, 0},
	},
	{
		name: "take over", sql: sqlTakeOver, left: idem.StateRunning,
		before: crashed{"running lapsed 1 0", "", "ran 2", "", 2, 0},
		after:  crashed{"running 2 1", "", "ran 2", "", 2, 0},
	},
	{
		name: "reclaim", sql: sqlReclaim, left: idem.StateDone,
		before: crashed{"done 1 0", "done 1 0", "ran 2", "ran 2", 2, 2},
		after:  crashed{"running 1 0", "running 1 0", "ran 2", unsure, 2, 1},
	},
	{
		name: "hold", sql: sqlHoldLapsed, left: idem.StateRunning,
		before: crashed{"", "running lapsed 1 0", "", unsure, 0, 1},
		after:  crashed{"", "unknown 1 0", "", unsure, 0, 1},
	},
	{
		name: "renew", sql: sqlRenew,
		before: crashed{"running 1 0", "running 1 0", "ran 2", unsure, 2, 1},
		after:  crashed{"running 1 0", "running 1 0", "ran 2", unsure, 2, 1},
	},
	{
		name: "complete", sql: sqlComplete,
		before: crashed{"running 1 0", "running 1 0", "ran 2", unsure, 2, 1},
		after:  crashed{"done 1 0", "done 1 0", "ran 1", "ran 1", 1, 1},
	},
	{
		name: "release", sql: sqlRelease, ending: idem.NoEffect(errDeclined),
		before: crashed{"running 1 0", "running 1 0", "ran 2", unsure, 2, 1},
		after:  crashed{"absent 0 0", "absent 0 0", "ran 2", "ran 2", 2, 2},
	},
	{
		name: "abandon", sql: sqlAbandon, ending: errGone,
		before: crashed{"running 1 0", "running 1 0", "ran 2", unsure, 2, 1},
		after:  crashed{"running lapsed abandoned 1 0", "unknown 1 0", "ran 2", unsure, 2, 1},
	},
}

func TestI3_AfterAnyDeathTheNextCallEndsWithinOneLease(t *testing.T) {
	t.Parallel()
	dsn := pgtest.Database(t)
	for name, point := range map[string]idemtest.Action{"before": idemtest.Delay, "after": idemtest.DelayAnswer} {
		for policy, takeover := range map[string]idem.Takeover{"rerun": idem.TakeoverRerun, "recover": idem.TakeoverRecover, "hold": idem.TakeoverHold} {
			t.Run(name+"/"+policy, func(t *testing.T) {
				t.Parallel()
				idemtest.Callers(t, len(crashes), func(i int) { // most of their time they wait
					c := crashes[i]
					want := c.before
					if point == idemtest.DelayAnswer {
						want = c.after
					}
					row, then, runs := want.row, want.rerun, want.rerunRuns
					switch {
					case takeover == idem.TakeoverHold:
						row, then, runs = want.heldRow, want.hold, want.holdRuns
					case takeover == idem.TakeoverRecover && runs == 2 && strings.HasPrefix(row, "running"): // the first run is found
						then, runs = "found", 1
					}
					if row != "" {
						c.play(named{t, c.name}, dsn, point, takeover, row, then, runs)
					}
				})
			})
		}
	}
}

func (c crash) play(t testing.TB, dsn string, point idemtest.Action, takeover idem.Takeover, row, then string, runs int64) {
	w := newWired(t, dsn, idem.WithStoreTimeout(2*time.Second))
	key := fmt.Sprint(c.name, point, takeover)
	if c.left != idem.StateAbsent {
		w.leave(key, c.left)
	}
	op := with(func(op *idem.Operation[string]) {
		op.Takeover = takeover
		if c.sql == sqlRenew {
			op.Lease = 6 * time.Second
		}
	})
	forever := idemtest.NewGate(t)
	w.method = func(_ context.Context, run int64) (string, error) {
		if run == 1 && c.sql == sqlRenew {
			_ = forever.Enter(context.Background()) // the process dies while it runs
		}
		if run == 1 {
			return "ran 1", c.ending
		}
		return fmt.Sprint("ran ", run), nil
	}
	dead := w.dieAt(c.sql, point, op, key)
	if got := w.charged(key); got.counted() != row {
		t.Errorf("it left %v %+v, want %q", got, got, row)
	}
	if got := w.charged(key); got.String() == "running" {
		w.refusesOthers(key, "before its lease is over,")
		w.age(key, op.Lease)
	}
	for range 2 { // the second one to see that it stays so
		out, err := w.other.call(w.Context(), op, key, "a")
		if got := said(out, err); got != then {
			t.Errorf("the next caller got %q, want %q (%v)", got, then, err)
		}
	}
	w.wantRuns(runs)
	end := w.whole(key)
	forever.Open()
	<-dead
	w.stopAtOnce() // else it would go on trying
	if got := w.whole(key); got != end {
		t.Errorf("the dead process changed %s to %s", end, got)
	}
}

// dieAt makes a call in the process behind the proxy, which dies at a step: nothing of it passes any more.
func (w *wired) dieAt(sql string, point idemtest.Action, op *idem.Operation[string], key string) (dead <-chan answer) {
	w.Helper()
	gate := idemtest.NewGate(w)
	i := w.cut.Inject(sql, idemtest.Fault{Do: point, Gate: gate})
	dead = w.async(w.Context(), op, key, "a")
	gate.Await(w, 1)
	w.cut.Inject("", idemtest.Fault{Do: idemtest.Refuse, Times: idemtest.Always})
	w.cut.CutAll()
	w.eventually("the death", func() bool { return w.cut.Connections() == 0 })
	if i.Hits() != 1 {
		w.Fatalf("the process did not reach the step: %d", i.Hits())
	}
	return dead
}
