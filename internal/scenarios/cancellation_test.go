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

// This file is callers who go away, at every point of a call, and engines that are shut down under one: what the row is then, and what the
// next caller gets.

// cancelled is one point of a call at which its context ends.
type cancelled struct {
	name string
	// play makes the context of a call end at the point, and returns what the call returned.
	play func(t *testing.T, ctx ender) (*stage, answer)
	// After it: how often the method ran, whether the caller has its result, the row, and what the next caller gets.
	runs   int64
	result string
	row    string
	next   string
}

var cancellations = []cancelled{
	{"before the claim", func(t *testing.T, ctx ender) (*stage, answer) {
		s := newStage(t)
		ctx.end()
		return s, <-s.async(ctx, &charge, "k", "a")
	}, 0, "", "absent", "ran 1"},

	{"while the claim is on its way", func(t *testing.T, ctx ender) (*stage, answer) {
		s, gate := newStage(t), idemtest.NewGate(t)
		cut := s.behindCut()
		held := cut.Inject(sqlClaim, idemtest.Fault{Do: idemtest.DelayAnswer, Gate: gate})
		call := s.async(ctx, &charge, "k", "a")
		gate.Await(t, 1)
		ctx.end()
		a := <-call
		gate.Open() // the driver gives its connections some time to end as they should
		if held.Hits() != 1 {
			t.Errorf("%d claims were held up", held.Hits())
		}
		return s, a
	}, 0, "", "given back", "ran 1"},

	{"between the claim and the run", func(t *testing.T, ctx ender) (*stage, answer) {
		s := newSeamStage(t)
		s.onAnswer(idemtest.StepClaim, ctx.end)
		return s.stage, <-s.async(ctx, &charge, "k", "a")
	}, 0, "", "absent", "ran 1"},

	{"in the run", func(t *testing.T, ctx ender) (*stage, answer) {
		s := newStage(t)
		s.method = func(mctx context.Context, run int64) (string, error) {
			if run == 1 {
				ctx.end()
				<-mctx.Done()
				return "", mctx.Err()
			}
			return fmt.Sprint("ran ", run), nil
		}
		return s, <-s.async(ctx, &charge, "k", "a")
	}, 1, "", "running lapsed abandoned", "ran 2"},

	{"before the outcome is stored", func(t *testing.T, ctx ender) (*stage, answer) {
		s := newSeamStage(t)
		s.inTheGap(idemtest.StepComplete, ctx.end)
		return s.stage, <-s.async(ctx, &charge, "k", "a")
	}, 1, "ran 1", "done", "ran 1"},
}

func TestD2_ACallerWhoGoesAwayLeavesATruthfulRowAtEveryPoint(t *testing.T) {
	t.Parallel()
	for _, c := range cancellations {
		for how, end := range enders {
			t.Run(c.name+"/"+how, func(t *testing.T) {
				t.Parallel()
				ctx := end(t)
				s, a := c.play(t, ctx)
				switch {
				case c.result != "":
					if a != (answer{c.result, nil}) {
						t.Errorf("the caller got %v, want %q", a, c.result)
					}
				case a.result != "" || !errors.Is(a.err, ctx.err):
					t.Errorf("the caller got %v, want %v", a, ctx.err)
				}
				s.wantRuns(c.runs)
				s.wantRow("k", c.row)
				began := time.Now()
				if out, err := s.call(t.Context(), &charge, "k", "a"); out != c.next || err != nil {
					t.Errorf("the next caller got %q, %v; want %q", out, err, c.next)
				}
				if waited := time.Since(began); waited > charge.Lease/2 {
					t.Errorf("the next caller waited %v, as if for a lease", waited)
				}
			})
		}
	}
}

// TestD8: what ends a run is not sent on the caller's context, which would not be sent at all, and would cost a connection.
func TestD8_EndingARunHasAContextOfItsOwn(t *testing.T) {
	t.Parallel()
	declined := errors.New("declined")
	for _, c := range []struct {
		name string
		op   *idem.Operation[string]
		err  error
		row  string
	}{
		{"complete", &charge, nil, "done"},
		{"release", &charge, idem.NoEffect(declined), "absent"},
		{"abandon", &charge, declined, "running lapsed abandoned"},
		{"hold", with(holding), declined, "unknown"},
	} {
		for how, end := range enders {
			t.Run(c.name+"/"+how, func(t *testing.T) {
				t.Parallel()
				s := stageOn(t, pgtest.Database(t), conns(1))
				before, ctx := s.backend(), end(t)
				s.method = func(mctx context.Context, _ int64) (string, error) {
					ctx.end()
					<-mctx.Done()
					return "charged", c.err
				}
				if _, err := s.call(ctx, c.op, "k", "a"); err != c.err { //nolint:errorlint // unchanged
					t.Errorf("got %v, want %v", err, c.err)
				}
				s.wantRowNow("k", c.row)
				if after := s.backend(); after != before {
					t.Error("it cost the pool its connection")
				}
				if n := s.events.count(idem.EventStoreFailed); n != 0 {
					t.Errorf("%d steps of the store failed", n)
				}
			})
		}
	}
}

// backend is the server's process behind the only connection of a pool of one.
func (s *stage) backend() int {
	s.Helper()
	return ask[int](s, "SELECT pg_backend_pid()")
}

// TestD11: a caller's cancellation is his alone. It is no outcome, neither for those who wait nor for those who come later.
func TestD11_ACancellationIsNeverStored(t *testing.T) {
	t.Parallel()
	for how, end := range enders {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			s, ctx := newStage(t), end(t)
			gate := idemtest.NewGate(t)
			s.method = func(mctx context.Context, run int64) (string, error) {
				if run == 1 {
					return "", errors.Join(gate.Enter(mctx), mctx.Err())
				}
				return "charged", nil
			}
			first := s.async(ctx, &charge, "k", "a")
			gate.Await(t, 1)
			waiter := s.async(t.Context(), &charge, "k", "a")
			s.await(idem.EventWaited, 1)
			ctx.end()
			if a := <-first; !errors.Is(a.err, ctx.err) {
				t.Errorf("the first caller got %v", a)
			}
			if a := <-waiter; a != (answer{"charged", nil}) {
				t.Errorf("who waited got %v", a)
			}
			s.wantRuns(2)
			if out, err := s.call(t.Context(), &charge, "k", "a"); out != "charged" || err != nil {
				t.Errorf("who came later got %q, %v", out, err)
			}
		})
	}
}

func TestD11_ShutdownDuringARunStoresWhatTheMethodSaysAndNothingElse(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		err      error
		outcomes int
		row      string
	}{
		{"it succeeds", nil, 1, "done"},
		{"it was cut off", context.Canceled, 0, "running lapsed abandoned"},
		{"it had no effect", idem.NoEffect(context.Canceled), 0, "absent"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			gate := idemtest.NewGate(t)
			s.method = func(ctx context.Context, _ int64) (string, error) {
				_ = gate.Enter(context.WithoutCancel(ctx)) // whatever it is told
				if cause := context.Cause(ctx); !errors.Is(cause, idem.ErrClosed) {
					t.Errorf("the method was told to end by %v", cause)
				}
				return "charged", c.err
			}
			running := s.async(t.Context(), &charge, "k", "a")
			gate.Await(t, 1)
			waiter := s.async(t.Context(), &charge, "k", "a")
			s.await(idem.EventWaited, 1)
			impatient, cancel := context.WithCancel(t.Context())
			cancel()
			if err := s.engine.Shutdown(impatient); !errors.Is(err, context.Canceled) {
				t.Errorf("an impatient shutdown says %v", err)
			}
			if a := <-waiter; !errors.Is(a.err, idem.ErrInFlight) || !errors.Is(a.err, idem.ErrClosed) {
				t.Errorf("who waited got %v", a)
			}
			if got, n := s.charged("k").String(), s.outcomes(); got != "running" || n != 0 {
				t.Errorf("after the shutdown the row is %q, and %d outcomes are stored", got, n)
			}
			gate.Open()
			if a := <-running; a.err != c.err { //nolint:errorlint // unchanged
				t.Errorf("the running call got %v", a)
			}
			if got, n := s.charged("k").String(), s.outcomes(); got != c.row || n != c.outcomes {
				t.Errorf("in the end the row is %q, and %d outcomes are stored; want %q, %d", got, n, c.row, c.outcomes)
			}
			s.wantRuns(1)
		})
	}
}

// ender is a context and how it ends: by being cancelled, or because its deadline passes.
type ender struct {
	context.Context
	end func()
	err error // what it ends with
}

// enders are both kinds.
var enders = map[string]func(testing.TB) ender{
	"cancelled": func(t testing.TB) ender {
		ctx, cancel := context.WithCancel(t.Context())
		return ender{ctx, cancel, context.Canceled}
	},
	"past its deadline": func(t testing.TB) ender { return endingAs(t.Context(), context.DeadlineExceeded) },
}

// endingAs is a context that ends as an error when the test says so.
func endingAs(parent context.Context, err error) ender {
	over := make(chan struct{})
	return ender{&ending{parent, over, err}, sync.OnceFunc(func() { close(over) }), err}
}

type ending struct {
	context.Context
	over chan struct{}
	as   error
}

func (c *ending) Done() <-chan struct{} { return c.over }

func (c *ending) Err() error {
	select {
	case <-c.over:
		return c.as
	default:
		return nil
	}
}
