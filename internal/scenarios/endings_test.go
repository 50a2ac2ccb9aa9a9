package scenarios

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/idemgen/idemgen/idem"
)

func TestD1_AnOutcomeIsStoredThoughTheCallerHungUp(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	ctx, cancel := context.WithCancel(t.Context())
	s.method = func(context.Context, int64) (string, error) {
		cancel() // the client goes away while the card is being charged
		return "charged", nil
	}
	if out, err := s.call(ctx, &charge, "k", "a"); out != "charged" || err != nil {
		t.Errorf("got %q, %v", out, err)
	}
	if r := s.charged("k"); r.State != int(idem.StateDone) {
		t.Errorf("the row is %+v", r)
	}
	if out, err := s.call(t.Context(), &charge, "k", "a"); out != "charged" || err != nil {
		t.Errorf("the retry got %q, %v", out, err)
	}
	s.wantRuns(1)
}

// TestD14: whatever way a method leaves, the claim is left abandoned, and the panic goes on as it was.
func TestD14_APanicOrGoexitAbandonsAndPassesThrough(t *testing.T) {
	t.Parallel()
	for _, way := range []struct {
		name  string
		leave func()
		value string // what recover sees
	}{
		{"panic", func() { panic("card network on fire") }, "card network on fire"},
		{"panic(nil)", func() { panic(nil) }, "panic called with nil argument"}, //nolint:govet // on purpose
		{"Goexit", runtime.Goexit, "<nil>"},
	} {
		t.Run(way.name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			s.method = func(_ context.Context, run int64) (string, error) {
				if run == 1 {
					leave(way.leave)
				}
				return "charged", nil
			}
			left := make(chan string, 2)
			go func() {
				defer func() {
					stack := make([]byte, 1<<16)
					p := recover()
					left <- fmt.Sprint(p)
					left <- string(stack[:runtime.Stack(stack, false)])
				}()
				_, _ = s.call(t.Context(), &charge, "k", "a")
				t.Error("the call returned")
			}()
			if value := <-left; !strings.HasPrefix(value, way.value) {
				t.Errorf("recovered %q, want %q", value, way.value)
			}
			if stack := <-left; !strings.Contains(stack, "scenarios.leave") {
				t.Errorf("the stack does not show where it came from:\n%s", stack)
			}
			if r := s.charged("k"); r.State != int(idem.StateRunning) || !r.Lapsed || !r.Abandoned || r.Lapses != 1 {
				t.Errorf("the row is %+v; want it abandoned, with one lapse", r)
			}
			ctx, info := idem.WithInfo(t.Context())
			if out, err := s.call(ctx, &charge, "k", "a"); out != "charged" || err != nil || info.Attempt != 2 {
				t.Errorf("the next call got %q, %v, %+v", out, err, info)
			}
			s.wantRuns(2)
		})
	}
}

//go:noinline
func leave(way func()) { way() }

// TestEndings is the table of how a run ends: what the row is afterwards, for each kind of error and both take-over policies.
func TestEndings_AnErrorEndsTheRunByWhatItSaysOfTheEffect(t *testing.T) {
	t.Parallel()
	declined, timeout := errors.New("declined"), &net.OpError{Op: "read", Err: os.ErrDeadlineExceeded}
	const released, abandoned, held = "absent", "running lapsed abandoned", "unknown"
	for _, c := range []struct {
		name        string
		err         error
		rerun, hold string
	}{
		{"an ordinary error", declined, released, held},
		{"NoEffect", idem.NoEffect(io.EOF), released, released},
		{"Unknown", idem.Unknown(declined), abandoned, held},
		{"the outermost mark counts", idem.NoEffect(idem.Unknown(declined)), released, released},
		{"a mark inside", fmt.Errorf("charge: %w", idem.Unknown(declined)), abandoned, held},
		{"context.Canceled", fmt.Errorf("call: %w", context.Canceled), abandoned, held},
		{"context.DeadlineExceeded", context.DeadlineExceeded, abandoned, held},
		{"a socket timeout", timeout, abandoned, held},
		{"io.EOF", io.EOF, abandoned, held},
		{"io.ErrUnexpectedEOF", fmt.Errorf("post: %w", io.ErrUnexpectedEOF), abandoned, held},
		{"connection reset", &net.OpError{Op: "read", Err: syscall.ECONNRESET}, abandoned, held},
		{"an inner unknown outcome", &idem.Error{Kind: idem.ErrOutcomeUnknown}, abandoned, held},
		{"an inner store failure", &idem.Error{Kind: idem.ErrStore}, abandoned, held},
		{"a rule: release", errRule{"release"}, released, released},
		{"a rule: unknown", errRule{"unknown"}, abandoned, held},
		{"a mark goes before the rules", idem.NoEffect(errRule{"unknown"}), released, released},
		{"a classifier", errClassified, abandoned, held},
	} {
		for takeover, want := range map[idem.Takeover]string{idem.TakeoverRerun: c.rerun, idem.TakeoverHold: c.hold} {
			t.Run(fmt.Sprintf("%s/%d", c.name, takeover), func(t *testing.T) {
				t.Parallel()
				s := newStage(t, idem.WithClassifier(func(err error) bool { return errors.Is(err, errClassified) }))
				op := with(func(op *idem.Operation[string]) {
					op.Takeover = takeover
					op.Errors = []idem.ErrorRule{idem.ReleaseIs(errRule{"release"}), idem.UnknownAs[errRule]()}
				})
				s.method = func(context.Context, int64) (string, error) { return "lost", c.err }
				out, err := s.call(t.Context(), op, "k", "a")
				if err != c.err || out != "" { //nolint:errorlint // unchanged
					t.Errorf("got %q, %v; want the method's error unchanged and no result", out, err)
				}
				s.wantRowNow("k", want)
			})
		}
	}
}

type errRule struct{ what string }

func (e errRule) Error() string { return e.what }

var errClassified = errors.New("rpc error: code = Unavailable")

func TestEndings_AnErrorOfACancelledMethodSaysNothing(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	ctx, cancel := context.WithCancel(t.Context())
	s.method = func(context.Context, int64) (string, error) {
		cancel()
		return "", errors.New("looks like a plain refusal")
	}
	if _, err := s.call(ctx, &charge, "k", "a"); err == nil {
		t.Fatal("no error")
	}
	if r := s.charged("k"); !r.Abandoned || r.Lapses != 0 {
		t.Errorf("the row is %+v; want it abandoned, not counted as a lapse", r)
	}
}

func TestHold_ALapsedClaimIsUnknownAndItsLateOwnerSettlesIt(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	gate := s.gated()
	slow := s.async(t.Context(), with(holding), "k", "a")
	gate.Await(t, 1)
	s.age("k", time.Minute)
	for range 2 {
		_, err := s.call(t.Context(), with(holding), "k", "a")
		wantErr(t, err, idem.ErrOutcomeUnknown)
	}
	_, err := s.call(t.Context(), with(holding), "k", "other")
	wantErr(t, err, idem.ErrMismatch)
	gate.Open()
	if a := <-slow; a != (answer{"charged", nil}) {
		t.Errorf("the late owner got %v", a)
	}
	if out, err := s.call(t.Context(), with(holding), "k", "a"); out != "charged" || err != nil {
		t.Errorf("after it was settled: %q, %v", out, err)
	}
	s.wantRuns(1)
}

func TestMaxAttempts_ManyPanicsMakeTheOutcomeUnknown(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	op := with(func(op *idem.Operation[string]) { op.MaxAttempts = 3 })
	s.method = func(context.Context, int64) (string, error) { panic("poison") }
	for range 3 {
		func() {
			defer func() { _ = recover() }()
			_, _ = s.call(t.Context(), op, "k", "a")
		}()
	}
	_, err := s.call(t.Context(), op, "k", "a")
	wantErr(t, err, idem.ErrOutcomeUnknown)
	s.wantRuns(3)
}

func TestMaxAttempts_CallersWhoGiveUpDoNotCount(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	op := with(func(op *idem.Operation[string]) { op.MaxAttempts = 2 })
	s.method = func(_ context.Context, run int64) (string, error) {
		if run < 6 {
			return "", context.Canceled
		}
		return "charged", nil
	}
	for range 5 {
		if _, err := s.call(t.Context(), op, "k", "a"); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
	if out, err := s.call(t.Context(), op, "k", "a"); out != "charged" || err != nil {
		t.Errorf("got %q, %v", out, err)
	}
}

func TestPB5_AResultThatCannotBeEncodedIsATombstone(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	runs := 0
	op := &idem.Operation[float64]{Name: "scenarios.Rate"}
	call := func(ctx context.Context) (float64, error) {
		return idem.Do(ctx, s.engine, op, idem.Call[float64]{
			Key: idem.StringKey("k"),
			Run: func(context.Context) (float64, error) { runs++; return math.NaN(), nil },
		})
	}
	ctx, info := idem.WithInfo(t.Context())
	if out, err := call(ctx); !math.IsNaN(out) || err != nil || info.Stored {
		t.Errorf("the first call got %v, %v, %+v; want its result, not stored", out, err, info)
	}
	for range 2 {
		_, err := call(t.Context())
		wantErr(t, err, idem.ErrResultNotStored)
	}
	if runs != 1 {
		t.Errorf("the method ran %d times", runs)
	}
	if r := s.row(op.Name, "", "k"); r.State != int(idem.StateDone) || r.Codec != "none" || len(r.Result) != 0 {
		t.Errorf("the row is %+v", r)
	}
}

func TestPB6_AResultAboveTheLimitIsATombstone(t *testing.T) {
	t.Parallel()
	s := newStage(t, idem.WithMaxResult(100))
	for size, stored := range map[int]bool{97: true, 98: true, 99: false, 5000: false} { // two bytes are the quotes
		key := fmt.Sprint("k", size)
		s.method = func(context.Context, int64) (string, error) { return strings.Repeat("x", size), nil }
		ctx, info := idem.WithInfo(t.Context())
		if out, err := s.call(ctx, &charge, key, "a"); len(out) != size || err != nil || info.Stored != stored {
			t.Errorf("%d: %d bytes, %v, %+v", size, len(out), err, info)
		}
		if _, err := s.call(t.Context(), &charge, key, "a"); errors.Is(err, idem.ErrResultNotStored) == stored {
			t.Errorf("%d: the replay says %v", size, err)
		}
	}
	s.wantRuns(4)
}
