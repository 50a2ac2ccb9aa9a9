package idemtest_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/idem/idemtest"
)

// This file is about what a Cut does inside a round trip: to the last of its answers, and between two of its statements; and about
// clients that give up.

// batchOf is a transaction that inserts a note, counts the notes, and is sent in one round trip.
func batchOf(n int) *pgx.Batch {
	batch := &pgx.Batch{}
	batch.Queue("begin isolation level read committed")
	batch.Queue(insert, n)
	batch.Queue("SELECT count(*) FROM notes")
	batch.Queue("commit")
	return batch
}

// answered sends batchOf(n), and returns what it counted (-1: nothing was answered) and the error of all that follows.
func answered(ctx context.Context, conn *pgx.Conn, n int) (counted int, err error) {
	answers := conn.SendBatch(ctx, batchOf(n))
	counted = -1
	for range 2 {
		if _, err := answers.Exec(); err != nil {
			_ = answers.Close()
			return counted, err
		}
	}
	if err := answers.QueryRow().Scan(&counted); err != nil {
		counted = -1
	}
	_, err = answers.Exec()
	_ = answers.Close()
	return counted, err
}

func TestCut_LosesTheLastAnswerAlone(t *testing.T) {
	t.Parallel()
	for _, mode := range modes {
		t.Run(mode.String(), func(t *testing.T) {
			t.Parallel()
			w := newWire(t)
			conn := w.through(mode)
			i := w.Inject("INTO notes", idemtest.Fault{Do: idemtest.LoseLast})
			counted, err := answered(t.Context(), conn, 1)
			w.want("counted", counted, 1)
			w.want("failed", err != nil, true)
			w.want("closed", conn.IsClosed(), true)
			w.want("hits", i.Hits(), 1)
			w.want("notes", w.notes(), 1)

			single := w.Inject("INTO notes", idemtest.Fault{Do: idemtest.LoseLast})
			_, err = w.through(mode).Exec(t.Context(), insert, 2)
			w.want("failed", err != nil, true)
			w.want("hits", single.Hits(), 1)
			w.want("notes", w.notes(), 2)
		})
	}
}

func TestCut_SplitsARoundTrip(t *testing.T) {
	t.Parallel()
	for _, mode := range modes[:4] {
		t.Run(mode.String(), func(t *testing.T) {
			t.Parallel()
			w := newWire(t)
			conn, gate := w.through(mode), idemtest.NewGate(t)
			i := w.Inject("INTO notes", idemtest.Fault{Do: idemtest.Split, Gate: gate})
			done := make(chan error, 1)
			go func() {
				counted, err := answered(t.Context(), conn, 1)
				w.want("counted", counted, 2)
				done <- err
			}()
			gate.Await(t, 1)
			w.want("hits", i.Hits(), 1)
			w.want("notes before the commit", w.notes(), 0)
			if _, err := w.direct.Exec(t.Context(), insert, 2); err != nil { // which the second statement then sees
				t.Fatal(err)
			}
			gate.Open()
			w.want("error", <-done, error(nil))
			w.want("notes", w.notes(), 2)
			counted, err := answered(t.Context(), conn, 3) // the connection is as good as before
			w.want("counted", counted, 3)
			w.want("error", err, error(nil))
		})
	}
}

func TestCut_BreaksARoundTripInTheMiddle(t *testing.T) {
	t.Parallel()
	for _, mode := range modes[:4] {
		t.Run(mode.String(), func(t *testing.T) {
			t.Parallel()
			w := newWire(t)
			conn := w.through(mode)
			i := w.Inject("SELECT count", idemtest.Fault{Do: idemtest.Break})
			counted, err := answered(t.Context(), conn, 1)
			w.want("counted", counted, 1)
			w.want("failed", err != nil, true)
			w.want("hits", i.Hits(), 1)
			w.await("the connection is gone", func() bool { return w.Connections() == 0 })
			w.want("notes", w.notes(), 0)
		})
	}
}

func TestCut_DoesNotSplitAtAFailureNorASimpleQuery(t *testing.T) {
	t.Parallel()
	w := newWire(t)
	gate := idemtest.NewGate(t)
	i := w.Inject("INTO notes", idemtest.Fault{Do: idemtest.Split, Gate: gate, Times: idemtest.Always})
	if _, err := answered(t.Context(), w.through(pgx.QueryExecModeSimpleProtocol), 1); err != nil {
		t.Error(err)
	}
	_, err := answered(t.Context(), w.through(pgx.QueryExecModeExec), 1) // again
	w.want("a duplicate", err != nil && strings.Contains(err.Error(), "23505"), true)
	w.want("hits", i.Hits(), 0)
	w.want("entered", gate.Entered(), 0)
	w.want("notes", w.notes(), 1)
}

// TestCut_ABlackHoleLeavesOthersAlone: a client that gets no answer gives up by itself, and new connections work all the while.
func TestCut_ABlackHoleLeavesOthersAlone(t *testing.T) {
	t.Parallel()
	for do, applied := range map[idemtest.Action]int{idemtest.LoseAnswer: 1, idemtest.LoseLast: 1, idemtest.Delay: 0, idemtest.Split: 0} {
		w := newWire(t)
		gate := idemtest.NewGate(t)
		hole := w.Inject("INTO notes", idemtest.Fault{Do: do, Gate: gate})
		conn := w.through(pgx.QueryExecModeCacheDescribe)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- conn.SendBatch(ctx, batchOf(1)).Close() }()
		gate.Await(t, 1)
		w.want("hits", hole.Hits(), 1)
		if _, err := w.through(pgx.QueryExecModeExec).Exec(t.Context(), insert, 2); err != nil {
			t.Errorf("action %d: another connection: %v", do, err)
		}
		w.want("notes", w.notes(), 1+applied)
		cancel()
		w.want("failed", <-done != nil, true)
		w.CutAll()
	}
}

func TestCut_DropsCancellations(t *testing.T) {
	t.Parallel()
	w := newWire(t)
	ctx, conn := t.Context(), w.through(pgx.QueryExecModeExec)
	tx, err := w.direct.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(ctx, "LOCK TABLE notes"); err != nil {
		t.Fatal(err)
	}
	dropped := w.DropCancels()
	short, cancel := context.WithCancel(ctx)
	failed := make(chan error, 1)
	go func() { _, err := conn.Exec(short, insert, 1); failed <- err }()
	w.await("the insert waits", func() (waiting bool) {
		const asked = "SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted AND relation = 'notes'::regclass)"
		return tx.QueryRow(ctx, asked).Scan(&waiting) == nil && waiting
	})
	cancel()
	if <-failed == nil {
		t.Error("no error")
	}
	w.await("the cancellation is dropped", func() bool { return dropped.Hits() == 1 })
	if err := tx.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	w.await("the insert lands all the same", func() bool { return w.notes() == 1 })

	dropped.Stop()
	if err := w.through(pgx.QueryExecModeExec).PgConn().CancelRequest(ctx); err != nil {
		t.Error(err)
	}
	w.want("dropped", dropped.Hits(), 1)
}

// await waits for what is no event.
func (w *wire) await(what string, ok func() bool) {
	w.Helper()
	for deadline := time.Now().Add(20 * time.Second); !ok(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			w.Fatalf("waited in vain until %s", what)
		}
	}
}

func TestCut_CountsWhatLandedAndDidNotFail(t *testing.T) {
	t.Parallel()
	w := newWire(t)
	i := w.Inject("INTO notes", idemtest.Fault{Do: idemtest.ApplyLate, Times: 2})
	for n := range 2 {
		_, err := w.through(pgx.QueryExecModeExec).Exec(t.Context(), insert, n)
		w.want("failed", err != nil, true)
	}
	if _, err := w.direct.Exec(t.Context(), insert, 0); err != nil { // the first one will be a duplicate
		t.Fatal(err)
	}
	w.want("hits", i.Hits(), 2)
	w.want("landed", i.Land(), 1)
	w.want("notes", w.notes(), 2)
}
