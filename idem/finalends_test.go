package idem_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
)

// This file is final errors on a bad day: the store is away, another call has the row, the error does not fit or can't be written.
// Whatever comes, the caller gets his error or the outcome that counts, and nobody is invited to run it again.

// TestFinal_WhatCannotBeKeptIsLeftOutAndReported: of an error that is too long, its text is cut at a character; then its data goes, then
// what it was, then its text.
func TestFinal_WhatCannotBeKeptIsLeftOutAndReported(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é€𝄞", 3000)
	big := &limited{Left: 1, Notes: []string{long}}
	for name, c := range map[string]struct {
		err    error
		limit  int
		is, as bool
		text   string // what is kept of it begins so
		code   string
	}{
		"a long text":                 {errors.Join(errors.New(long), errSoldOut, &limited{Left: 1}), 2000, true, true, long[:900], "shop.ErrSoldOut"},
		"much data":                   {errors.Join(errSoldOut, big), 2000, true, false, "sold out\nlimited", "shop.ErrSoldOut"},
		"much data in a field":        {&step{"a", errors.Join(errSoldOut, big)}, 2000, true, false, "a: sold out", "shop.ErrSoldOut"},
		"a long text in a field":      {note{errors.New(long), "short"}, 2000, false, false, "short", "github.com/idemgen/idemgen/idem_test.note"},
		"long names":                  {errors.Join(errSoldOut, &limited{}), 100, true, false, "sold out\nlimited", "shop.ErrSoldOut"},
		"nothing fits":                {errors.Join(errSoldOut, &limited{}), 10, true, false, "an error was stored", "shop.ErrSoldOut"},
		"nothing fits, and no rule":   {errElsewhere, 10, false, false, "an error was stored", "idem.Final"},
		"a long text that is no text": {errors.Join(errors.New("\xff"+long), errSoldOut), 2000, true, false, "\uFFFD" + long[:900], "shop.ErrSoldOut"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := fails(t, idem.Final(c.err), idem.WithMaxResult(c.limit))
			if _, err := p.pay(t.Context(), final(finalRules...)); err.Error() != c.err.Error() {
				t.Errorf("the caller got %.80q", err)
			}
			ctx, info := idem.WithInfo(t.Context())
			_, err := p.pay(ctx, final(finalRules...))
			var l *limited
			var stored *idem.StoredError
			if is, as := errors.Is(err, errSoldOut), errors.As(err, &l); is != c.is || as != c.as || !idem.Replayed(err) || !errors.As(err, &stored) || stored.Code != c.code {
				t.Errorf("got %#v; Is: %v, As: %v", err, is, as)
			}
			r := p.store.Row(payRow)
			if text := err.Error(); !strings.HasPrefix(text, c.text) || !utf8.ValidString(text) || len(r.Result) > c.limit || p.saw(idem.EventCompleteFailed) != 1 {
				t.Errorf("kept %.80q in %d bytes; events %v", text, len(r.Result), p.kinds())
			}
			if wantStored := r.Codec == "error"; info.Stored != wantStored || r.State != idem.StateFailed || p.runs.Load() != 1 {
				t.Errorf("%+v, row in state %d by %s, %d runs", info, r.State, r.Codec, p.runs.Load())
			}
		})
	}
}

// rude is an error whose methods do what they shouldn't.
type rude struct{ Kind string }

func (r rude) Error() string {
	if r.Kind == "text" {
		panic("no text")
	}
	return "rude"
}

func (r rude) Unwrap() error {
	if r.Kind == "unwrap" && onStack(".(*errorWriter).") {
		panic("nothing within")
	}
	return nil
}

func (r rude) MarshalText() ([]byte, error) {
	switch r.Kind {
	case "marshal":
		panic("no data")
	case "goexit":
		runtime.Goexit()
	case "fail":
		return nil, errors.New("no data")
	}
	return []byte(r.Kind), nil
}

func (r *rude) UnmarshalText(text []byte) error {
	if r.Kind = string(text); r.Kind == "unmarshal" {
		panic("unreadable")
	}
	return nil
}

// onStack reports whether a function is on the stack.
func onStack(function string) bool {
	stack := make([]byte, 1<<16)
	return strings.Contains(string(stack[:runtime.Stack(stack, false)]), function)
}

// TestFinal_AnErrorThatMisbehavesIsStoredWithoutWhatItCannotSay: its panic must not look like one of the method's, which would invite a run.
func TestFinal_AnErrorThatMisbehavesIsStoredWithoutWhatItCannotSay(t *testing.T) {
	t.Parallel()
	for kind, c := range map[string]struct {
		as    bool
		codec string
		text  string
	}{
		"fine":      {true, "error", "rude"},
		"text":      {true, "error", "an error of type idem_test.rude, which panics when it is asked for its text"},
		"unwrap":    {true, "error", "rude"},
		"marshal":   {false, "error", "rude"},
		"fail":      {false, "error", "rude"},
		"unmarshal": {false, "error", "rude"},
		"goexit":    {false, "none", ""},
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			p := fails(t, rude{kind})
			rule := final(idem.FinalAs[rude]())
			var first error
			var wg sync.WaitGroup
			wg.Go(func() { _, first = p.pay(t.Context(), rule) })
			wg.Wait()
			if first != (rude{kind}) && kind != "goexit" { //nolint:errorlint // unchanged
				t.Errorf("the caller got %T", first)
			}
			_, err := p.pay(t.Context(), rule)
			var r rude
			if as := errors.As(err, &r); as != c.as || as && r.Kind != kind || !idem.Replayed(err) || !strings.HasPrefix(err.Error(), c.text) {
				t.Errorf("got %v, %v", err, as)
			}
			row := p.store.Row(payRow)
			if whole := kind == "fine" || kind == "text"; row.State != idem.StateFailed || row.Codec != c.codec || p.runs.Load() != 1 || whole != (p.saw(idem.EventCompleteFailed) == 0) {
				t.Errorf("row %+v, %d runs, events %v", row, p.runs.Load(), p.kinds())
			}
		})
	}
}

// TestFinal_WhatIsStoredOfAnErrorAndCannotBeReadIsNeverARun.
func TestFinal_WhatIsStoredOfAnErrorAndCannotBeReadIsNeverARun(t *testing.T) {
	t.Parallel()
	for name, edit := range map[string]func(*idem.Row){
		"damaged":        func(r *idem.Row) { r.Result = r.Result[:len(r.Result)-1] },
		"empty":          func(r *idem.Row) { r.Result = nil },
		"no version":     func(r *idem.Row) { r.Result = []byte(`{"message":"x"}`) },
		"of a codec":     func(r *idem.Row) { r.Codec = "sealed+error" },
		"as a result is": func(r *idem.Row) { r.Codec, r.Result = "json", []byte(`"x"`) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := fails(t, idem.Final(errSoldOut))
			_, _ = p.pay(t.Context())
			p.store.Edit(payRow, edit)
			var e *idem.Error
			if _, err := p.pay(t.Context()); !errors.Is(err, idem.ErrUnreadable) || !errors.As(err, &e) || e.State != idem.StateFailed || idem.Replayed(err) {
				t.Errorf("got %v", err)
			}
			if p.runs.Load() != 1 {
				t.Errorf("%d runs", p.runs.Load())
			}
		})
	}
}

// TestFinal_AStoreThatIsAwayKeepsNobodyFromHisError: the caller has it at once, storing goes on, and no retry runs meanwhile.
func TestFinal_AStoreThatIsAwayKeepsNobodyFromHisError(t *testing.T) {
	t.Parallel()
	p := fails(t, errSoldOut, idem.WithStoreTimeout(100*time.Millisecond))
	down := p.store.Inject(idemtest.StepComplete, idemtest.Fault{Times: idemtest.Always})
	ctx, info := idem.WithInfo(t.Context())
	if _, err := p.pay(ctx, final(finalRules...)); err != errSoldOut || info.Stored || down.Hits() == 0 { //nolint:errorlint // unchanged
		t.Errorf("got %v, %+v", err, info)
	}
	if _, err := p.pay(t.Context(), final(finalRules...), conflicting); !errors.Is(err, idem.ErrInFlight) {
		t.Errorf("a retry got %v", err)
	}
	if n := p.store.Calls(idemtest.StepRelease) + p.store.Calls(idemtest.StepAbandon); n != 0 {
		t.Errorf("the claim was let go %d times", n)
	}
	down.Stop()
	p.eventually("the outcome", func() bool { return p.saw(idem.EventCompleted) == 1 })
	if _, err := p.pay(t.Context(), final(finalRules...)); !errors.Is(err, errSoldOut) || !idem.Replayed(err) || p.runs.Load() != 1 {
		t.Errorf("a later call got %v after %d runs", err, p.runs.Load())
	}
}

// TestFinal_AnAnswerThatIsLostIsAskedForAgain: it was stored, and is stored once.
func TestFinal_AnAnswerThatIsLostIsAskedForAgain(t *testing.T) {
	t.Parallel()
	for name, action := range map[string]idemtest.Action{"never sent": idemtest.Refuse, "applied": idemtest.LoseAnswer} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := fails(t, errSoldOut)
			p.store.Inject(idemtest.StepComplete, idemtest.Fault{Do: action})
			ctx, info := idem.WithInfo(t.Context())
			if _, err := p.pay(ctx, final(finalRules...)); err != errSoldOut || !info.Stored { //nolint:errorlint // unchanged
				t.Errorf("got %v, %+v", err, info)
			}
			if _, err := p.pay(t.Context(), final(finalRules...)); !errors.Is(err, errSoldOut) || p.runs.Load() != 1 {
				t.Errorf("a later call got %v", err)
			}
		})
	}
}

// TestFinal_WhoIsOvertakenGetsTheOutcomeThatCounts: all callers of a key get one answer, be it a result or an error.
func TestFinal_WhoIsOvertakenGetsTheOutcomeThatCounts(t *testing.T) {
	t.Parallel()
	declined := errors.New("declined")
	rules := final(append([]idem.ErrorRule{idem.FinalIs("bank.ErrDeclined", declined)}, finalRules...)...)
	for name, c := range map[string]struct {
		slow, fast error
		check      func(t *testing.T, out string, err error)
	}{
		"a failure by a success": {errSoldOut, nil, func(t *testing.T, out string, err error) {
			if out != "fast" || err != nil {
				t.Errorf("got %q, %v", out, err)
			}
		}},
		"a failure by another": {errSoldOut, declined, func(t *testing.T, _ string, err error) {
			lost, ok := idem.LostResult[error](err)
			if !errors.Is(err, declined) || errors.Is(err, errSoldOut) || !idem.Replayed(err) || !ok || lost != errSoldOut { //nolint:errorlint // that very error
				t.Errorf("got %v, lost %v", err, lost)
			}
		}},
		"a success by a failure": {nil, declined, func(t *testing.T, out string, err error) {
			lost, ok := idem.LostResult[string](err)
			if out != "" || !errors.Is(err, declined) || !idem.Replayed(err) || !ok || lost != "slow" {
				t.Errorf("got %q, %v, lost %q", out, err, lost)
			}
		}},
		"a failure by a run that failed": {errSoldOut, errElsewhere, func(t *testing.T, _ string, err error) {
			if err != errSoldOut { //nolint:errorlint // unchanged
				t.Errorf("got %v", err)
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlay(t)
			p.method = func(ctx context.Context, run int64) (string, error) {
				if run == 2 {
					return "fast", c.fast
				}
				p.store.Age(payRow, time.Hour)
				_, _ = p.pay(context.WithoutCancel(t.Context()), rules)
				return "slow", c.slow
			}
			out, err := p.pay(t.Context(), rules)
			c.check(t, out, err)
			if p.saw(idem.EventFenced) == 0 || p.runs.Load() != 2 {
				t.Errorf("events %v", p.kinds())
			}
			_, again := p.pay(t.Context(), rules)
			if err != nil && again.Error() != err.Error() || (err == nil) != (again == nil) || p.runs.Load() != 2 {
				t.Errorf("a later call got %v after %d runs", again, p.runs.Load())
			}
		})
	}
}

// TestFinal_WhoIsOvertakenByARunThatGoesOnKnowsNothingYet: his own error is not the outcome, and goes with the one that says so.
func TestFinal_WhoIsOvertakenByARunThatGoesOnKnowsNothingYet(t *testing.T) {
	t.Parallel()
	p := newPlay(t)
	p.method = func(context.Context, int64) (string, error) {
		p.store.Edit(payRow, func(r *idem.Row) { r.Owner, r.Attempt = idem.Owner{1}, 2 })
		return "", errSoldOut
	}
	_, err := p.pay(t.Context(), final(finalRules...), conflicting)
	if lost, ok := idem.LostResult[error](err); !errors.Is(err, idem.ErrLeaseLost) || errors.Is(err, errSoldOut) || !ok || lost != errSoldOut { //nolint:errorlint // that very error
		t.Errorf("got %v", err)
	}
}

// TestE5_WaitersGetTheErrorToo: whoever waited while it ran, in this process or another.
func TestE5_WaitersGetTheErrorToo(t *testing.T) {
	t.Parallel()
	p := newPlay(t)
	waiting := make(chan struct{})
	p.method = func(context.Context, int64) (string, error) {
		<-waiting
		return "", &limited{Left: 3}
	}
	errs := make([]error, 8)
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() { _, errs[i] = p.pay(t.Context(), final(finalRules...)) })
	}
	p.eventually("the waiters", func() bool { return p.saw(idem.EventWaited) == len(errs)-1 })
	close(waiting)
	wg.Wait()
	replayed, held := 0, map[*limited]bool{}
	for _, err := range errs {
		var l *limited
		if !errors.As(err, &l) || l.Left != 3 {
			t.Errorf("got %v", err)
		}
		held[l] = true
		if idem.Replayed(err) {
			replayed++
		}
	}
	if replayed != len(errs)-1 || len(held) != len(errs) || p.runs.Load() != 1 {
		t.Errorf("%d replays, %d copies, %d runs", replayed, len(held), p.runs.Load())
	}
}

// TestFinal_WhoWantsToSeeWhatIsStoredGetsTheErrorAsLaterCallersDo: but it is not replayed. What could not be stored is his own.
func TestFinal_WhoWantsToSeeWhatIsStoredGetsTheErrorAsLaterCallersDo(t *testing.T) {
	t.Parallel()
	own := errors.Join(&step{"pay", errSoldOut}, errElsewhere)
	p := fails(t, own, idem.WithStoredResults())
	_, err := p.pay(t.Context(), final(finalRules...))
	var stored *idem.StoredError
	if !errors.As(err, &stored) || idem.Replayed(err) {
		t.Errorf("got %#v", err)
	}
	alike(t, own, err)
	if errors.Is(err, errElsewhere) {
		t.Error("it is what no rule knows")
	}
	_, again := p.pay(t.Context(), final(finalRules...))
	if alike(t, err, again); !idem.Replayed(again) || p.runs.Load() != 1 {
		t.Errorf("later: %v", again)
	}
	p = fails(t, own, idem.WithStoredResults(), idem.WithMaxResult(10))
	if _, err := p.pay(t.Context(), final(finalRules...)); !errors.Is(err, errElsewhere) {
		t.Errorf("got %v", err)
	}
}

// TestReplayed_IsAboutStoredErrorsAlone.
func TestReplayed_IsAboutStoredErrorsAlone(t *testing.T) {
	t.Parallel()
	for _, err := range []error{nil, errSoldOut, idem.Final(errSoldOut), idem.ErrInFlight, &idem.Error{Kind: idem.ErrMismatch}, &idem.StoredError{}} {
		if idem.Replayed(err) {
			t.Errorf("%#v is replayed", err)
		}
	}
}
