package scenarios

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
	"github.com/idemgen/idemgen/idem/postgres"
)

// This file is methods that run before anything is claimed, and results that can't be stored.

func TestOptimistic_OfSeveralThatRunOneCommits(t *testing.T) {
	t.Parallel()
	s := withEffects(t)
	const n = 4
	all := idemtest.NewGate(t)
	s.method = func(ctx context.Context, run int64) (string, error) {
		err := errors.Join(effect(ctx, run), all.Enter(ctx))
		return fmt.Sprint("paid by ", run), err
	}
	other := s.twin()
	answers := make(chan answer, n)
	for i := range n {
		go func() {
			out, err := []*stage{s, other}[i%2].call(t.Context(), inTx(optimistic), "k", "a")
			answers <- answer{out, err}
		}()
	}
	all.Await(t, n)
	go func() { // and one with other arguments, who runs as well
		_, err := s.call(t.Context(), inTx(optimistic), "k", "other")
		answers <- answer{"", err}
	}()
	all.Await(t, n+1)
	all.Open()
	var first string
	for range n + 1 {
		a := <-answers
		switch {
		case errors.Is(a.err, idem.ErrMismatch):
		case a.err != nil || first != "" && a.result != first:
			t.Errorf("got %v, another got %q", a, first)
		default:
			first = a.result
		}
	}
	s.wantEffects(1)
	s.wantRuns(n + 1)
}

func TestOptimistic_AKnownKeyDoesNotRun(t *testing.T) {
	t.Parallel()
	s := withEffects(t)
	s.wantPaid(inTx(optimistic), "k", false)
	version := s.versionOf("k")
	for range 3 {
		s.wantPaid(inTx(optimistic), "k", true)
		_, err := s.call(t.Context(), inTx(optimistic), "k", "other")
		wantErr(t, err, idem.ErrMismatch)
	}
	s.wantRuns(1)
	if s.versionOf("k") != version {
		t.Error("a replay touched the row")
	}
}

// TestOptimistic_RowsOfOtherModesAreDecidedAsEver: running ones are waited for, held ones are unknown, lapsed and expired ones are taken, and the
// method runs under that claim.
func TestOptimistic_RowsOfOtherModesAreDecidedAsEver(t *testing.T) {
	t.Parallel()
	s := withEffects(t)
	paying := s.method
	gate := s.gated()
	running := s.async(t.Context(), &charge, "running", "a")
	gate.Await(t, 1)
	_, err := s.call(t.Context(), inTx(optimistic, conflict), "running", "a")
	wantErr(t, err, idem.ErrInFlight)
	waiting := s.async(t.Context(), inTx(optimistic), "running", "a")
	s.await(idem.EventWaited, 1)
	gate.Open()
	s.wantAnswer(<-running, "charged", nil)
	s.wantAnswer(<-waiting, "charged", nil)

	s.method = func(context.Context, int64) (string, error) { return "old", idem.Unknown(errPlain) }
	for _, key := range []string{"lapsed", "lapsed and failing"} {
		_, _ = s.call(t.Context(), &charge, key, "a")
	}
	_, _ = s.call(t.Context(), with(holding), "held", "a")
	s.method = func(context.Context, int64) (string, error) { return "old", nil }
	_, _ = s.call(t.Context(), &charge, "expired", "a")
	s.age("expired", 2*defaultTTL)
	s.method = paying
	_, err = s.call(t.Context(), inTx(optimistic), "held", "a")
	wantErr(t, err, idem.ErrOutcomeUnknown)
	_, err = s.call(t.Context(), inTx(optimistic), "lapsed", "other")
	wantErr(t, err, idem.ErrMismatch)
	for _, key := range []string{"lapsed", "expired"} {
		s.wantPaid(inTx(optimistic), key, false)
	}
	if n := ask[int](s, "SELECT count(*) FROM effects e, idem_claims c WHERE e.xmin = c.xmin"); n != 2 {
		t.Errorf("%d effects are of their outcome's transaction", n)
	}
	s.method = func(ctx context.Context, run int64) (string, error) {
		return "", errors.Join(effect(ctx, run), errPlain)
	}
	if _, err := s.call(t.Context(), inTx(optimistic), "lapsed and failing", "a"); !errors.Is(err, errPlain) {
		t.Error(err)
	}
	if n := ask[int](s, "SELECT count(*) FROM effects"); n != 2 {
		t.Errorf("%d effects", n)
	}
}

// TestTx_AResultThatCannotBeStored: the effect stands, and so does a mark in its transaction.
func TestTx_AResultThatCannotBeStoredLeavesATombstone(t *testing.T) {
	t.Parallel()
	for mode, tx := range engineModes {
		for name, spoil := range map[string]func(*idem.Operation[string]){
			"too large":       func(*idem.Operation[string]) {},
			"can't be coded":  func(op *idem.Operation[string]) { op.Codec = failing{} },
			"a codec's panic": func(op *idem.Operation[string]) { op.Codec = failing{panics: true} },
		} {
			t.Run(mode+"/"+name, func(t *testing.T) {
				t.Parallel()
				s := withEffects(t, idem.WithMaxResult(100))
				result := strings.Repeat("x", 200)
				s.method = func(ctx context.Context, run int64) (string, error) { return result, effect(ctx, run) }
				op := inTx(tx, spoil)
				ctx, info := idem.WithInfo(t.Context())
				if out, err := s.call(ctx, op, "k", "a"); out != result || err != nil || info.Stored {
					t.Errorf("got %d bytes, %v, %+v", len(out), err, info)
				}
				_, err := s.call(t.Context(), op, "k", "a")
				wantErr(t, err, idem.ErrResultNotStored)
				s.wantEffects(1)
				s.wantRuns(1)
			})
		}
	}
}

// failing is a codec that can't encode.
type failing struct{ panics bool }

func (failing) Name() string { return "failing" }
func (f failing) Encode(idem.Ref, string) ([]byte, error) {
	if f.panics {
		panic("on fire")
	}
	return nil, errPlain
}
func (failing) Decode(idem.Ref, []byte) (string, error) { return "", errPlain }

// TestTx_ShutdownWaitsForATransaction as for any run.
func TestTx_ShutdownWaitsForATransaction(t *testing.T) {
	t.Parallel()
	s := withEffects(t)
	s.worksOn(postgres.NewStore(s.pool))
	gate := s.gatedEffect()
	running := s.async(t.Context(), inTx(own), "k", "a")
	gate.Await(t, 1)
	down := make(chan error, 1)
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), enough)
		defer cancel()
		down <- s.engine.Shutdown(ctx)
	}()
	s.eventually("the engine's closing", func() bool {
		_, err := s.call(t.Context(), inTx(own), "k2", "a")
		return errors.Is(err, idem.ErrClosed)
	})
	gate.Open()
	s.wantAnswer(<-running, "paid", nil)
	if err := <-down; err != nil {
		t.Error(err)
	}
	s.wantEffects(1)
}

// TestTx_ADetachedMethodCommitsWithoutItsCaller, who is told at once that it goes on.
func TestTx_ADetachedMethodCommitsWithoutItsCaller(t *testing.T) {
	t.Parallel()
	for mode, tx := range engineModes {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			s := withEffects(t)
			gate := s.gatedEffect()
			op := inTx(tx, func(op *idem.Operation[string]) { op.Detach = true })
			ctx, cancel := context.WithCancel(t.Context())
			running := s.async(ctx, op, "k", "a")
			gate.Await(t, 1)
			cancel()
			a := <-running
			wantErr(t, a.err, idem.ErrInFlight)
			if !errors.Is(a.err, context.Canceled) {
				t.Error(a.err)
			}
			s.wantEffects(0)
			gate.Open()
			s.eventually("the outcome", func() bool { return s.outcomes() == 1 })
			s.wantEffects(1)
			s.wantPaid(op, "k", true)
			s.wantRuns(1)
		})
	}
}
