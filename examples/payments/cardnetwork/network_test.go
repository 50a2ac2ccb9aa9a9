package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTheNetworkBooksOnceForAKeyIfToldTo(t *testing.T) {
	t.Parallel()
	const (
		keyed   = `{"kind":"charge","merchant":"m","order":"1","amount":5,"currency":"EUR","idempotency_key":"k"}`
		keyless = `{"kind":"charge","merchant":"m","order":"1","amount":5,"currency":"EUR"}`
	)
	for _, tc := range []struct {
		name    string
		dedup   bool
		body    string
		balance string
		repeats int
	}{
		{"with -dedup and a key", true, keyed, "5", 1},
		{"with -dedup and no key", true, keyless, "10", 0},
		{"without -dedup", false, keyed, "10", 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			file, err := os.Create(filepath.Join(t.TempDir(), "bookings"))
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			h := (&network{books: newBooks(file), dedup: tc.dedup}).handler()
			first, second := send(h, http.MethodPost, "/bookings", tc.body), send(h, http.MethodPost, "/bookings", tc.body)
			if same := first == second; same != (tc.repeats > 0) {
				t.Errorf("answered %s, then %s", first, second)
			}
			if got := send(h, http.MethodGet, "/balance?merchant=m", ""); got != tc.balance {
				t.Errorf("the balance is %s", got)
			}
			lines, err := os.ReadFile(file.Name())
			if err != nil {
				t.Fatal(err)
			}
			if strings.Count(string(lines), "\n") != 2 || strings.Count(string(lines), `"repeat":true`) != tc.repeats {
				t.Errorf("the books say\n%s", lines)
			}
		})
	}
}

func send(h http.Handler, method, path, body string) string {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(method, path, strings.NewReader(body)))
	return strings.TrimSpace(w.Body.String())
}
