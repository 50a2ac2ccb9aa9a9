package idem_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"reflect"
	"strings"
	"syscall"
	"testing"

	"github.com/idemgen/idemgen/idem"
)

// This file is errors that are outcomes: what comes back is what had been returned, as far as the rules of the operation know it.

// Errors of every kind. Two have one text.
var (
	errSoldOut   = errors.New("sold out")
	errNoStock   = errors.New("sold out") // of another package, say
	errClosed    = fmt.Errorf("closed: %w", errSoldOut)
	errElsewhere = errors.New("elsewhere")
)

var finalRules = []idem.ErrorRule{
	idem.FinalIs("shop.ErrSoldOut", errSoldOut), idem.FinalIs("stock.ErrNoStock", errNoStock), idem.FinalIs("shop.ErrClosed", errClosed),
	idem.FinalAs[*limited](), idem.FinalAs[refused](), idem.FinalAs[*missing[string]](), idem.FinalAs[*missing[int]](),
	idem.FinalAs[*step](), idem.FinalAs[note](), idem.FinalAs[*private](), idem.FinalAs[marshals](), idem.FinalAs[*url.Error](),
	idem.FinalIs("io/fs.ErrNotExist", fs.ErrNotExist), idem.FinalAs[*fs.PathError](), idem.FinalAs[syscall.Errno](),
}

func final(rules ...idem.ErrorRule) func(*idem.Operation[string]) {
	return func(op *idem.Operation[string]) { op.Errors = rules }
}

// fails is a play whose method returns err.
func fails(t *testing.T, err error, opts ...idem.Option) *play {
	p := newPlay(t, opts...)
	p.method = func(context.Context, int64) (string, error) { return "beside it", err }
	return p
}

// TestPE1_AnErrorComesBackAsWhatItWas: for every rule, errors.Is and errors.As find in the replay what they found in the original, and
// nothing else.
func TestPE1_AnErrorComesBackAsWhatItWas(t *testing.T) {
	t.Parallel()
	deep := error(errSoldOut)
	for i := range 20 {
		deep = &step{fmt.Sprint(i), deep}
	}
	for name, err := range map[string]error{
		"value":                             errSoldOut,
		"value of the same text":            errNoStock,
		"value that wraps another":          errClosed,
		"wrapped":                           fmt.Errorf("charge: %w", errSoldOut),
		"wrapped twice, among others":       fmt.Errorf("a: %w, b: %w", fmt.Errorf("b: %w", errNoStock), errElsewhere),
		"joined":                            errors.Join(errSoldOut, &limited{Left: 3}, nil, refused{"r"}),
		"joined, two of one type":           errors.Join(&limited{Left: 1}, &limited{Left: 2}, errNoStock),
		"type, by pointer":                  &limited{Left: 1 << 60, Notes: []string{}},
		"type, by value":                    refused{"x"},
		"type, wrapped":                     fmt.Errorf("charge: %w", refused{"x <&>\u2028"}),
		"zero values":                       fmt.Errorf("%w %w", &limited{}, refused{}),
		"nil pointer":                       errors.Join(refused{}, (*limited)(nil)),
		"generic":                           errors.Join(&missing[string]{"order"}, &missing[int]{7}),
		"one instance of two":               &missing[int]{7},
		"of another package":                &url.Error{Op: "Get", URL: "https://example.com", Err: errSoldOut},
		"of the system":                     &fs.PathError{Op: "open", Path: "/a", Err: syscall.ENOENT},
		"holds another":                     &step{"pay", errSoldOut},
		"holds one with data":               &step{"pay", fmt.Errorf("wrapped: %w", &limited{Left: 4})},
		"holds another of its type":         &step{"a", &step{"b", &step{"c", &limited{Left: 5}}}},
		"holds one that nobody knows":       &step{"pay", errElsewhere},
		"holds one and does not wrap it":    note{errSoldOut, "see there"},
		"holds nil":                         note{nil, "nothing"},
		"wraps what it does not show":       &private{Code: 7, errs: []error{errSoldOut, &limited{Left: 2}}},
		"many levels":                       deep,
		"by a method Is":                    fmt.Errorf("get: %w", status(404)),
		"by a method As":                    fmt.Errorf("pay: %w", status(402)),
		"by neither":                        errors.Join(status(500), errSoldOut),
		"with a text form":                  marshals{"s"},
		"text that is not UTF-8":            fmt.Errorf("a\xff\x00b: %w", errSoldOut),
		"text of control characters":        fmt.Errorf("\x00\x1b[31m\u2028: %w", errSoldOut),
		"text that is empty":                refusedQuietly{refused{"q"}},
		"marked, and marked within":         fmt.Errorf("x: %w", idem.NoEffect(errSoldOut)),
		"marked in a field":                 &step{"pay", idem.Unknown(errSoldOut)},
		"a final error of an inner wrapper": replayOf(t, errors.Join(errSoldOut, &limited{Left: 9})),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := fails(t, idem.Final(err))
			if _, first := p.pay(t.Context(), final(finalRules...)); !reflect.DeepEqual(first, idem.Final(err)) || idem.Replayed(first) != idem.Replayed(err) {
				t.Fatalf("the first caller got %#v", first)
			}
			for range 2 {
				ctx, info := idem.WithInfo(t.Context())
				out, again := p.pay(ctx, final(finalRules...))
				if out != "" || !idem.Replayed(again) || !info.Replayed || !info.Stored || info.CompletedAt.IsZero() {
					t.Errorf("a later one got %q, %v, %+v", out, again, info)
				}
				alike(t, err, again)
			}
			if r := p.store.Row(payRow); p.runs.Load() != 1 || r.State != idem.StateFailed || r.Codec != "error" || r.Code == "" || p.saw(idem.EventCompleteFailed) != 0 {
				t.Errorf("%d runs, row %+v, events %v", p.runs.Load(), r, p.kinds())
			}
		})
	}
}

func (refusedQuietly) Error() string { return "" }

// replayOf is err as it comes back.
func replayOf(t *testing.T, err error) error {
	t.Helper()
	p := fails(t, err)
	_, _ = p.pay(t.Context(), final(finalRules...))
	_, again := p.pay(t.Context(), final(finalRules...))
	if !idem.Replayed(again) {
		t.Fatal(again)
	}
	return again
}

// alike holds an error that was stored to what it was.
func alike(t *testing.T, was, is error) {
	t.Helper()
	if was.Error() != is.Error() || fmt.Sprintf("%v|%+v|%s", was.Error(), was.Error(), was.Error()) != fmt.Sprintf("%v|%+v|%s", is, is, is) {
		t.Errorf("it said %q, and says %q", was, is)
	}
	for _, target := range []error{errSoldOut, errNoStock, errClosed, fs.ErrNotExist} {
		if errors.Is(was, target) != errors.Is(is, target) {
			t.Errorf("errors.Is(%v, %v): was %v, and is %v", was, target, errors.Is(was, target), errors.Is(is, target))
		}
	}
	sameAs[*limited](t, was, is)
	sameAs[refused](t, was, is)
	sameAs[*missing[string]](t, was, is)
	sameAs[*missing[int]](t, was, is)
	sameAs[marshals](t, was, is)
	sameAs[syscall.Errno](t, was, is)
	if was, is := sameAs[*step](t, was, is); was != nil && is != nil && was.Err != nil {
		alike(t, was.Err, is.Err)
	}
	if was, is := sameAs[note](t, was, is); was.About != nil && is.About != was.About { //nolint:errorlint // these very values
		t.Errorf("it was about %v, and is about %v", was.About, is.About)
	}
	if was, is := sameAs[*private](t, was, is); was != nil && is != nil && was.Code != is.Code {
		t.Errorf("code %d became %d", was.Code, is.Code)
	}
	if was, is := sameAs[*url.Error](t, was, is); was != nil && (was.URL != is.URL || !errors.Is(is.Err, errSoldOut)) {
		t.Errorf("%v became %v", was, is)
	}
	if was, is := sameAs[*fs.PathError](t, was, is); was != nil && *was != *is {
		t.Errorf("%v became %v", was, is)
	}
}

func sameAs[E error](t *testing.T, was, is error) (a, b E) {
	t.Helper()
	inWas, inIs := errors.As(was, &a), errors.As(is, &b)
	if inWas != inIs {
		t.Fatalf("errors.As(%v, %T): was %v, and is %v", was, a, inWas, inIs)
	}
	if holdsErrors := fmt.Sprintf("%T", a); strings.Contains("*idem_test.step idem_test.note *idem_test.private *url.Error *fs.PathError", holdsErrors) {
		return a, b
	}
	if !reflect.DeepEqual(a, b) {
		t.Errorf("it held %#v, and holds %#v", a, b)
	}
	return a, b
}

// TestE4_AFinalErrorIsOneByItsMarkOrByARule: the outermost mark counts, and goes before the rules, the first of which decides. What was
// interrupted is no outcome.
func TestE4_AFinalErrorIsOneByItsMarkOrByARule(t *testing.T) {
	t.Parallel()
	cut := fmt.Errorf("cut off: %w", context.Canceled)
	for name, c := range map[string]struct {
		err   error
		rules []idem.ErrorRule
		want  idem.State
	}{
		"no mark and no rule":         {errSoldOut, nil, idem.StateAbsent},
		"a mark":                      {idem.Final(errSoldOut), nil, idem.StateFailed},
		"a mark within":               {fmt.Errorf("x: %w", idem.Final(errSoldOut)), nil, idem.StateFailed},
		"a mark around another":       {idem.Final(idem.Unknown(errSoldOut)), nil, idem.StateFailed},
		"a mark within another":       {idem.NoEffect(idem.Final(errSoldOut)), nil, idem.StateAbsent},
		"joined with unknown":         {errors.Join(idem.Final(errSoldOut), idem.Unknown(errNoStock)), nil, idem.StateRunning},
		"joined with no effect":       {errors.Join(idem.NoEffect(errNoStock), idem.Final(errSoldOut)), nil, idem.StateFailed},
		"a rule":                      {fmt.Errorf("x: %w", errSoldOut), finalRules, idem.StateFailed},
		"a rule about another":        {errElsewhere, finalRules, idem.StateAbsent},
		"a mark before a rule":        {idem.NoEffect(errSoldOut), finalRules, idem.StateAbsent},
		"an earlier rule":             {errors.Join(errSoldOut, errElsewhere), append([]idem.ErrorRule{idem.ReleaseIs(errElsewhere)}, finalRules...), idem.StateAbsent},
		"a later rule":                {errors.Join(errSoldOut, errElsewhere), append(finalRules[:len(finalRules):len(finalRules)], idem.UnknownIs(errElsewhere)), idem.StateFailed},
		"all errors":                  {errElsewhere, []idem.ErrorRule{idem.FinalAs[error]()}, idem.StateFailed},
		"a timeout that is marked":    {idem.Final(syscall.ETIMEDOUT), nil, idem.StateFailed},
		"a cancellation, marked":      {idem.Final(cut), nil, idem.StateRunning},
		"a deadline, marked":          {idem.Final(context.DeadlineExceeded), nil, idem.StateRunning},
		"a lost lease, marked":        {idem.Final(idem.ErrLeaseLost), nil, idem.StateRunning},
		"all errors, and a cut":       {cut, []idem.ErrorRule{idem.FinalAs[error]()}, idem.StateRunning},
		"a type that holds a cut":     {&step{"pay", cut}, finalRules, idem.StateRunning},
		"an answer, and then a cut":   {errors.Join(errSoldOut, cut), finalRules, idem.StateFailed},
		"the same, with data":         {errors.Join(&limited{}, cut), finalRules, idem.StateFailed},
		"the same, marked as a whole": {idem.Final(errors.Join(errSoldOut, cut)), nil, idem.StateRunning},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := fails(t, c.err)
			if _, err := p.pay(t.Context(), final(c.rules...)); !errors.Is(err, c.err) && err.Error() != c.err.Error() {
				t.Errorf("the caller got %v", err)
			}
			if r := p.store.Row(payRow); r.State != c.want {
				t.Errorf("state %d, want %d", r.State, c.want)
			}
		})
	}
}

// TestE4_NilStaysNil: a mark on nothing is a success.
func TestE4_NilStaysNil(t *testing.T) {
	t.Parallel()
	if idem.Final(nil) != nil {
		t.Fatal("Final(nil) is an error")
	}
	p := fails(t, idem.Final(nil))
	_, _ = p.pay(t.Context())
	p.want("beside it", 1, idem.StateDone)
}

// TestE4_WhatARuleNamesIsAnAnswerAfterTheContextEndedToo: the method knew before its caller went away.
func TestE4_WhatARuleNamesIsAnAnswerAfterTheContextEndedToo(t *testing.T) {
	t.Parallel()
	p := newPlay(t)
	ctx, cancel := context.WithCancel(t.Context())
	p.method = func(context.Context, int64) (string, error) {
		cancel()
		return "", errSoldOut
	}
	if _, err := p.pay(ctx, final(finalRules...)); err != errSoldOut { //nolint:errorlint // unchanged
		t.Errorf("got %v", err)
	}
	if _, err := p.pay(t.Context(), final(finalRules...)); !errors.Is(err, errSoldOut) || !idem.Replayed(err) || p.runs.Load() != 1 {
		t.Errorf("a retry got %v after %d runs", err, p.runs.Load())
	}
}

// TestE1_AFinalErrorIsReplayedAndOthersAreRunAgain: storing an error is an explicit choice; and an outcome of other arguments is a
// mismatch, be it an error.
func TestE1_AFinalErrorIsReplayedAndOthersAreRunAgain(t *testing.T) {
	t.Parallel()
	p := newPlay(t)
	p.method = func(_ context.Context, run int64) (string, error) {
		if run == 1 {
			return "", errElsewhere
		}
		return "", idem.Final(errElsewhere)
	}
	for i, want := range []bool{false, false, true, true} {
		if _, err := p.pay(t.Context()); idem.Replayed(err) != want || err.Error() != errElsewhere.Error() {
			t.Errorf("call %d got %v", i+1, err)
		}
	}
	op := pay
	_, err := idem.Do(t.Context(), p.engine, &op, idem.Call[string]{
		Key: idem.StringKey("k"), Args: func(f *idem.Fingerprint) { f.Add("cents", 200) },
		Run: func(context.Context) (string, error) { t.Error("it ran"); return "", nil },
	})
	if !errors.Is(err, idem.ErrMismatch) || p.runs.Load() != 2 {
		t.Errorf("other arguments got %v; %d runs", err, p.runs.Load())
	}
}

// TestFinal_WhatNoRuleKnowsComesBackAsItsText: a rule was removed, a newer program stored it, or there never was one. It is an error of a
// type of ours, and never a run.
func TestFinal_WhatNoRuleKnowsComesBackAsItsText(t *testing.T) {
	t.Parallel()
	both := errors.Join(errSoldOut, &limited{Left: 3}, refused{"r"})
	for name, c := range map[string]struct {
		by, read []idem.ErrorRule
		code     string
		is, as   bool
	}{
		"all known":          {finalRules, finalRules, "shop.ErrSoldOut", true, true},
		"none":               {finalRules, nil, "shop.ErrSoldOut", false, false},
		"only the type":      {finalRules, finalRules[3:], "shop.ErrSoldOut", false, true},
		"only the value":     {finalRules, finalRules[:3], "shop.ErrSoldOut", true, false},
		"never any":          {nil, finalRules, "idem.Final", false, false},
		"the type at first":  {[]idem.ErrorRule{idem.FinalAs[*limited]()}, finalRules, "*github.com/idemgen/idemgen/idem_test.limited", false, true},
		"others that follow": {finalRules, []idem.ErrorRule{idem.FinalAs[error](), idem.FinalIs("shop.ErrSoldOut", errSoldOut)}, "shop.ErrSoldOut", true, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := fails(t, idem.Final(both))
			_, _ = p.pay(t.Context(), final(c.by...))
			_, err := p.pay(t.Context(), final(c.read...))
			var stored *idem.StoredError
			var l *limited
			if !errors.As(err, &stored) || stored.Code != c.code || err.Error() != both.Error() || p.runs.Load() != 1 {
				t.Fatalf("got %#v after %d runs", err, p.runs.Load())
			}
			if is, as := errors.Is(err, errSoldOut), errors.As(err, &l); is != c.is || as != c.as || as && l.Left != 3 {
				t.Errorf("Is: %v, As: %v", is, as)
			}
		})
	}
}
