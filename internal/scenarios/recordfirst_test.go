package scenarios

import (
	"testing"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
	"github.com/idemgen/idemgen/internal/pgtest"
)

// This file is about the order of storing an outcome and telling it, and about commits: who is told "stored" is told so after the commit was
// acknowledged, and a transaction that lost its connection is sent again whole, never its commit alone.

// TestPB14 holds the outcome up on its way to the database: the caller has no answer as long.
func TestPB14_TheOutcomeIsStoredBeforeTheCallerHasIt(t *testing.T) {
	t.Parallel()
	w := newWired(t, pgtest.Database(t))
	gate := idemtest.NewGate(t)
	hold := w.cut.Inject(sqlComplete, idemtest.Fault{Do: idemtest.DelayAnswer, Gate: gate})
	ctx, info := idem.WithInfo(t.Context())
	call := w.async(ctx, &charge, "k", "a")
	gate.Await(t, 1)
	w.eventually("the row done", func() bool { return w.charged("k").State == int(idem.StateDone) })
	select {
	case a := <-call:
		t.Errorf("the caller has %v before the database has answered", a)
	default:
	}
	gate.Open()
	w.wantAnswer(<-call, "ran 1", nil)
	if !info.Stored || hold.Hits() != 1 {
		t.Errorf("%+v, %d hits", info, hold.Hits())
	}
	w.wantRuns(1)
}

// TestD13 breaks the connection before the commit of an outcome, and after it: whoever is told that it is stored finds it so.
func TestD13_ACommitIsNeverSentAgainWithoutItsTransaction(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]idemtest.Fault{
		"before the commit": {Do: idemtest.Break},
		"after it":          {Do: idemtest.LoseLast},
		"with the answer":   {Do: idemtest.LoseAnswer},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWired(t, pgtest.Database(t))
			lost := w.cut.Inject(sqlComplete, fault)
			ctx, info := idem.WithInfo(t.Context())
			out, err := w.call(ctx, &charge, "k", "a")
			w.wantAnswer(answer{out, err}, "ran 1", nil)
			if r := w.charged("k"); !info.Stored || r.State != int(idem.StateDone) || lost.Hits() != 1 {
				t.Errorf("the caller was told %+v, and the row is %+v; %d hits", info, r, lost.Hits())
			}
			w.wantAnswer(w.other.insist(&charge, "k", "a"), "ran 1", nil)
			w.wantRuns(1)
		})
	}
}
