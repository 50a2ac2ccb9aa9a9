package overrest

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/idemgen/idemgen/lab/servers/engine"
	"github.com/idemgen/idemgen/lab/servers/payrest"
)

// bank counts its charges, and declines one card.
type bank struct{ calls atomic.Int64 }

func (b *bank) Charge(_ context.Context, r payrest.ChargeRequestObject) (payrest.ChargeResponseObject, error) {
	n := strconv.FormatInt(b.calls.Add(1), 10)
	if r.Body.Card == "empty" {
		return payrest.Charge402JSONResponse{Reason: "declined " + n}, nil
	}
	place := "/charges/" + n
	return payrest.Charge201JSONResponse{
		Body: payrest.Charge{Id: n, Cents: r.Body.Cents}, Headers: payrest.Charge201ResponseHeaders{Location: &place},
	}, nil
}

func (b *bank) GetCharge(_ context.Context, r payrest.GetChargeRequestObject) (payrest.GetChargeResponseObject, error) {
	return payrest.GetCharge200JSONResponse{Id: r.Id, Cents: b.calls.Add(1)}, nil
}

// answers is one round trip in short.
func answers(t *testing.T, url, method, key, body string) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, bytes.NewReader([]byte(body)))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Idempotency-Key", key)
	r.Header.Set("Tenant", "shop")
	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = reply.Body.Close() }()
	text, err := io.ReadAll(reply.Body)
	if err != nil {
		t.Fatal(err)
	}
	return strconv.Itoa(reply.StatusCode) + " " + reply.Header.Get("Location") + " " + string(bytes.TrimSpace(text))
}

func TestWrapperIsTheStrictServer(t *testing.T) {
	t.Parallel()
	b := &bank{}
	server := httptest.NewServer(payrest.Handler(payrest.NewStrictHandler(NewIdempotentPayments(b, engine.New(t)), nil)))
	t.Cleanup(server.Close)
	url := server.URL + "/charges"
	for _, c := range []struct{ method, path, key, body, want string }{
		{"POST", "", "order-7", `{"card":"4242","cents":1999}`, `201 /charges/1 {"cents":1999,"id":"1"}`},
		{"POST", "", "order-7", `{"cents":1999,"card":"4242"}`, `201 /charges/1 {"cents":1999,"id":"1"}`},
		{"POST", "", "order-8", `{"card":"4242","cents":1999}`, `201 /charges/2 {"cents":1999,"id":"2"}`},
		{"POST", "", "order-9", `{"card":"empty","cents":1999}`, `402  {"reason":"declined 3"}`},
		{"POST", "", "order-9", `{"card":"empty","cents":1999}`, `402  {"reason":"declined 3"}`},
		{"GET", "/1", "", "", `200  {"cents":4,"id":"1"}`},
		{"GET", "/1", "", "", `200  {"cents":5,"id":"1"}`},
	} {
		if got := answers(t, url+c.path, c.method, c.key, c.body); got != c.want {
			t.Errorf("%s %s with key %s: %s; want %s", c.method, c.path, c.key, got, c.want)
		}
	}
	if got := answers(t, url, "POST", "order-7", `{"card":"4242","cents":1}`); got[:3] != "500" {
		t.Errorf("another amount under the same key: %s", got)
	}
}
