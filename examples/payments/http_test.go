package payments

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
)

// This file tests what callers of the service see, on a store in memory and a card network made of one function.

const (
	charges = "/merchants/acme/charges"
	refunds = "/merchants/acme/refunds"
	order1  = `{"order":"1","card":"4242","amount":1000,"currency":"EUR"}`
	order2  = `{"order":"2","card":"4242","amount":2000,"currency":"EUR"}`
)

// bench is the service with everything around it that a test wants to touch.
type bench struct {
	t       *testing.T
	store   *idemtest.Store
	handler http.Handler

	mu       sync.Mutex
	bookings []booking
	answer   func(http.ResponseWriter) bool // what the network says; false, or nil: the usual
	gate     *idemtest.Gate                 // holds the network's answers; nil: nothing does
}

func newBench(t *testing.T) *bench {
	b := &bench{t: t, store: idemtest.NewStore()}
	network := httptest.NewServer(http.HandlerFunc(b.network))
	t.Cleanup(network.Close)
	engine, err := idem.New(b.store)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = engine.Close() })
	b.handler = newHandler(NewIdempotentPayments(&cards{network: network.URL, client: network.Client()}, engine))
	return b
}

func (b *bench) network(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet {
		writeJSON(w, http.StatusOK, 42)
		return
	}
	var asked booking
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
		b.t.Error(err)
	}
	b.mu.Lock()
	b.bookings = append(b.bookings, asked)
	answer, n := b.answer, len(b.bookings)
	b.mu.Unlock()
	if b.gate != nil {
		_ = b.gate.Enter(context.Background())
	}
	if answer == nil || !answer(w) {
		writeJSON(w, http.StatusOK, Receipt{
			ID: "bk_" + strconv.Itoa(n), Order: asked.Order, Amount: asked.Amount, Currency: asked.Currency,
		})
	}
}

// answers sets what the network says from now on; nil: the usual.
func (b *bench) answers(f func(http.ResponseWriter) bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.answer = f
}

// booked is how often the network was asked.
func (b *bench) booked() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.bookings)
}

// post sends a request whose key header has the given values.
func (b *bench) post(path, body string, key ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
	for _, k := range key {
		r.Header.Add("Idempotency-Key", k)
	}
	w := httptest.NewRecorder()
	b.handler.ServeHTTP(w, r)
	return w
}

func (b *bench) want(w *httptest.ResponseRecorder, status int, replayed bool) {
	b.t.Helper()
	if w.Code != status {
		b.t.Errorf("got %d %s, want %d", w.Code, w.Body, status)
	}
	if got := w.Header().Get("Idempotency-Replayed") == "true"; got != replayed {
		b.t.Errorf("replayed: %v", got)
	}
}

func TestAnotherCallOfAKeyGetsTheSameReceipt(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	first := b.post(charges, order1, "k")
	b.want(first, http.StatusOK, false)
	for _, key := range []string{"k", `"k"`} {
		again := b.post(charges, order1, key)
		b.want(again, http.StatusOK, true)
		if again.Body.String() != first.Body.String() {
			t.Errorf("got %s, and at first %s", again.Body, first.Body)
		}
	}
	if b.booked() != 1 {
		t.Errorf("%d bookings", b.booked())
	}
}

func TestWhatIsNotTheSameRequest(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, path, body, key string
		status, booked        int
	}{
		{"another key is another charge", charges, order1, "other", http.StatusOK, 2},
		{"another merchant's key is another charge", "/merchants/other/charges", order1, "k", http.StatusOK, 2},
		{"a refund with a charge's key is a refund", refunds, `{"order":"1","amount":1,"currency":"EUR"}`, "k", http.StatusOK, 2},
		{"another amount with the same key is refused", charges, order2, "k", http.StatusUnprocessableEntity, 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.want(b.post(charges, order1, "k"), http.StatusOK, false)
			b.want(b.post(tc.path, tc.body, tc.key), tc.status, false)
			if b.booked() != tc.booked {
				t.Errorf("%d bookings", b.booked())
			}
		})
	}
}

func TestRequestsThatAreRefusedBookNothing(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, body, problem string
		keys                []string
	}{
		{"no key", order1, "no-key", nil},
		{"an empty key", order1, "no-key", []string{""}},
		{"empty quotes", order1, "no-key", []string{`""`}},
		{"a key that is too long", order1, "bad-key", []string{strings.Repeat("k", 256)}},
		{"a key with a control character", order1, "bad-key", []string{"a\tb"}},
		{"quotes that are not closed", order1, "bad-key", []string{`"k`}},
		{"two keys", order1, "bad-key", []string{"k", "l"}},
		{"a body that is not JSON", "amount=1000", "bad-body", []string{"k"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			w := b.post(charges, tc.body, tc.keys...)
			b.want(w, http.StatusBadRequest, false)
			if got := w.Body.String(); !strings.Contains(got, "/problems/"+tc.problem) {
				t.Errorf("got %s", got)
			}
			if b.booked() != 0 {
				t.Error("something was booked")
			}
		})
	}
}

func TestADuplicateOfARunningChargeWaitsForItsReceipt(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.gate = idemtest.NewGate(t)
	answers := make(chan *httptest.ResponseRecorder)
	for range 2 {
		go func() { answers <- b.post(charges, order1, "k") }()
	}
	b.gate.Await(t, 1)
	b.gate.Open()
	one, other := <-answers, <-answers
	if one.Code != http.StatusOK || one.Body.String() != other.Body.String() {
		t.Errorf("got %d %s and %d %s", one.Code, one.Body, other.Code, other.Body)
	}
	if b.booked() != 1 {
		t.Errorf("%d bookings", b.booked())
	}
}

func TestADuplicateOfARunningRefundIsToldToComeBack(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.gate = idemtest.NewGate(t)
	first := make(chan *httptest.ResponseRecorder)
	go func() { first <- b.post(refunds, order1, "k") }()
	b.gate.Await(t, 1)
	w := b.post(refunds, order1, "k")
	b.want(w, http.StatusConflict, false)
	if n, err := strconv.Atoi(w.Header().Get("Retry-After")); err != nil || n < 1 {
		t.Errorf("Retry-After: %q", w.Header().Get("Retry-After"))
	}
	b.gate.Open()
	b.want(<-first, http.StatusOK, false)
	b.want(b.post(refunds, order1, "k"), http.StatusOK, true)
}

func TestADeclinedChargeMayBeTriedAgain(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.answers(func(w http.ResponseWriter) bool {
		w.WriteHeader(http.StatusPaymentRequired)
		return true
	})
	b.want(b.post(charges, order1, "k"), http.StatusPaymentRequired, false)
	b.answers(nil)
	b.want(b.post(charges, order1, "k"), http.StatusOK, false)
	if b.booked() != 2 {
		t.Errorf("%d bookings", b.booked())
	}
}

func TestALostAnswerIsAskedForAgainWithTheSameDownstreamKey(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.answers(func(http.ResponseWriter) bool { panic(http.ErrAbortHandler) })
	b.want(b.post(charges, order1, "k"), http.StatusInternalServerError, false)
	b.answers(nil)
	b.want(b.post(charges, order1, "k"), http.StatusOK, false)
	if b.booked() != 2 || b.bookings[0].IdempotencyKey == "" || b.bookings[0] != b.bookings[1] {
		t.Errorf("the network was asked for %+v", b.bookings)
	}
}

func TestWithoutTheStoreNothingIsBooked(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	down := b.store.Inject(idemtest.StepClaim, idemtest.Fault{
		Do: idemtest.Refuse, Times: idemtest.Always, Err: &idem.StoreError{Reason: "down", NotApplied: true},
	})
	b.want(b.post(charges, order1, "k"), http.StatusServiceUnavailable, false)
	if b.booked() != 0 || down.Hits() == 0 {
		t.Errorf("%d bookings, %d hits", b.booked(), down.Hits())
	}
}

func TestAReadNeedsNoKey(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	w := httptest.NewRecorder()
	b.handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/merchants/acme/balance", nil))
	if w.Code != http.StatusOK || strings.TrimSpace(w.Body.String()) != `{"balance":42}` {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
}
