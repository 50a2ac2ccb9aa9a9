package scenarios

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
)

// This file is about rows that change between two steps of one call: what was seen by the first is over when the second is sent, and
// the answer must be what the row says by then. The gap inside the claim itself, between two of its statements, is opened by a proxy
// elsewhere.

// gapStage has a first run, of another process, that goes on until it is let.
type gapStage struct {
	*seamStage
	gate  *idemtest.Gate
	first <-chan answer
}

func newGapStage(t *testing.T) *gapStage {
	x := &gapStage{seamStage: newSeamStage(t), gate: idemtest.NewGate(t)}
	x.method = func(ctx context.Context, run int64) (string, error) {
		if run == 1 {
			return "first", x.gate.Enter(context.WithoutCancel(ctx))
		}
		return "second", nil
	}
	return x
}

// running has a run of another process go on; lapsed ends its lease too, as far as the database knows.
func (x *gapStage) running() {
	x.first = x.other.async(context.Background(), with(func(op *idem.Operation[string]) { op.NoRenew = true }), "k", "a")
	x.gate.Await(x, 1)
}

func (x *gapStage) lapsed() {
	x.running()
	x.age("k", time.Minute)
}

// expired is an outcome past its retention.
func (x *gapStage) expired() {
	x.gate.Open()
	if out, err := x.other.call(context.Background(), &charge, "k", "a"); out != "first" || err != nil {
		x.Fatalf("%q, %v", out, err)
	}
	x.age("k", 25*time.Hour)
}

// finish lets the first run end with its outcome stored.
func (x *gapStage) finish() {
	x.gate.Open()
	if a := <-x.first; a != (answer{"first", nil}) {
		x.Errorf("the first got %v", a)
	}
}

// gone deletes the row.
func (x *gapStage) gone() {
	x.exec("DELETE FROM idem_claims")
}

// stored has another process run to the end with an argument.
func (x *gapStage) stored(arg, want string) {
	if out, err := x.other.call(context.Background(), &charge, "k", arg); out != want || err != nil {
		x.Errorf("the other process got %q, %v; want %q", out, err, want)
	}
}

func TestA7_WhoLostAsksTheRowAndReplaysAtTheSeam(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		setup func(*gapStage)
		op    *idem.Operation[string]
		step  idemtest.Step
		gap   func(*gapStage)
		want  string
		runs  int64
	}{
		{
			"stored before the claim", (*gapStage).nothing, with(conflict), idemtest.StepClaim,
			func(x *gapStage) { x.gate.Open(); x.stored("a", "first") }, "first", 1,
		},
		{"stored before the first look of a wait", (*gapStage).running, &charge, idemtest.StepRead, (*gapStage).finish, "first", 1},
		{"stored before the take-over", (*gapStage).lapsed, &charge, idemtest.StepTakeOver, (*gapStage).finish, "first", 1},
		{"stored before a conflict's take-over", (*gapStage).lapsed, with(conflict), idemtest.StepTakeOver, (*gapStage).finish, "first", 1},
		{"stored before it was held", (*gapStage).lapsed, with(holding), idemtest.StepHoldLapsed, (*gapStage).finish, "first", 1},
		{
			"run anew and stored before the reclaim", (*gapStage).expired, &charge, idemtest.StepReclaim,
			func(x *gapStage) { x.stored("a", "second") }, "second", 2,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			x := newGapStage(t)
			c.setup(x)
			x.inTheGap(c.step, func() { c.gap(x) })
			ctx, info := idem.WithInfo(t.Context())
			out, err := x.call(ctx, c.op, "k", "a")
			if out != c.want || err != nil || !info.Replayed {
				t.Errorf("got %q, %v, %+v; want %q replayed", out, err, info, c.want)
			}
			x.wantRuns(c.runs)
		})
	}
}

func (x *gapStage) nothing() {}

func TestA7_ALeaseRenewedInTheGapIsNotTakenAtTheSeam(t *testing.T) {
	t.Parallel()
	for name, op := range map[string]*idem.Operation[string]{"rerun": with(conflict), "hold": with(func(op *idem.Operation[string]) {
		conflict(op)
		holding(op)
	})} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := newGapStage(t)
			x.lapsed()
			step := idemtest.StepTakeOver
			if op.Takeover == idem.TakeoverHold {
				step = idemtest.StepHoldLapsed
			}
			x.inTheGap(step, func() { x.age("k", -time.Hour) })
			_, err := x.call(t.Context(), op, "k", "a")
			wantErr(t, err, idem.ErrInFlight)
			x.finish()
			x.wantRuns(1)
		})
	}
}

// gaps are where a row can go between two steps of a call.
var gaps = []struct {
	name  string
	setup func(*gapStage)
	op    *idem.Operation[string]
	step  idemtest.Step
}{
	{"while it waited", (*gapStage).running, &charge, idemtest.StepRead},
	{"before the take-over", (*gapStage).lapsed, with(conflict), idemtest.StepTakeOver},
	{"before it was held", (*gapStage).lapsed, with(holding), idemtest.StepHoldLapsed},
	{"before the reclaim", (*gapStage).expired, with(conflict), idemtest.StepReclaim},
}

// TestA8: a row that is gone is nobody's, and the call that finds it so claims it; unless somebody else has, with other arguments.
func TestA8_ARowReplacedInTheGapAnswersForItselfAtTheSeam(t *testing.T) {
	t.Parallel()
	for _, g := range gaps {
		t.Run(g.name, func(t *testing.T) {
			t.Parallel()
			x := newGapStage(t)
			g.setup(x)
			x.inTheGap(g.step, func() { x.gone(); x.stored("other arguments", "second") })
			_, err := x.call(t.Context(), g.op, "k", "a")
			wantErr(t, err, idem.ErrMismatch)
			x.wantRuns(2)
		})
	}
}

func TestA8_ARowGoneInTheGapIsClaimedAtTheSeam(t *testing.T) {
	t.Parallel()
	for _, g := range gaps {
		t.Run(g.name, func(t *testing.T) {
			t.Parallel()
			x := newGapStage(t)
			g.setup(x)
			x.inTheGap(g.step, x.gone)
			ctx, info := idem.WithInfo(t.Context())
			out, err := x.call(ctx, g.op, "k", "a")
			if out != "second" || err != nil || info.Attempt != 1 || info.Replayed {
				t.Errorf("got %q, %v, %+v; want a first attempt", out, err, info)
			}
			x.wantRuns(2)
		})
	}
}

// TestA8: the claim lost to a row, and the row was gone when it was read. That says nothing yet, and the next look does.
func TestA8_NoRowIsNoAnswerAtTheSeam(t *testing.T) {
	t.Parallel()
	x := newGapStage(t)
	x.gate.Open()
	claims := 0
	x.seam.after = func(_ context.Context, _ idemtest.Step, r *idem.Row) {
		if claims++; claims == 1 {
			x.gone()
			x.stored("other arguments", "first")
			*r = idem.Row{ID: r.ID}
		}
	}
	_, err := x.call(t.Context(), with(conflict), "k", "a")
	wantErr(t, err, idem.ErrMismatch)
	if claims != 2 {
		t.Errorf("%d claims, want 2", claims)
	}
	x.wantRuns(1)
}

func TestA8_ARowThatVanishesEachTimeIsAnErrorNotInFlightAtTheSeam(t *testing.T) {
	t.Parallel()
	x := newGapStage(t)
	claims := 0
	x.seam.after = func(_ context.Context, _ idemtest.Step, r *idem.Row) {
		claims++
		x.gone()
		*r = idem.Row{ID: r.ID}
	}
	_, err := x.call(t.Context(), &charge, "k", "a")
	if e := wantErr(t, err, idem.ErrStore); e.RetryAfter <= 0 || errors.Is(err, idem.ErrInFlight) {
		t.Errorf("got %+v", e)
	}
	if claims < 2 || claims > 100 {
		t.Errorf("%d claims; the loop should be bounded, and not end at once", claims)
	}
	x.wantRuns(0)
}
