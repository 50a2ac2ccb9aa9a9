package payments

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/idemgen/idemgen/idem"
)

// This file is the service itself: Payments by way of a card network. It knows nothing of duplicates; all it owes the
// wrapper is to say what its errors mean, and to hand the downstream key on.

// ErrDeclined is the card network's no. Nothing was booked, so the claim is released and a corrected retry runs.
var ErrDeclined = errors.New("the card was declined")

// cards is Payments on a card network.
type cards struct {
	network string // base URL
	name    string // of this process, for the network's books
	client  *http.Client
}

// booking is what the card network takes.
type booking struct {
	Kind     string `json:"kind"` // "charge" or "refund"
	Merchant string `json:"merchant"`
	Order    string `json:"order"`
	Card     string `json:"card,omitempty"`
	Amount   int64  `json:"amount"`
	Currency string `json:"currency"`
	// IdempotencyKey lets the network recognise a booking it has made already. See [idem.Run].
	IdempotencyKey string `json:"idempotency_key,omitempty"`
}

func (c *cards) Charge(ctx context.Context, req ChargeRequest) (Receipt, error) {
	return c.book(ctx, booking{
		Kind: "charge", Merchant: req.Merchant, Order: req.Order, Card: req.Card, Amount: req.Amount, Currency: req.Currency,
	})
}

func (c *cards) Refund(ctx context.Context, req RefundRequest) (Receipt, error) {
	return c.book(ctx, booking{
		Kind: "refund", Merchant: req.Merchant, Order: req.Order, Amount: req.Amount, Currency: req.Currency,
	})
}

func (c *cards) Balance(ctx context.Context, merchant string) (balance int64, err error) {
	err = c.call(ctx, http.MethodGet, "/balance?"+url.Values{"merchant": {merchant}}.Encode(), nil, &balance)
	return balance, err
}

func (c *cards) book(ctx context.Context, b booking) (receipt Receipt, err error) {
	if run, ok := idem.FromContext(ctx); ok {
		b.IdempotencyKey = run.DownstreamKey
	}
	err = c.call(ctx, http.MethodPost, "/bookings", b, &receipt)
	return receipt, err
}

// call sends one request and reads the answer into out. An error of the connection goes back as it is: the engine
// knows that a timeout or a lost connection says nothing about the effect.
func (c *cards) call(ctx context.Context, method, path string, in, out any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, method, c.network+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("User-Agent", c.name)
	resp, err := c.client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	switch {
	case resp.StatusCode == http.StatusOK:
		// A yes that can't be read: the booking was made, and what it was is lost.
		return idem.Unknown(json.NewDecoder(resp.Body).Decode(out))
	case resp.StatusCode == http.StatusPaymentRequired:
		return ErrDeclined
	default:
		_, _ = io.Copy(io.Discard, resp.Body) // so that the connection can be used again
		return idem.Unknown(fmt.Errorf("the card network answered %s", resp.Status))
	}
}
