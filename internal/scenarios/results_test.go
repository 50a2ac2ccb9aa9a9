package scenarios

import (
	"context"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/idemgen/idemgen/idem"
)

// receipt is a result with a bit of everything.
type receipt struct {
	ID    string            `json:"id"`
	Cents int64             `json:"cents"`
	Lines []string          `json:"lines"`
	Meta  map[string]string `json:"meta"`
	Ref   *string           `json:"ref"`
	At    time.Time         `json:"at"`
}

// TestF1: a zero value is a result like any other, and nil is not empty.
func TestF1_ZeroNilAndEmptyResultsComeBackAsTheyLeft(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	empty := ""
	replays(t, s, 0)
	replays(t, s, false)
	replays(t, s, "")
	replays(t, s, [3]int{})
	replays(t, s, receipt{})
	replays(t, s, receipt{Lines: []string{}, Meta: map[string]string{}, Ref: &empty})
	replays(t, s, []receipt(nil))
	replays(t, s, []receipt{})
	replays(t, s, map[string]int(nil))
	replays(t, s, map[string]int{})
	replays(t, s, (*receipt)(nil))
	replays(t, s, &receipt{})
	replays(t, s, []byte(nil))
	replays(t, s, []byte{})
	replays(t, s, int64(9007199254740993))
	replays(t, s, "\x00 \u2028 \U0001F4B8 </script>")
	replays(t, s, []byte{0, 0xff, 0xed, 0xa0, 0x80})
	replays(t, s, time.Date(2026, 3, 1, 12, 0, 0, 123456789, time.UTC))
}

// replays calls an operation twice and compares: one run, the same value, the second marked replayed.
func replays[T any](t *testing.T, s *stage, want T) {
	t.Helper()
	runs := 0
	op := &idem.Operation[T]{Name: fmt.Sprintf("scenarios.Result[%s]", idem.TypeName[T]())}
	for i := range 2 {
		ctx, info := idem.WithInfo(t.Context())
		got, err := idem.Do(ctx, s.engine, op, idem.Call[T]{
			Key: idem.StringKey(fmt.Sprintf("%#v", want)[:min(255, len(fmt.Sprintf("%#v", want)))]),
			Run: func(context.Context) (T, error) { runs++; return want, nil },
		})
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("call %d: got %#v, %v; want %#v", i+1, got, err, want)
		}
		if info.Replayed != (i == 1) || !info.Stored || info.Attempt != 1 || info.CompletedAt.IsZero() || info.ExpiresAt.IsZero() {
			t.Errorf("call %d: %+v", i+1, info)
		}
	}
	if runs != 1 {
		t.Errorf("%#v: ran %d times", want, runs)
	}
}

func TestF2_AMethodWithoutResultIsFinishedAllTheSame(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	runs := 0
	op := &idem.Operation[idem.Void]{Name: "scenarios.Refund"}
	for range 3 {
		_, err := idem.Do(t.Context(), s.engine, op, idem.Call[idem.Void]{
			Key: idem.StringKey("k"),
			Run: func(context.Context) (idem.Void, error) { runs++; return idem.Void{}, nil },
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if r := s.row(op.Name, "", "k"); runs != 1 || r.State != int(idem.StateDone) || r.Codec != "void" || len(r.Result) != 0 {
		t.Errorf("%d runs, row %+v", runs, r)
	}
}

func TestF13_AChangedResultTypeIsUnreadableNeverRunAgain(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	type before struct{ ID, Note string }
	type after struct{ ID string } // Note is gone: a replay would lose it in silence
	do(t, s, before{"r1", "kept"})
	runs := 0
	_, err := idem.Do(t.Context(), s.engine, &idem.Operation[after]{Name: "scenarios.Drift"}, idem.Call[after]{
		Key: idem.StringKey("k"),
		Run: func(context.Context) (after, error) { runs++; return after{}, nil },
	})
	wantErr(t, err, idem.ErrUnreadable)
	if runs != 0 {
		t.Error("it ran again")
	}
}

func do[T any](t *testing.T, s *stage, v T) {
	t.Helper()
	_, err := idem.Do(t.Context(), s.engine, &idem.Operation[T]{Name: "scenarios.Drift"}, idem.Call[T]{
		Key: idem.StringKey("k"),
		Run: func(context.Context) (T, error) { return v, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestF5: results that are maps, or hold them.
func TestF5_MapsComeBackAsTheyLeft(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	replays(t, s, map[string]string{"id": "7", "": "empty", "null": "null"})
	replays(t, s, map[string]map[string][]int{"a": {"b": {1, 2}, "c": {}}, "d": {}})
	replays(t, s, map[int64]bool{9007199254740993: true, -1: false})
	replays(t, s, []map[string]receipt{{"x": {ID: "r", Meta: map[string]string{"k": "v"}}}, {}})
	replays(t, s, receipt{Meta: map[string]string{"status": "paid"}})
}
