package scenarios

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
	"github.com/idemgen/idemgen/idem/postgres"
	"github.com/idemgen/idemgen/internal/pgtest"
)

// This file is about what a step finds when it is sent again because its answer was lost: the call's own work, which it must not
// take for a rival's. In every way in which pgx can send statements.

// TestD10: a duplicate would be refused here, for PolicyConflict; a call that lost its own answer must not.
func TestD10_ARetriedStepKnowsItsOwnWork(t *testing.T) {
	t.Parallel()
	dsn := pgtest.Database(t)
	for _, mode := range execModes {
		for name, do := range map[string]idemtest.Action{"all answers": idemtest.LoseAnswer, "the commit's": idemtest.LoseLast} {
			t.Run(mode.String()+"/"+name, func(t *testing.T) {
				t.Parallel()
				w := newWired(t, dsn)
				w.sendAs(mode)
				for _, sql := range []string{sqlClaim, sqlComplete} {
					key := mode.String() + name + sql
					w.method = func(context.Context, int64) (string, error) {
						w.refusesOthers(key, "during the run,")
						return "charged", nil
					}
					lost := w.cut.Inject(sql, idemtest.Fault{Do: do})
					if out, err := w.call(t.Context(), with(conflict), key, "a"); out != "charged" || err != nil || lost.Hits() != 1 {
						t.Errorf("%s: got %q, %v; %d answers were lost", sql, out, err, lost.Hits())
					}
				}
				w.wantRuns(2)
				if w.events.count(idem.EventClaimed) != 2 || w.events.count(idem.EventCompleted) != 2 || w.events.count(idem.EventFenced) != 0 {
					t.Errorf("events: %v", w.events.kinds())
				}
			})
		}
	}
}

// sendAs gives the engine a pool that sends in another way.
func (w *wired) sendAs(mode pgx.QueryExecMode) {
	w.Helper()
	pool, cut := throughCut(w, w.dsn, sendingAs(mode))
	w.cut = cut
	w.worksOn(postgres.NewStore(pool))
}

// TestD9: the claim's own Read has answered "mine", and the connection breaks before the commit. Nothing was won.
func TestD9_WhatWasAnsweredBeforeTheCommitIsNotWon(t *testing.T) {
	t.Parallel()
	w := newWired(t, pgtest.Database(t))
	w.method = func(context.Context, int64) (string, error) {
		w.refusesOthers("k", "during the run,")
		return "charged", nil
	}
	broken := w.cut.Inject(sqlRead, idemtest.Fault{Do: idemtest.Break})
	if out, err := w.call(t.Context(), &charge, "k", "a"); out != "charged" || err != nil || broken.Hits() != 1 {
		t.Errorf("got %q, %v; %d connections were broken", out, err, broken.Hits())
	}
	w.wantRuns(1)
}

// TestPB1: the caller gets his result, is told that it is stored, and when; also where the row was gone and had to be inserted anew.
func TestPB1_ACompleteWhoseAnswerIsLostIsASuccess(t *testing.T) {
	t.Parallel()
	dsn := pgtest.Database(t)
	for name, sql := range map[string]string{"complete": sqlComplete, "complete of a row that is gone": "-- name: InsertCompleted "} {
		for how, do := range map[string]idemtest.Action{"all answers": idemtest.LoseAnswer, "the commit's": idemtest.LoseLast} {
			t.Run(name+"/"+how, func(t *testing.T) {
				t.Parallel()
				w := newWired(t, dsn)
				key := name + how
				w.method = func(ctx context.Context, _ int64) (string, error) {
					if sql == sqlComplete {
						return "charged", nil
					}
					tag, err := w.pool.Exec(ctx, "DELETE FROM idem_claims WHERE key = $1", key)
					if tag.RowsAffected() != 1 {
						t.Errorf("%d rows deleted", tag.RowsAffected())
					}
					return "charged", err
				}
				lost := w.cut.Inject(sql, idemtest.Fault{Do: do})
				ctx, info := idem.WithInfo(t.Context())
				if out, err := w.call(ctx, &charge, key, "a"); out != "charged" || err != nil || !info.Stored || lost.Hits() != 1 {
					t.Errorf("got %q, %v, %+v; %d answers were lost", out, err, info, lost.Hits())
				}
				var completed time.Time
				if err := w.pool.QueryRow(t.Context(), "SELECT completed_at FROM idem_claims WHERE key = $1", key).Scan(&completed); err != nil || !completed.Equal(info.CompletedAt) {
					t.Errorf("completed at %v, and the caller was told %v (%v)", completed, info.CompletedAt, err)
				}
				if out, err := w.other.call(t.Context(), &charge, key, "a"); out != "charged" || err != nil {
					t.Errorf("the next caller got %q, %v", out, err)
				}
				w.wantRuns(1)
				if w.events.count(idem.EventFenced) != 0 || w.events.count(idem.EventCompleteFailed) != 0 {
					t.Errorf("events: %v", w.events.kinds())
				}
			})
		}
	}
}
