package main

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestBookingsAreCountedByWhatTheyAreFor(t *testing.T) {
	t.Parallel()
	got, err := readBooks(write(t,
		`{"kind":"charge","order":"1","by":"A"}`,
		`{"kind":"refund","order":"1","by":"A"}`,
		`{"kind":"charge","order":"1","by":"B"}`,
		`{"kind":"charge","order":"2","by":"B"}`,
		`{"kind":"charge","order":"2","by":"B","repeat":true}`,
		`{"kind":"charge","ord`))
	if err != nil {
		t.Fatal(err)
	}
	if got.bookings != 4 || got.double != 1 || got.repeats != 1 || got.by["A"] != 2 || got.by["B"] != 2 {
		t.Errorf("got %+v", got)
	}
}

func TestEventsAreCountedByKindAndOtherLinesPassedOver(t *testing.T) {
	t.Parallel()
	got := eventCounts{}
	log := write(t, `{"event":"replayed"}`, `{"event":"replayed"}`, `{"event":"waited"}`, `{"msg":"waited"}`, `panic: oops`, "")
	if err := got.add(log); err != nil {
		t.Fatal(err)
	}
	if got["replayed"] != 2 || got["waited"] != 1 || len(got) != 2 {
		t.Errorf("got %v", got)
	}
}

func TestAClientTakesTheServersWaitAndGivesUpOnSurprises(t *testing.T) {
	t.Parallel()
	const again = 50 * time.Millisecond
	for _, tc := range []struct {
		name, body, retryAfter string
		status                 int
		want                   answer
		surprise               bool
	}{
		{name: "a receipt", status: http.StatusOK, body: `{"id":"bk_1"}`, want: answer{receipt: "bk_1", wait: again}},
		{name: "no receipt in the answer", status: http.StatusOK, body: `{}`, want: answer{wait: again}, surprise: true},
		{name: "in flight", status: http.StatusConflict, retryAfter: "3", want: answer{wait: 3 * time.Second}},
		{name: "unavailable, and no word on when", status: http.StatusServiceUnavailable, want: answer{wait: again}},
		{name: "a refusal", status: http.StatusUnprocessableEntity, want: answer{wait: again}, surprise: true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			resp := &http.Response{StatusCode: tc.status, Header: http.Header{}}
			if tc.retryAfter != "" {
				resp.Header.Set("Retry-After", tc.retryAfter)
			}
			got := understand(resp, []byte(tc.body), again)
			if (got.err != nil) != tc.surprise || got.receipt != tc.want.receipt || got.wait != tc.want.wait {
				t.Errorf("got %+v", got)
			}
		})
	}
}

func TestVerdict(t *testing.T) {
	t.Parallel()
	receipts := func(ids ...string) stormResult {
		s := stormResult{receipts: map[string]map[string]bool{"k": {}}}
		for _, id := range ids {
			s.receipts["k"][id] = true
		}
		return s
	}
	for _, tc := range []struct {
		name     string
		result   result
		complain string
	}{
		{"by hand, with double charges", result{round: round{byHand: true}, books: bookResult{bookings: keys + 9, double: 9}}, ""},
		{"by hand, without", result{round: round{byHand: true}, books: bookResult{bookings: keys}}, "too weak"},
		{"the wrapper, without", result{storm: receipts("a"), books: bookResult{bookings: keys}}, ""},
		{"the wrapper, with double charges", result{books: bookResult{bookings: keys + 1, double: 1}}, "1 double charges"},
		{"the wrapper, with different receipts", result{storm: receipts("a", "b"), books: bookResult{bookings: keys}}, "different receipts"},
		{"a payment that was not made", result{books: bookResult{bookings: keys - 1}}, "39 payments"},
		{"a kill that hit nothing", result{round: round{kill: true}, books: bookResult{bookings: keys}}, "showed nothing"},
		{"a kill that hit", result{round: round{kill: true}, books: bookResult{bookings: keys, repeats: 3}}, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			err := verdict([]result{tc.result})
			if (err == nil) != (tc.complain == "") || (err != nil && !strings.Contains(err.Error(), tc.complain)) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// write makes a file of lines, the last without an end.
func write(t *testing.T, lines ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
