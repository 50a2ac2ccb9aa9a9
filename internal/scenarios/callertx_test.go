package scenarios

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/idem"
)

// This file is about callers that are inside a transaction of their own, on the very pool the store uses.

// TestA11 calls from inside a transaction that has done work, and loses the race in each way there is. Whatever the call
// answers, the transaction is as good as before, and what it did is there when it commits.
func TestA11_ALostRaceLeavesTheCallersTransactionAlone(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.exec("CREATE TABLE orders (id text PRIMARY KEY)")
	gate := s.gatedInContext()
	txs := make([]pgx.Tx, len(isolations))
	for i, level := range isolations {
		txs[i] = s.ordering(level, string(level))
	}
	first := s.async(t.Context(), &charge, "k", "a")
	gate.Await(t, 1)
	for _, tx := range txs { // refused
		_, err := s.call(t.Context(), with(conflict), "k", "a")
		wantErr(t, err, idem.ErrInFlight)
		s.usable(tx)
	}
	waiters := make([]<-chan answer, len(txs))
	for i := range txs { // made to wait
		waiters[i] = s.async(t.Context(), &charge, "k", "a")
	}
	s.await(idem.EventWaited, len(waiters))
	gate.Open()
	for i, tx := range txs { // served: the winner's commit is seen, though a repeatable read began before it
		if a := <-waiters[i]; a != (answer{"charged", nil}) {
			t.Errorf("inside %s the call got %v", isolations[i], a)
		}
		s.usable(tx)
		_, err := s.call(t.Context(), &charge, "k", "other arguments")
		wantErr(t, err, idem.ErrMismatch)
		if _, err := tx.Exec(t.Context(), "INSERT INTO orders VALUES ($1)", string(isolations[i])+", later"); err != nil {
			t.Error(err)
		}
		if err := tx.Commit(t.Context()); err != nil {
			t.Errorf("%s: %v", isolations[i], err)
		}
	}
	if a := <-first; a != (answer{"charged", nil}) {
		t.Errorf("the winner got %v", a)
	}
	s.wantRuns(1)
	if orders := ask[int](s, "SELECT count(*) FROM orders"); orders != 2*len(isolations) {
		t.Errorf("%d orders; want those of all transactions", orders)
	}
}

// ordering begins a transaction that has seen the claims and placed an order.
func (s *stage) ordering(level pgx.TxIsoLevel, order string) pgx.Tx {
	s.Helper()
	tx, err := s.pool.BeginTx(context.Background(), pgx.TxOptions{IsoLevel: level})
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { _ = tx.Rollback(context.Background()) })
	if _, err := tx.Exec(context.Background(), "SELECT count(*) FROM idem_claims"); err != nil {
		s.Fatal(err)
	}
	if _, err := tx.Exec(context.Background(), "INSERT INTO orders VALUES ($1)", order); err != nil {
		s.Fatal(err)
	}
	return tx
}

// usable checks that a transaction is neither aborted nor ended.
func (s *stage) usable(tx pgx.Tx) {
	s.Helper()
	if status := tx.Conn().PgConn().TxStatus(); status != 'T' {
		s.Errorf("the transaction's status is %q", status)
	}
	if _, err := tx.Exec(context.Background(), "SELECT 1"); err != nil {
		s.Error(err)
	}
}
