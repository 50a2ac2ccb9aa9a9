package scenarios

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
)

// This file is errors that are outcomes, in rows that other processes read: of the same build, of one that knows other errors, and on a day
// when the database does not take them.

var (
	errSoldOut  = errors.New("sold out")
	errSoldOut2 = errors.New("sold out") // of another package
)

// overdrawn is an error with data, which holds another.
type overdrawn struct {
	Missing int64     `json:"missing"`
	Since   time.Time `json:"since"`
	Err     error     `json:"-"`
}

func (o *overdrawn) Error() string { return fmt.Sprintf("%d missing: %v", o.Missing, o.Err) }
func (o *overdrawn) Unwrap() error { return o.Err }

// A build before and one after a deploy: each knows an error that the other does not.
var (
	build1 = with(rules(idem.FinalIs("shop.ErrSoldOut", errSoldOut), idem.FinalIs("stock.ErrSoldOut", errSoldOut2), idem.FinalAs[*overdrawn]()))
	build2 = with(rules(idem.FinalIs("shop.ErrSoldOut", errSoldOut), idem.FinalIs("bank.ErrDeclined", errDeclined)))
)

func rules(list ...idem.ErrorRule) func(*idem.Operation[string]) {
	return func(op *idem.Operation[string]) { op.Errors = list }
}

// TestE6: a stored failure keeps what it was, its text and its data, in every process that knows it; and in one that does not, its code
// and text. It is never run again. Two packages may use one text.
func TestE6_AFailureKeepsItsCodeItsTextAndItsData(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	since := time.Date(2024, 2, 29, 12, 0, 0, 123456789, time.FixedZone("", 3600))
	for name, err := range map[string]error{
		"value":                errSoldOut,
		"wrapped":              fmt.Errorf("order 7: %w", errSoldOut2),
		"data":                 &overdrawn{Missing: 1 << 60, Since: since, Err: errSoldOut},
		"joined":               errors.Join(errDeclined, errSoldOut, &overdrawn{Missing: 1, Err: errors.New("unknown")}),
		"of the other build":   errDeclined,
		"of neither":           errors.New("no such account"),
		"text of odd bytes":    fmt.Errorf("\x00\xff\xed\xa0\x80: %w", errSoldOut),
		"a text of a megabyte": fmt.Errorf("%s: %w", strings.Repeat("x", 1<<20-200), errSoldOut),
	} {
		run := s.anotherProcess()
		run.method = func(context.Context, int64) (string, error) { return "", idem.Final(err) }
		if _, first := run.call(t.Context(), build1, name, "a"); !errors.Is(first, err) || idem.Replayed(first) {
			t.Fatalf("%s: the first caller got %v", name, first)
		}
		for i, op := range []*idem.Operation[string]{build1, build2, &charge} {
			later := s.anotherProcess()
			ctx, info := idem.WithInfo(t.Context())
			_, again := later.call(ctx, op, name, "a")
			var stored *idem.StoredError
			if !idem.Replayed(again) || !errors.As(again, &stored) || again.Error() != err.Error() || !info.Replayed || !info.Stored || info.ExpiresAt.IsZero() {
				t.Fatalf("%s: build %d got %.80q, %+v", name, i+1, again, info)
			}
			later.wantRuns(0)
			if is, want := errors.Is(again, errSoldOut), errors.Is(err, errSoldOut) && i < 2; is != want {
				t.Errorf("%s: build %d: sold out: %v", name, i+1, is)
			}
			if is, want := errors.Is(again, errSoldOut2), errors.Is(err, errSoldOut2) && i == 0; is != want {
				t.Errorf("%s: build %d: sold out of the other package: %v", name, i+1, is)
			}
			var was, is *overdrawn
			if held := errors.As(err, &was); errors.As(again, &is) != (held && i == 0) || is != nil && (is.Missing != was.Missing || !is.Since.Equal(was.Since) || is.Err.Error() != was.Err.Error()) {
				t.Errorf("%s: build %d: holds %+v, held %+v", name, i+1, is, was)
			}
		}
	}
	if n := s.outcomes(); n != 8 {
		t.Errorf("%d outcomes", n)
	}
}

// TestE2 for errors that are stored: they end with their time, or when somebody takes them away.
func TestE2_AStoredFailureEndsWithItsTime(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*stage){
		"its time is over":      func(s *stage) { s.age("k", defaultTTL+time.Minute) },
		"somebody took it away": func(s *stage) { s.exec("DELETE FROM idem_claims WHERE key = 'k' AND state = 3") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			s.method = func(_ context.Context, run int64) (string, error) {
				if run == 1 {
					return "", errSoldOut
				}
				return "sold", nil
			}
			for range 3 {
				if _, err := s.call(t.Context(), build1, "k", "a"); !errors.Is(err, errSoldOut) {
					t.Errorf("got %v", err)
				}
			}
			_, err := s.call(t.Context(), build1, "k", "corrected")
			wantErr(t, err, idem.ErrMismatch)
			end(s)
			if out, err := s.call(t.Context(), build1, "k", "corrected"); out != "sold" || err != nil {
				t.Errorf("afterwards: %q, %v", out, err)
			}
			s.wantRuns(2)
		})
	}
}

// TestE8: a failure of one operation, or of one tenant, is nobody else's; and what says nothing is not stored.
func TestE8_AFailureIsOfItsOperationAloneAndATransientOneIsNotStored(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.method = func(_ context.Context, run int64) (string, error) {
		switch run {
		case 1:
			return "", errSoldOut
		case 2:
			return "", context.DeadlineExceeded // the other side's 504
		}
		return fmt.Sprint("ran ", run), nil
	}
	refund := with(func(op *idem.Operation[string]) { op.Name, op.Errors = "scenarios.Refund", build1.Errors })
	if _, err := s.call(t.Context(), build1, "k", "a"); !errors.Is(err, errSoldOut) {
		t.Error(err)
	}
	if _, err := s.call(t.Context(), refund, "k", "a"); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	if out, err := s.call(t.Context(), refund, "k", "a"); out != "ran 3" || err != nil {
		t.Errorf("the other operation got %q, %v", out, err)
	}
	if _, err := s.call(t.Context(), build1, "k", "a"); !errors.Is(err, errSoldOut) || !idem.Replayed(err) {
		t.Error(err)
	}
	s.wantRuns(3)
}

// TestPB3 for failures: the caller gets his error, nothing is let go, and it is stored when the database is well again.
func TestPB3_AFailureIsGivenThoughItCannotBeStored(t *testing.T) {
	t.Parallel()
	for _, u := range unstorables {
		t.Run(u.name, func(t *testing.T) {
			t.Parallel()
			s, heal := u.broken(t)
			if u.name == "the database refuses it" {
				s.exec(`DROP TRIGGER refuse ON idem_claims`)
				s.exec(`CREATE TRIGGER refuse BEFORE UPDATE ON idem_claims FOR EACH ROW WHEN (NEW.state = 3) EXECUTE FUNCTION refuse()`)
			}
			s.method = func(context.Context, int64) (string, error) { return "", errSoldOut }
			ctx, info := idem.WithInfo(t.Context())
			if _, err := s.call(ctx, build1, "k", "a"); err != errSoldOut || info.Stored || info.Replayed { //nolint:errorlint // unchanged
				t.Errorf("got %v, %+v", err, info)
			}
			other := s.anotherProcess()
			meanwhile := *build1
			meanwhile.Policy = idem.PolicyConflict
			if _, err := other.call(t.Context(), &meanwhile, "k", "a"); u.retry != nil && !errors.Is(err, u.retry) || u.retry == nil && !errors.Is(err, errSoldOut) {
				t.Errorf("a retry meanwhile got %v", err)
			}
			if n := s.events.count(idem.EventReleased) + s.events.count(idem.EventAbandoned); n != 0 {
				t.Errorf("it was let go %d times", n)
			}
			heal()
			s.await(idem.EventCompleted, 1)
			if _, err := other.call(t.Context(), build1, "k", "a"); !errors.Is(err, errSoldOut) || !idem.Replayed(err) {
				t.Errorf("a retry afterwards got %v", err)
			}
			s.wantRuns(1)
			other.wantRuns(0)
		})
	}
}

// TestB8 for failures: of two runs that overlap, the one whose outcome is stored decides for both.
func TestB8_ALateFailureIsFencedByTheOutcomeThatCounts(t *testing.T) {
	t.Parallel()
	final := func(op *idem.Operation[string]) { op.Errors = build1.Errors }
	for name, c := range map[string]struct {
		slow, fast error
		want       string
		row        string
	}{
		"by a success":  {errSoldOut, nil, "fast", "done"},
		"by a failure":  {errSoldOut, errSoldOut2, "sold out", "failed"},
		"as a success":  {nil, errSoldOut2, "sold out", "failed"},
		"by one undone": {errSoldOut, idem.NoEffect(errors.New("declined")), "sold out", "failed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			slow := s.beginLate(late(final), "a")
			s.age("k", pastLease)
			fast := s.beginLate(late(final), "a")
			fast.ends("fast", c.fast)
			a := slow.ends("slow", c.slow)
			if got := said(a.result, a.err); got != c.want || errors.Is(a.err, errSoldOut2) != errors.Is(c.fast, errSoldOut2) {
				t.Errorf("the slow one got %q (%v)", got, a.err)
			}
			s.wantRow("k", c.row)
			if slow.events.count(idem.EventFenced) != 1 && name != "by one undone" {
				t.Errorf("events %v", slow.events.kinds())
			}
			s.method = nil
			out, err := s.call(t.Context(), with(final), "k", "a")
			if got := said(out, err); got != c.want {
				t.Errorf("later: %q", got)
			}
			s.wantRuns(0)
		})
	}
}

// TestE5 for failures: many processes at once, one run, and all but one are told that theirs is a replay.
func TestE5_AReplayedFailureSaysThatItIsOne(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	gate := idemtest.NewGate(t)
	s.method = func(ctx context.Context, _ int64) (string, error) {
		return "", errors.Join(gate.Enter(ctx), &overdrawn{Missing: 7, Err: errSoldOut})
	}
	const callers = 6
	var calls []<-chan answer
	for range callers {
		calls = append(calls, s.twin().async(t.Context(), build1, "k", "a"))
	}
	gate.Await(t, 1)
	gate.Open()
	replayed := 0
	for _, c := range calls {
		var o *overdrawn
		if a := <-c; !errors.As(a.err, &o) || o.Missing != 7 || !errors.Is(a.err, errSoldOut) {
			t.Errorf("got %v", a.err)
		} else if idem.Replayed(a.err) {
			replayed++
		}
	}
	s.wantRuns(1)
	if replayed != callers-1 {
		t.Errorf("%d of %d are replays", replayed, callers)
	}
}
