package scenarios

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/idemgen/idemgen/idem"
)

// TestG4: other arguments are a mismatch in every state a row can be in, and by every argument.
func TestG4_OtherArgumentsMismatchInEveryState(t *testing.T) {
	t.Parallel()
	states := map[string]func(t *testing.T, s *stage, op *idem.Operation[string]){
		"running": func(t *testing.T, s *stage, op *idem.Operation[string]) { s.block(t, op) },
		"lapsed": func(t *testing.T, s *stage, op *idem.Operation[string]) {
			s.block(t, op)
			s.age("k", time.Minute)
		},
		"done": func(t *testing.T, s *stage, op *idem.Operation[string]) {
			if _, err := s.call(t.Context(), op, "k", "a"); err != nil {
				t.Fatal(err)
			}
		},
		"unknown": func(t *testing.T, s *stage, op *idem.Operation[string]) {
			op.Takeover = idem.TakeoverHold
			s.method = func(context.Context, int64) (string, error) { return "", context.Canceled }
			_, _ = s.call(t.Context(), op, "k", "a")
		},
	}
	for state, reach := range states {
		t.Run(state, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			op := with(conflict)
			reach(t, s, op)
			before := s.charged("k")
			_, err := s.call(t.Context(), op, "k", "b")
			wantErr(t, err, idem.ErrMismatch)
			if after := s.charged("k"); after.State != before.State || after.Attempt != before.Attempt {
				t.Errorf("the row went from %+v to %+v", before, after)
			}
			s.wantRuns(1)
		})
	}
}

// block starts a call of k that runs until the test ends.
func (s *stage) block(t *testing.T, op *idem.Operation[string]) {
	gate := s.gated()
	first := s.async(t.Context(), op, "k", "a")
	gate.Await(t, 1)
	t.Cleanup(func() { gate.Open(); <-first })
}

func TestG8_MismatchWinsOverInFlight(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.block(t, &charge)
	for _, op := range []*idem.Operation[string]{&charge, with(conflict)} {
		_, err := s.call(t.Context(), op, "k", "b")
		wantErr(t, err, idem.ErrMismatch)
	}
	if n := s.events.count(idem.EventWaited); n != 0 {
		t.Errorf("%d calls with other arguments waited", n)
	}
}

func TestG12_TwoTenantsWithOneKeyAreTwoRuns(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	op := with(func(op *idem.Operation[string]) { op.Scoped = true })
	got := map[string]string{}
	for range 2 {
		for _, tenant := range []string{"alice", "bob"} {
			c := s.request("k", "a")
			c.Scope = idem.StringKey(tenant)
			out, err := idem.Do(t.Context(), s.engine, op, c)
			if err != nil {
				t.Fatal(err)
			}
			if got[tenant] == "" {
				got[tenant] = out
			} else if got[tenant] != out {
				t.Errorf("%s got %q and %q", tenant, got[tenant], out)
			}
		}
	}
	if got["alice"] == got["bob"] {
		t.Errorf("both got %q", got["bob"])
	}
	s.wantRuns(2)
	for name, scope := range map[string]idem.Key{"missing": {}, "empty": idem.StringKey("")} {
		c := s.request("k", "a")
		c.Scope = scope
		_, err := idem.Do(t.Context(), s.engine, op, c)
		if e := wantErr(t, err, idem.ErrBadKey); !strings.Contains(e.Reason, "scope") {
			t.Errorf("%s scope: %v", name, err)
		}
	}
	s.wantRuns(2)
}

// TestG13 and G14: what a key may be is decided before any SQL, and what is let through is taken as it is.
func TestG13_KeysOfEveryLengthAreStoredOrRefusedBeforeAnySQL(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	for _, n := range []int{1, 254, 255, 256, 2800, 9000} {
		b := make([]byte, n)
		_, _ = rand.Read(b)
		key := fmt.Sprintf("%x", b)[:n]
		out, err := s.call(t.Context(), &charge, key, "a")
		if n > 255 {
			wantErr(t, err, idem.ErrBadKey)
			if strings.Contains(err.Error(), key[:16]) {
				t.Error("the error holds the key")
			}
		} else if again, err2 := s.call(t.Context(), &charge, key, "a"); err != nil || err2 != nil || out != again {
			t.Errorf("%d bytes: %q, %v, then %q, %v", n, out, err, again, err2)
		}
	}
	s.wantRuns(3)
}

func TestG14_KeysAreTakenAsTheyAreOrRefused(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	for name, c := range map[string]struct {
		key  string
		kind error
	}{
		"empty": {"", idem.ErrNoKey}, "a blank": {" ", idem.ErrBadKey}, "blanks": {" \u2003 ", idem.ErrBadKey},
		"NUL": {"a\x00b", idem.ErrBadKey}, "newline": {"a\n", idem.ErrBadKey}, "invalid UTF-8": {"a\xff", idem.ErrBadKey},
		"a C1 control": {"a\u0085b", idem.ErrBadKey}, "surrogate": {"\xed\xa0\x80", idem.ErrBadKey},
	} {
		_, err := s.call(t.Context(), &charge, c.key, "a")
		if !errors.Is(err, c.kind) {
			t.Errorf("%s: %v, want %v", name, err, c.kind)
		}
	}
	s.wantRuns(0)
	different := []string{"abc", "ABC", "abc ", " abc", `"abc"`, "é", "e\u0301", "a%b", "a'b", `a\b`, "a b"}
	for range 2 {
		for _, key := range different {
			if _, err := s.call(t.Context(), &charge, key, "a"); err != nil {
				t.Errorf("%q: %v", key, err)
			}
		}
	}
	s.wantRuns(int64(len(different)))
	if n := s.pool.Stat().NewConnsCount(); n > 3 {
		t.Errorf("%d connections were opened: refused keys burn them", n)
	}
}

func TestG15_WithoutAKeyNothingRuns(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	var none [16]byte
	for name, key := range map[string]idem.Key{
		"the zero key": {}, "an empty string": idem.StringKey(""), "a zero UUID": idem.UUIDKey(none),
		"no key in the context":           idem.KeyFromContext(t.Context()),
		"an empty key in the context":     idem.KeyFromContext(idem.WithKey(t.Context(), "")),
		"a joined key with an empty part": idem.JoinKeys(idem.StringKey("a"), idem.StringKey("")),
		"a joined key with a zero UUID":   idem.JoinKeys(idem.StringKey("a"), idem.UUIDKey(none)),
	} {
		c := s.request("", "a")
		c.Key = key
		_, err := idem.Do(t.Context(), s.engine, &charge, c)
		if !errors.Is(err, idem.ErrNoKey) {
			t.Errorf("%s: %v", name, err)
		}
	}
	s.wantRuns(0)
}

// TestPA1 is the sweep as a whole: what is past its time goes, evidence stays. The race with a retake is in idem/postgres.
func TestPA1_ASweepTakesWhatExpiredAndLeavesEvidence(t *testing.T) {
	t.Parallel()
	s := newStage(t, idem.WithSweepGrace(time.Minute))
	stop := errors.New("stop")
	results := map[string]error{"fresh": nil, "expired": nil, "within grace": nil, "abandoned": context.Canceled, "unknown": context.Canceled}
	s.method = func(context.Context, int64) (string, error) { return "x", stop }
	for key, end := range results {
		op := with(func(op *idem.Operation[string]) {
			op.TTL = time.Hour
			if key == "unknown" {
				op.Takeover = idem.TakeoverHold
			}
		})
		s.method = func(context.Context, int64) (string, error) { return "x", end }
		if _, err := s.call(t.Context(), op, key, "a"); !errors.Is(err, end) {
			t.Fatal(err)
		}
	}
	for key, d := range map[string]time.Duration{
		"expired": 2 * time.Hour, "within grace": time.Hour + 30*time.Second, "abandoned": 2 * time.Hour, "unknown": 1000 * time.Hour,
	} {
		s.age(key, d)
	}
	n, err := s.engine.Sweep(t.Context())
	if n != 2 || err != nil {
		t.Errorf("swept %d rows, %v; want 2", n, err)
	}
	for key, want := range map[string]string{
		"fresh": "done", "expired": "absent", "within grace": "done", "abandoned": "absent", "unknown": "unknown",
	} {
		if got := s.charged(key).String(); got != want {
			t.Errorf("%s: the row is %s, want %s", key, got, want)
		}
	}
	if s.events.count(idem.EventSwept) != 1 {
		t.Error("the sweep was not observed")
	}
}
