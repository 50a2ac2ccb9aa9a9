package payments

import (
	"context"
	"errors"
	"math"
	"net/http"
	"strconv"

	"github.com/idemgen/idemgen/idem"
)

// This file turns errors into HTTP answers. 409 alone could not tell "wait a little" from "a person has to look", so
// every problem has a type of its own (RFC 9457).

var (
	errBadBody     = errors.New("the body is not the JSON this takes")
	errSeveralKeys = errors.New("several Idempotency-Key headers")
	errUnclosedKey = errors.New("the Idempotency-Key's quotes are not closed")
)

// problem is the body of an answer that is not a receipt.
type problem struct {
	Type   string `json:"type"`
	Title  string `json:"title"`
	Status int    `json:"status"`
}

// problems say which answer an error is. The first that fits counts: a wait that ran out of time is in flight before
// it is slow.
var problems = []struct {
	is     error
	status int
	name   string
	title  string
}{
	{errBadBody, http.StatusBadRequest, "bad-body", "The body can't be read"},
	{errSeveralKeys, http.StatusBadRequest, "bad-key", "Give one Idempotency-Key"},
	{errUnclosedKey, http.StatusBadRequest, "bad-key", "The Idempotency-Key can't be used"},
	{idem.ErrNoKey, http.StatusBadRequest, "no-key", "Send an Idempotency-Key"},
	{idem.ErrBadKey, http.StatusBadRequest, "bad-key", "The Idempotency-Key can't be used"},
	{idem.ErrMismatch, http.StatusUnprocessableEntity, "other-request", "The Idempotency-Key was used for another request"},
	{idem.ErrInFlight, http.StatusConflict, "in-flight", "The first request is still being worked on; ask again"},
	{idem.ErrOutcomeUnknown, http.StatusConflict, "unknown", "It is not known whether this happened; asking again does not help"},
	{idem.ErrResultNotStored, http.StatusConflict, "no-receipt", "This was done, and its receipt was not kept; asking again does not help"},
	{idem.ErrLeaseLost, http.StatusConflict, "in-flight", "Another request has taken over; ask again"},
	{idem.ErrStore, http.StatusServiceUnavailable, "unavailable", "Nothing was done; ask again"},
	{idem.ErrClosed, http.StatusServiceUnavailable, "unavailable", "Nothing was done; ask again"},
	{ErrDeclined, http.StatusPaymentRequired, "declined", "The card was declined"},
	{context.DeadlineExceeded, http.StatusGatewayTimeout, "slow", "This took too long; ask again"},
}

func writeProblem(w http.ResponseWriter, err error) {
	p := problem{Type: "about:blank", Title: "Something went wrong; ask again", Status: http.StatusInternalServerError}
	for _, known := range problems {
		if errors.Is(err, known.is) {
			p = problem{Type: "/problems/" + known.name, Title: known.title, Status: known.status}
			break
		}
	}
	var e *idem.Error
	if errors.As(err, &e) && e.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(e.RetryAfter.Seconds()))))
	}
	w.Header().Set("Content-Type", "application/problem+json")
	writeJSON(w, p.Status, p)
}
