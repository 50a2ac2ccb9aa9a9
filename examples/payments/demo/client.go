package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// This file is one request of one client, and what it makes of the answer. This is how a client should behave: the
// same key and the same body each time, and the wait that the server asks for.

// payment is what a client asks for.
type payment struct{ key, path, body string }

// payment gives all clients of a key the same request.
func (s *storm) payment(n int) payment {
	order := fmt.Sprintf("%s-order-%02d", s.name, n)
	p := payment{
		key:  order + "-payment",
		path: "/merchants/acme/charges",
		body: fmt.Sprintf(`{"order":%q,"card":"4242 4242 4242 4242","amount":%d,"currency":"EUR"}`, order, 1000+n),
	}
	if n < refunds {
		p.path = "/merchants/acme/refunds"
		p.body = fmt.Sprintf(`{"order":%q,"amount":%d,"currency":"EUR"}`, order, 1000+n)
	}
	return p
}

// answer is what came of a request: a receipt, a reason to ask again after a wait, or an error to give up on.
type answer struct {
	receipt          string
	status           int
	timedOut, broken bool
	wait             time.Duration
	err              error
}

// ask sends p once.
func (s *storm) ask(ctx context.Context, server string, p payment, patience time.Duration) answer {
	again := 20*time.Millisecond + rand.N(80*time.Millisecond)
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, server+p.path, strings.NewReader(p.body))
	if err != nil {
		return answer{err: err}
	}
	req.Header.Set("Idempotency-Key", p.key)
	resp, err := s.http.Do(req)
	if err != nil {
		return unanswered(err, again)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return unanswered(err, again)
	}
	return understand(resp, body, again)
}

// unanswered is a request that was given up by its client, or whose connection broke.
func unanswered(err error, again time.Duration) answer {
	timedOut := errors.Is(err, context.DeadlineExceeded)
	return answer{wait: again, timedOut: timedOut, broken: !timedOut}
}

// understand reads an answer that arrived.
func understand(resp *http.Response, body []byte, again time.Duration) answer {
	a := answer{status: resp.StatusCode, wait: again}
	switch resp.StatusCode {
	case http.StatusOK:
		var receipt struct{ ID string }
		if err := json.Unmarshal(body, &receipt); err != nil || receipt.ID == "" {
			a.err = fmt.Errorf("no receipt in %q", body)
		}
		a.receipt = receipt.ID
	case http.StatusConflict, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		if seconds, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil {
			a.wait = time.Duration(seconds) * time.Second
		}
	default:
		a.err = fmt.Errorf("unexpected answer %s: %s", resp.Status, body)
	}
	return a
}
