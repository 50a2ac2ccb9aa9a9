package idem

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
)

// This file pins the form in which errors are stored: rows of an older program are read by every later one.

var errPinned = errors.New("pinned")

type pinned struct {
	Left  int64 `json:"left"`
	Cause error
}

func (p *pinned) Error() string { return fmt.Sprint("pinned: ", p.Left) }
func (p *pinned) Unwrap() error {
	if p == nil {
		return nil
	}
	return p.Cause
}

// pinnedAs says that it is the value.
type pinnedAs struct{}

func (pinnedAs) Error() string        { return "as pinned" }
func (pinnedAs) Is(target error) bool { return target == errPinned } //nolint:errorlint // as such methods do

var pinnedRules = []ErrorRule{FinalIs("example.com/shop.ErrPinned", errPinned), FinalAs[*pinned]()}

// TestStoredError_IsFixed: changing one of these is changing what is stored.
func TestStoredError_IsFixed(t *testing.T) {
	t.Parallel()
	const typ = `"*github.com/idemgen/idemgen/idem.pinned"`
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"unknown":          {errors.New("so it is <>&"), `{"version":1,"message":"so it is \u003c\u003e\u0026"}`},
		"value":            {errPinned, `{"version":1,"message":"pinned","exact":true,"errors":[{"code":"example.com/shop.ErrPinned"}]}`},
		"wrapped":          {fmt.Errorf("a: %w", errPinned), `{"version":1,"message":"a: pinned","errors":[{"code":"example.com/shop.ErrPinned"}]}`},
		"claimed":          {pinnedAs{}, `{"version":1,"message":"as pinned","errors":[{"code":"example.com/shop.ErrPinned","claimed":true}]}`},
		"not UTF-8":        {errors.New("a\xff"), `{"version":1,"message":"a` + "\uFFFD" + `","bytes":"Yf8="}`},
		"data":             {&pinned{Left: 3}, `{"version":1,"message":"pinned: 3","exact":true,"errors":[{"code":` + typ + `,"data":{"left":3,"Cause":null}}]}`},
		"nil pointer":      {nilPinned{nil}, `{"version":1,"message":"nil","errors":[{"code":` + typ + `,"data":null}]}`},
		"data and a field": {&pinned{3, errPinned}, `{"version":1,"message":"pinned: 3","exact":true,"errors":[{"code":` + typ + `,"data":{"left":3,"Cause":null},"fields":{"Cause":{"message":"pinned","exact":true,"wrapped":true,"errors":[{"code":"example.com/shop.ErrPinned"}]}}}]}`},
		"inner":            {&pinned{3, errors.Join(errPinned, &pinned{Left: 4})}, `{"version":1,"message":"pinned: 3","exact":true,"errors":[{"code":` + typ + `,"data":{"left":3,"Cause":null},"fields":{"Cause":{"message":"pinned\npinned: 4","wrapped":true,"errors":[{"code":"example.com/shop.ErrPinned"},{"code":` + typ + `,"data":{"left":4,"Cause":null}}]}}}]}`},
	} {
		w := errorWriter{rules: pinnedRules}
		s := w.whole(c.err)
		got, whole := s.fitting(1 << 20)
		if string(got) != c.want || !whole || w.lost != nil {
			t.Errorf("%s is stored as\n%s, want\n%s (%v)", name, got, c.want, w.lost)
		}
		back, err := readError(pinnedRules, Ref{}, "x", []byte(c.want), true)
		if err != nil || back.Error() != c.err.Error() || errors.Is(back, errPinned) != errors.Is(c.err, errPinned) {
			t.Errorf("%s is read as %v, %v", name, back, err)
		}
	}
}

// nilPinned wraps a nil *pinned.
type nilPinned struct{ p *pinned }

func (nilPinned) Error() string   { return "nil" }
func (n nilPinned) Unwrap() error { return n.p }

// TestStoredError_OfANewerVersionIsReadAsFarAsItIsKnown: what is added later is for those who know it.
func TestStoredError_OfANewerVersionIsReadAsFarAsItIsKnown(t *testing.T) {
	t.Parallel()
	e, err := readError(pinnedRules, Ref{}, "x", []byte(`{"version":7,"message":"m","mood":"bad","errors":[{"code":"example.com/shop.ErrPinned","when":1},{"code":"a newer one","data":[1]}]}`), true)
	if err != nil || e.Error() != "m" || !errors.Is(e, errPinned) || e.Code != "x" || !Replayed(e) {
		t.Errorf("got %#v, %v", e, err)
	}
}

// TestStoredError_OfAnotherShapeKeepsWhatItWraps: the type has changed since, and the error is no longer one of it; it is still what it wraps.
func TestStoredError_OfAnotherShapeKeepsWhatItWraps(t *testing.T) {
	t.Parallel()
	const inner = `"fields":{"%s":{"message":"pinned","exact":true,"wrapped":true,"errors":[{"code":"example.com/shop.ErrPinned"}]}}`
	for _, text := range []string{
		`"data":{"left":3,"right":4},` + fmt.Sprintf(inner, "Cause"), `"data":{"left":"3"},` + fmt.Sprintf(inner, "Cause"),
		`"data":{"left":3},` + fmt.Sprintf(inner, "Reason"), `"data":{"left":3},` + fmt.Sprintf(inner, "Left"), `"data":null,` + fmt.Sprintf(inner, "Cause"),
	} {
		e, err := readError(pinnedRules, Ref{}, "x", []byte(`{"version":1,"message":"m","errors":[{"code":"*github.com/idemgen/idemgen/idem.pinned",`+text+`}]}`), true)
		var p *pinned
		if err != nil || errors.As(e, &p) || !errors.Is(e, errPinned) {
			t.Errorf("%s: got %#v, %v", text, e, err)
		}
	}
}

// TestStoredError_GrowsWithTheErrorAndNoFaster: whatever wraps what, each error is looked at about once, and there is an end to it.
func TestStoredError_GrowsWithTheErrorAndNoFaster(t *testing.T) {
	t.Parallel()
	chain := error(errPinned)
	for i := range 25 {
		chain = errors.Join(&pinned{int64(i), noText{chain}}, pinnedAs{})
	}
	deep := error(errPinned)
	for range 1000 {
		deep = noText{&pinned{1, deep}}
	}
	wide := make([]error, 100_000)
	for i := range wide {
		wide[i] = errPinned
	}
	for name, c := range map[string]struct {
		err   error
		whole bool
	}{"chain": {chain, true}, "deep": {noText{deep}, false}, "wide": {noText{errors.Join(wide...)}, false}} {
		w := errorWriter{rules: pinnedRules}
		s := w.whole(c.err)
		if data := s.encode(); len(data) > 100_000 || (w.lost == nil) != c.whole || w.nodes > maxErrorNodes+len(wide)+1 {
			t.Errorf("%s: %d bytes, %d errors, %v", name, len(data), w.nodes, w.lost)
		}
		if back, err := readError(pinnedRules, Ref{}, "x", s.encode(), true); err != nil || !errors.As(back, new(*pinned)) == (name != "wide") {
			t.Errorf("%s: %v, %v", name, back, err)
		}
	}
}

// noText wraps an error whose text is too long, or has no end.
type noText struct{ err error }

func (noText) Error() string   { return "" }
func (n noText) Unwrap() error { return n.err }

// TestStoredError_IsCutAtACharacter: what is left is text, and as much as fits.
func TestStoredError_IsCutAtACharacter(t *testing.T) {
	t.Parallel()
	s := storedError{Version: 1, Message: strings.Repeat("aé€𝄞\"", 100)}
	for limit := range len(s.encode()) + 10 {
		data, whole := s.fitting(limit)
		if data == nil {
			if limit > 300 {
				t.Errorf("nothing in %d bytes", limit)
			}
			continue
		}
		var back storedError
		if err := json.Unmarshal(data, &back); err != nil || len(data) > limit || len(data) < limit-20 && !whole {
			t.Errorf("%d bytes where %d fit: %v", len(data), limit, err)
		}
		if kept, cut := strings.CutSuffix(back.Message, "…"); cut == whole || !strings.HasPrefix(s.Message, kept) {
			t.Errorf("kept %q", back.Message)
		}
	}
}

// FuzzStoredError reads whatever stands in a row.
func FuzzStoredError(f *testing.F) {
	for _, err := range []error{errPinned, &pinned{3, errors.Join(errPinned, &pinned{Left: 4})}, pinnedAs{}, errors.New("a\xff"), nilPinned{nil}} {
		w := errorWriter{rules: pinnedRules}
		f.Add(w.whole(err).encode())
	}
	f.Add([]byte(`{"version":1,"errors":[` + strings.Repeat(`{"inner":[`, 500) + strings.Repeat(`]}`, 500) + `]}`))
	f.Add([]byte(`{"version":1,"errors":[{"code":"*github.com/idemgen/idemgen/idem.pinned","data":null,"fields":{"Cause":{"errors":[{}]}}}]}`))
	rules := append([]ErrorRule{FinalAs[*os.PathError](), FinalAs[pinnedAs](), FinalAs[error](), FinalAs[*json.SyntaxError]()}, pinnedRules...)
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := readError(rules, Ref{}, "example.com/shop.ErrPinned", data, true)
		if err != nil {
			return
		}
		text := e.Error()
		_, _ = errors.Is(e, errPinned), errors.As(e, new(*pinned))
		w := errorWriter{rules: rules}
		again, err := readError(rules, Ref{}, "x", w.whole(e).encode(), true)
		if err != nil || again.Error() != text || !Replayed(again) || w.lost == nil && errors.Is(e, errPinned) != errors.Is(again, errPinned) {
			t.Errorf("%s: stored again, %v became %v (%v, %v)", data, e, again, err, w.lost)
		}
	})
}
