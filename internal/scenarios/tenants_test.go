package scenarios

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/idem"
)

// This file is tenants and keys at the door: what is refused before the database hears of it, and that one tenant learns nothing of
// another one's keys.

// TestPD4: a tenant that got lost is not "no tenant". Were it, all callers who lose theirs would share one.
func TestPD4_AnEmptyTenantIsAnError(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	sent := s.countStatements()
	c, shop, courier := s.wrapped()
	p := anOrder()
	p.tenant = ""
	for name, call := range map[string]func() (string, error){
		"generated code":             func() (string, error) { return p.send(t, shop) },
		"one without more arguments": func() (string, error) { return shop.Cancel(t.Context(), "", "k") },
		"by hand": func() (string, error) {
			scoped := with(func(op *idem.Operation[string]) { op.Scoped = true })
			return s.call(t.Context(), scoped, "k", "a")
		},
		"an empty one where none is needed": func() (string, error) {
			c := s.request("k", "a")
			c.Scope = idem.StringKey("")
			return idem.Do(t.Context(), s.engine, &charge, c)
		},
	} {
		_, err := call()
		if e := wantErr(t, err, idem.ErrBadKey); !strings.Contains(e.Reason, "scope is empty") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if statements := sent.take(); len(statements) != 0 || s.rowCount() != 0 {
		t.Errorf("%d statements were sent, and there are %d rows", len(statements), s.rowCount())
	}
	if _, err := courier.Cancel(t.Context(), "k"); err != nil { // an operation without tenants
		t.Error(err)
	}
	if n := c.placed.Load() + c.cancelled.Load() + s.runs.Load(); n != 0 {
		t.Errorf("%d runs", n)
	}
}

// TestPD5: whatever one tenant's key has come to, another tenant who uses the same one finds it free: he is not refused, does not wait, and what
// is sent for him is what is sent for any key.
func TestPD5_AnotherTenantSeesNothingOfAKey(t *testing.T) {
	t.Parallel()
	for state, reach := range map[string]func(t *testing.T, s *stage){
		"done":    func(t *testing.T, s *stage) { _, _ = s.callOf(t.Context(), "alice", "k", "a") },
		"running": func(t *testing.T, s *stage) { s.blockOf(t, "alice") },
		"lapsed": func(t *testing.T, s *stage) {
			s.blockOf(t, "alice")
			s.exec("UPDATE idem_claims SET lease_until = clock_timestamp() - interval '1 minute' WHERE scope = 'alice'")
		},
		"unknown": func(t *testing.T, s *stage) {
			_, _ = s.callOf(t.Context(), "alice", "k", "a")
			s.exec(`UPDATE idem_claims SET state = 4, completed_at = NULL, expires_at = NULL, codec = NULL, schema_hash = NULL, result = NULL
				WHERE scope = 'alice'`)
		},
	} {
		t.Run(state, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			reach(t, s)
			if s.rowCount() != 1 {
				t.Fatal("the first tenant has no row")
			}
			before := s.tenantRow("alice")
			s.method = func(context.Context, int64) (string, error) { return "bob's", nil }
			sent, runs := s.countStatements(), s.runs.Load()
			_, _ = s.callOf(t.Context(), "warm", "up", "a") // connects
			sent.take()
			_, _ = s.callOf(t.Context(), "bob", "nobody has this one", "b")
			free := sent.take()
			ctx, info := idem.WithInfo(t.Context())
			out, err := s.callOf(ctx, "bob", "k", "b")
			if out != "bob's" || err != nil || info.Replayed || info.Attempt != 1 {
				t.Errorf("the other tenant got %q, %v, %+v", out, err, info)
			}
			if used := sent.take(); !slices.Equal(used, free) || len(used) == 0 {
				t.Errorf("for a key that another one has, these were sent:\n%q\nand for a free one\n%q", used, free)
			}
			for _, kind := range []idem.EventKind{idem.EventWaited, idem.EventConflict, idem.EventMismatch, idem.EventUnknown, idem.EventTakenOver} {
				if n := s.events.count(kind); n != 0 {
					t.Errorf("%d events %q", n, kind)
				}
			}
			if after := s.tenantRow("alice"); after != before || s.runs.Load() != runs+3 {
				t.Errorf("the first tenant's row went from %s to %s, and there were %d more runs", before, after, s.runs.Load()-runs)
			}
			_, err = s.callOf(t.Context(), "bob", "k", "c") // his own mismatches he hears of
			theirs := wantErr(t, err, idem.ErrMismatch).KeyHash
			ours := idem.RowID(idem.Ref{Operation: charge.Name, Scope: "alice", Key: "k"}).String()
			if strings.HasPrefix(strings.ReplaceAll(ours, "-", ""), theirs) {
				t.Error("both tenants' rows have one hash")
			}
		})
	}
}

// callOf is a call of a tenant, who does not wait.
func (s *stage) callOf(ctx context.Context, tenant, key, arg string) (string, error) {
	c := s.request(key, arg)
	c.Scope = idem.StringKey(tenant)
	return idem.Do(ctx, s.engine, with(conflict), c)
}

// blockOf starts a call of a tenant's k that runs until the test ends.
func (s *stage) blockOf(t *testing.T, tenant string) {
	gate, done := s.gated(), make(chan struct{})
	go func() {
		defer close(done)
		_, _ = s.callOf(t.Context(), tenant, "k", "a")
	}()
	gate.Await(t, 1)
	t.Cleanup(func() { gate.Open(); <-done })
}

// tenantRow is all of a tenant's rows, as text.
func (s *stage) tenantRow(tenant string) (text string) {
	s.Helper()
	err := s.pool.QueryRow(context.Background(), "SELECT string_agg(c::text, ' ') FROM idem_claims c WHERE scope = $1", tenant).Scan(&text)
	if err != nil {
		s.Fatal(err)
	}
	return text
}

// TestPD10: a key that the database would choke on is refused at the door, as the client's mistake: "unavailable" would have it sent again for
// ever, and every time cost a connection.
func TestPD10_AnUnusableKeyIsTheClientsMistakeAndNeverReachesTheDatabase(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	sent := s.countStatements()
	bad := map[string]string{
		"NUL": "swordfish\x00", "NUL alone": "\x00", "newline": "swordfish\n", "DEL": "swordfish\x7f", "half a rune": "swordfish\xc3", "blank": "   ",
	}
	for _, n := range []int{256, 257, 2704, 2705, 9000, 1 << 20} {
		bad[fmt.Sprint(n, " bytes")] = strings.Repeat("swordfish", n/9+1)[:n]
	}
	check := func(what string, err error) {
		t.Helper()
		e := wantErr(t, err, idem.ErrBadKey)
		if errors.Is(err, idem.ErrStore) || e.RetryAfter != 0 || e.Reason == "" || strings.Contains(err.Error(), "swordfish") {
			t.Errorf("%s: %+v", what, e)
		}
	}
	for name, key := range bad {
		_, err := s.call(t.Context(), &charge, key, "a")
		check(name+" as key", err)
		_, err = s.callOf(t.Context(), key, "k", "a")
		check(name+" as tenant", err)
		c := s.request("", "a")
		c.Key = idem.JoinKeys(idem.StringKey("good"), idem.StringKey(key))
		if name != "blank" { // a part may be blank: its length is in front of it
			_, err = idem.Do(t.Context(), s.engine, &charge, c)
			check(name+" as a part of a key", err)
		}
		_, err = idem.Do(t.Context(), s.engine, &charge, idem.Call[string]{Key: idem.KeyFromContext(idem.WithKey(t.Context(), key)), Run: c.Run})
		check(name+" from the context", err)
	}
	if statements := sent.take(); len(statements) != 0 {
		t.Errorf("%d statements were sent: %q", len(statements), statements)
	}
	s.wantRuns(0)
	if _, err := s.call(t.Context(), &charge, strings.Repeat("x", 255), "a"); err != nil || len(sent.take()) == 0 {
		t.Errorf("a key that is as long as it may be: %v", err)
	}
}
