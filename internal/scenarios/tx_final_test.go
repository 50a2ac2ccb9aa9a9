package scenarios

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/idemgen/idemgen/idem"
)

// This file is final errors in a transaction: what the method did is rolled back, and the error is stored apart.

var errSpent = errors.New("spent")

func TestTx_AFinalErrorIsStoredWithoutTheEffect(t *testing.T) {
	t.Parallel()
	for mode, tx := range engineModes {
		for name, fail := range map[string]error{
			"by a rule":        fmt.Errorf("too much: %w", errSpent),
			"by its mark":      idem.Final(errPlain),
			"marked, a rule's": idem.Final(errSpent),
		} {
			for _, opts := range [][]idem.Option{nil, {idem.WithStoredResults()}} {
				t.Run(fmt.Sprintf("%s/%s/%d", mode, name, len(opts)), func(t *testing.T) {
					t.Parallel()
					s := withEffects(t, opts...)
					op := inTx(tx, func(op *idem.Operation[string]) {
						op.Errors = []idem.ErrorRule{idem.FinalIs("scenarios.errSpent", errSpent)}
					})
					s.method = func(ctx context.Context, run int64) (string, error) {
						if err := effect(ctx, run); err != nil {
							t.Error(err)
						}
						return "lost", fail
					}
					for attempt := range 3 {
						ctx, info := idem.WithInfo(t.Context())
						out, err := s.call(ctx, op, "k", "a")
						if out != "" || err == nil || err.Error() != fail.Error() || errors.Is(err, errSpent) != errors.Is(fail, errSpent) {
							t.Errorf("call %d got %q, %v; want %v", attempt, out, err, fail)
						}
						if info.Replayed != (attempt > 0) || idem.Replayed(err) != (attempt > 0) || !info.Stored || info.Attempt != 1 {
							t.Errorf("call %d: %+v, replayed %v", attempt, info, idem.Replayed(err))
						}
					}
					s.wantRow("k", "failed")
					s.wantRuns(1)
					if n := ask[int](s, "SELECT count(*) FROM effects"); n != 0 {
						t.Errorf("%d effects of what has failed", n)
					}
				})
			}
		}
	}
}

// Of two runs without a claim the one whose outcome is stored first decides, also for one that has failed for good.
func TestOptimistic_AFinalErrorThatComesTooLateIsNotTheOutcome(t *testing.T) {
	t.Parallel()
	s := withEffects(t)
	op := inTx(optimistic)
	paying := s.method
	s.method = func(ctx context.Context, run int64) (string, error) {
		s.method = paying
		if out, err := s.call(context.WithoutCancel(t.Context()), op, "k", "a"); out != "paid" || err != nil {
			t.Errorf("the other call got %q, %v", out, err)
		}
		return "", idem.Final(errSpent)
	}
	ctx, info := idem.WithInfo(t.Context())
	if out, err := s.call(ctx, op, "k", "a"); out != "paid" || err != nil || !info.Replayed {
		t.Errorf("got %q, %v, %+v; want the other call's outcome", out, err, info)
	}
	s.wantEffects(1)
	s.wantRuns(2)
}

// What is stored is what the winner gets, where that was asked for, in a transaction, too.
func TestTx_TheWinnerSeesWhatIsStored(t *testing.T) {
	t.Parallel()
	for mode, tx := range engineModes {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			s := withEffects(t, idem.WithStoredResults())
			op := inTx(tx, func(op *idem.Operation[string]) { op.Codec = forgetful{} })
			s.wantStored(op)
		})
	}
}

// forgetful is a codec that gives back less than it got.
type forgetful struct{ idem.JSON[string] }

func (forgetful) Decode(idem.Ref, []byte) (string, error) { return "pa", nil }

func (s *stage) wantStored(op *idem.Operation[string]) {
	s.Helper()
	for attempt := range 2 {
		ctx, info := idem.WithInfo(context.Background())
		if out, err := s.call(ctx, op, "k", "a"); out != "pa" || err != nil || info.Replayed != (attempt > 0) {
			s.Errorf("call %d got %q, %v, %+v; want what is stored", attempt, out, err, info)
		}
	}
	s.wantEffects(1)
	s.wantRuns(1)
}
