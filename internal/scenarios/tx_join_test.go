package scenarios

import (
	"context"
	"errors"
	"testing"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/postgres"
)

// This file is calls in their caller's transaction: claim, effect and outcome stand or fall with it, and whatever a call answers, the transaction
// is as good as before.

func joining(op *idem.Operation[string]) { op.Tx = idem.TxJoin }

func TestJoin_EverythingIsInTheCallersTransaction(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, s *stage, begin func() *callers) {
		op := inTx(joining)
		c := begin()
		ctx, info := idem.WithInfo(t.Context())
		if out, err := c.pay(ctx, op, "k", "a", nil); out != "paid" || err != nil || !info.Stored || info.Replayed {
			t.Fatalf("got %q, %v, %+v", out, err, info)
		}
		s.wantEffects(0) // as others see it
		if out, err := c.pay(t.Context(), op, "k", "a", nil); out != "paid" || err != nil {
			t.Errorf("in the same transaction again: %q, %v", out, err)
		}
		_, err := c.pay(t.Context(), op, "k", "other", nil)
		wantErr(t, err, idem.ErrMismatch)
		c.fine()
		if err := c.rollback(); err != nil {
			t.Fatal(err)
		}
		s.wantEffects(0)
		s.wantRowNow("k", "absent")
		c = begin()
		if out, err := c.pay(t.Context(), op, "k", "a", nil); out != "paid" || err != nil {
			t.Errorf("after the rollback: %q, %v", out, err)
		}
		c.mustCommit()
		s.wantEffects(1)
		s.wantRuns(2)
		if n := ask[int](s, "SELECT count(*) FROM effects, idem_claims WHERE state = 2"); n != 1 {
			t.Errorf("%d", n)
		}
		c = begin()
		ctx, info = idem.WithInfo(t.Context())
		if out, err := c.pay(ctx, op, "k", "a", nil); out != "paid" || err != nil || !info.Replayed {
			t.Errorf("a duplicate: %q, %v, %+v", out, err, info)
		}
		c.mustCommit()
		s.wantEffects(1)
		s.wantRuns(2)
	})
}

// TestA11: whoever meets a key that another open transaction has claimed is told so, in a moment, and his own transaction goes on and commits.
func TestA11_ADuplicateInItsOwnTransactionIsAnsweredAndItsTransactionGoesOn(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, s *stage, begin func() *callers) {
		first, second := begin(), begin()
		if _, err := first.pay(t.Context(), inTx(joining), "k", "a", nil); err != nil {
			t.Fatal(err)
		}
		if err := second.exec("SET LOCAL lock_timeout = '7s'"); err != nil {
			t.Fatal(err)
		}
		if err := second.exec("INSERT INTO effects VALUES ('its own', 0)"); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			_, err := second.pay(t.Context(), inTx(joining, conflict), "k", "a", nil)
			wantErr(t, err, idem.ErrInFlight)
			second.fine()
		}
		first.mustCommit()
		if out, err := second.pay(t.Context(), inTx(joining, conflict), "k", "a", nil); out != "paid" || err != nil {
			t.Errorf("after the commit: %q, %v", out, err)
		}
		if out, err := second.pay(t.Context(), inTx(joining, conflict), "k2", "a", nil); out != "paid" || err != nil {
			t.Errorf("another key: %q, %v", out, err)
		}
		var timeout string
		if err := second.ask("SHOW lock_timeout", &timeout); err != nil || timeout != "7s" {
			t.Errorf("lock_timeout is %s, %v", timeout, err)
		}
		second.mustCommit()
		s.wantRuns(2)
		if n := ask[int](s, "SELECT count(*) FROM effects"); n != 3 {
			t.Errorf("%d effects", n)
		}
	})
}

func TestJoin_AWaitingDuplicateGetsTheOutcomeWhenItIsCommitted(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, s *stage, begin func() *callers) {
		first, second, third := begin(), begin(), begin()
		if _, err := first.pay(t.Context(), inTx(joining), "k", "a", nil); err != nil {
			t.Fatal(err)
		}
		answers := make(chan answer, 2)
		for _, c := range []*callers{second, third} {
			go func() {
				out, err := c.pay(t.Context(), inTx(joining), "k", "a", nil)
				answers <- answer{out, err}
			}()
		}
		s.await(idem.EventWaited, 2)
		first.mustCommit()
		for range 2 {
			s.wantAnswer(<-answers, "paid", nil)
		}
		second.mustCommit()
		third.mustCommit()
		s.wantEffects(1)
		s.wantRuns(1)
	})
}

// TestJoin_AnErrorStoresNothing: the caller may commit all the same, and then what the method did before stays: it is his transaction.
func TestJoin_AnErrorStoresNothing(t *testing.T) {
	t.Parallel()
	for name, then := range map[string]func() error{
		"plain":   func() error { return errPlain },
		"unknown": func() error { return idem.Unknown(errPlain) },
		"final":   func() error { return idem.Final(errPlain) },
		"context": func() error { return context.DeadlineExceeded },
		"panic":   func() error { panic("on fire") },
	} {
		for kind, begin := range txKinds {
			t.Run(kind+"/"+name, func(t *testing.T) {
				t.Parallel()
				s := withEffects(t)
				c := begin(s, "")
				var returned error
				func() {
					defer func() { _ = recover() }()
					out, err := c.pay(t.Context(), inTx(joining), "k", "a", func() error { returned = then(); return returned })
					if out != "" || err != returned || err == nil {
						t.Errorf("got %q, %v; want the method's own error", out, err)
					}
				}()
				c.fine()
				c.mustCommit()
				s.wantRowNow("k", "absent")
				if n := ask[int](s, "SELECT count(*) FROM effects"); n != 1 {
					t.Errorf("%d effects; what the method did is the caller's to keep", n)
				}
				c = begin(s, "")
				if out, err := c.pay(t.Context(), inTx(joining), "k", "a", nil); out != "paid" || err != nil {
					t.Errorf("the next caller got %q, %v", out, err)
				}
				c.mustCommit()
				s.wantRowNow("k", "done")
			})
		}
	}
}

// TestJoin_WhatIsThereAlreadyIsDecidedAsEver: rows of another mode's runs, and expired ones.
func TestJoin_WhatIsThereAlreadyIsDecidedAsEver(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, s *stage, begin func() *callers) {
		op := inTx(joining)
		plain := &charge
		s.method = func(context.Context, int64) (string, error) { return "", idem.Unknown(errPlain) }
		if _, err := s.call(t.Context(), plain, "lapsed", "a"); err == nil {
			t.Fatal("no error")
		}
		s.method = func(context.Context, int64) (string, error) { return "old", nil }
		for _, key := range []string{"expired", "done"} {
			if _, err := s.call(t.Context(), plain, key, "a"); err != nil {
				t.Fatal(err)
			}
		}
		s.age("expired", 2*defaultTTL)
		_, _ = s.call(t.Context(), with(holding), "held", "a")
		s.editRow("held", "state = 4, completed_at = NULL, expires_at = NULL, codec = NULL, schema_hash = NULL, result = NULL")
		before := s.runs.Load()

		c := begin()
		if out, err := c.pay(t.Context(), op, "done", "a", nil); out != "old" || err != nil {
			t.Errorf("done: %q, %v", out, err)
		}
		_, err := c.pay(t.Context(), op, "lapsed", "other", nil)
		wantErr(t, err, idem.ErrMismatch)
		_, err = c.pay(t.Context(), op, "held", "a", nil)
		wantErr(t, err, idem.ErrOutcomeUnknown)
		if _, err = c.pay(t.Context(), op, "lapsed", "a", func() error { return errPlain }); err != errPlain {
			t.Error(err)
		}
		c.mustCommit()
		s.wantRowNow("lapsed", abandoned) // the earlier run may have had its effect: the row still says so
		c = begin()
		for _, key := range []string{"expired", "lapsed"} {
			if out, err := c.pay(t.Context(), op, key, "a", nil); out != "paid" || err != nil {
				t.Errorf("%s: %q, %v", key, out, err)
			}
		}
		c.mustCommit()
		s.wantRowNow("lapsed", "done")
		s.wantRowNow("expired", "done")
		if ran := s.runs.Load() - before; ran != 3 {
			t.Errorf("%d runs", ran)
		}
	})
}

// TestJoin_ACallersEndLeavesNoClaim: before the method is started, and after.
func TestJoin_ACallersEndLeavesNoClaim(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, s *stage, begin func() *callers) {
		ctx, cancel := context.WithCancel(t.Context())
		s.worksOn(postgres.NewStore(s.pool), idem.WithObserver(idem.ObserverFunc(func(_ context.Context, ev idem.Event) {
			if ev.Kind == idem.EventClaimed {
				cancel()
			}
		})))
		c := begin()
		if out, err := c.pay(ctx, inTx(joining), "k", "a", nil); out != "paid" || err != nil {
			t.Errorf("a success is a success: %q, %v", out, err)
		}
		c.mustCommit()
		s.wantRowNow("k", "done")
		gone, leave := context.WithCancel(t.Context())
		c = begin()
		_, err := c.pay(gone, inTx(joining), "k2", "a", func() error { leave(); return gone.Err() })
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v; want the method's own error", err)
		}
		c.fine()
		c.mustCommit()
		s.wantRowNow("k2", "absent")
		c = begin()
		_, err = c.pay(gone, inTx(joining), "k3", "a", nil)
		wantErr(t, err, context.Canceled)
		c.fine()
		c.mustCommit()
		s.wantRowNow("k3", "absent")
		s.wantRuns(2)
	})
}
