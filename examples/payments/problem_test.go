package payments

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/idemgen/idemgen/idem"
)

// This file holds the service's HTTP to what went wrong in that of others: which status and type an answer has, what a replay looks like, and
// which header is the key.

// TestC10: one status for everything would not tell a client whether to wait, to mend his request, or to call somebody.
func TestC10_WaitingMendingAndUnknownAreProblemsOfTheirOwn(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for _, c := range []struct {
		err    error
		status int
		name   string
	}{
		{idem.ErrNoKey, 400, "no-key"},
		{idem.ErrBadKey, 400, "bad-key"},
		{idem.ErrMismatch, 422, "other-request"},
		{idem.ErrInFlight, 409, "in-flight"},
		{idem.ErrOutcomeUnknown, 409, "unknown"},
		{idem.ErrResultNotStored, 409, "no-receipt"},
		{idem.ErrStore, 503, "unavailable"},
		{ErrDeclined, 402, "declined"},
	} {
		for _, err := range []error{c.err, fmt.Errorf("wrapped: %w", c.err), &idem.Error{Kind: c.err}} {
			w := httptest.NewRecorder()
			writeProblem(w, err)
			var p problem
			if json.NewDecoder(w.Body).Decode(&p) != nil || w.Code != c.status || p.Status != c.status || p.Type != "/problems/"+c.name {
				t.Errorf("%v became %d, %+v", err, w.Code, p)
			}
			if w.Header().Get("Content-Type") != "application/problem+json" {
				t.Errorf("%v is a %s", err, w.Header().Get("Content-Type"))
			}
		}
		if other := seen[c.name]; other != "" {
			t.Errorf("%v is the problem that %s is", c.err, other)
		}
		seen[c.name] = c.err.Error()
	}
}

// TestPE7: a mismatch is no conflict that passes, and who is to come back is told when.
func TestPE7_AMismatchIs422AndOnlyWhatPassesHasARetryAfter(t *testing.T) {
	t.Parallel()
	for err, after := range map[error]string{
		&idem.Error{Kind: idem.ErrMismatch}:                                        "",
		&idem.Error{Kind: idem.ErrOutcomeUnknown}:                                  "",
		&idem.Error{Kind: idem.ErrInFlight, RetryAfter: 1500 * time.Millisecond}:   "2",
		&idem.Error{Kind: idem.ErrStore, RetryAfter: time.Second}:                  "1",
		errors.Join(errors.New("x"), &idem.Error{Kind: idem.ErrMismatch}):          "",
		fmt.Errorf("x: %w", &idem.Error{Kind: idem.ErrStore, RetryAfter: 3500000}): "1",
	} {
		w := httptest.NewRecorder()
		writeProblem(w, err)
		if got := w.Header().Get("Retry-After"); got != after {
			t.Errorf("%v: Retry-After %q, want %q", err, got, after)
		}
		if errors.Is(err, idem.ErrMismatch) && w.Code != http.StatusUnprocessableEntity {
			t.Errorf("%v: %d", err, w.Code)
		}
	}
}

// TestPE4: a replay is made by the same code from the same value, and so lacks nothing that the first answer had; what belonged to one client is not in it.
func TestPE4_AReplayHasStatusHeadersAndBodyOfTheFirstAnswer(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	first, again := b.post(charges, order1, "k"), b.post(charges, order1, "k")
	b.want(first, http.StatusOK, false)
	b.want(again, http.StatusOK, true)
	again.Header().Del("Idempotency-Replayed")
	if first.Code != again.Code || first.Body.String() != again.Body.String() || fmt.Sprint(first.Header()) != fmt.Sprint(again.Header()) {
		t.Errorf("got %d %v %s, and at first %d %v %s", again.Code, again.Header(), again.Body, first.Code, first.Header(), first.Body)
	}
	if again.Header().Get("Content-Type") != "application/json" || len(again.Header().Values("Set-Cookie")) != 0 {
		t.Errorf("the replay's headers are %v", again.Header())
	}
}

// TestPD9: the header is the one of the draft, however it is spelled, and a malformed key is the client's mistake.
func TestPD9_TheKeysHeaderIsKnownHoweverItIsSpelled(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for i, name := range []string{"Idempotency-Key", "idempotency-key", "IDEMPOTENCY-KEY"} {
		r := httptest.NewRequest(http.MethodPost, charges, strings.NewReader(order1))
		r.Header.Set(name, "k")
		w := httptest.NewRecorder()
		b.handler.ServeHTTP(w, r)
		b.want(w, http.StatusOK, i > 0)
	}
	for _, malformed := range []string{"", `"k`, "a\x01b", strings.Repeat("k", 300)} {
		b.want(b.post(charges, order1, malformed), http.StatusBadRequest, false)
	}
	if b.booked() != 1 {
		t.Errorf("%d bookings", b.booked())
	}
}

// TestE8: no failure of the network's becomes the answer of a later request, nor of another endpoint's.
func TestE8_AFailureIsNeverReplayedNorGivenToAnotherEndpoint(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusPaymentRequired, http.StatusInternalServerError, http.StatusServiceUnavailable} {
		t.Run(strconv.Itoa(status), func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.answers(func(w http.ResponseWriter) bool { w.WriteHeader(status); return true })
			if w := b.post(charges, order1, "k"); w.Code < 400 || w.Header().Get("Idempotency-Replayed") != "" {
				t.Errorf("got %d %s", w.Code, w.Body)
			}
			b.answers(nil)
			b.want(b.post(refunds, `{"order":"1","amount":1,"currency":"EUR"}`, "k"), http.StatusOK, false)
			b.want(b.post(charges, order1, "k"), http.StatusOK, false)
			b.want(b.post(charges, order1, "k"), http.StatusOK, true)
			kinds := []string{}
			for _, asked := range b.bookings {
				kinds = append(kinds, asked.Kind)
			}
			if !slices.Equal(kinds, []string{"charge", "refund", "charge"}) {
				t.Errorf("the network was asked for %v", kinds)
			}
		})
	}
}
