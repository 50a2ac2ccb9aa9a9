// Package stripe implements payments.
package stripe

import (
	"context"

	"github.com/google/uuid"

	"example.com/shop/pay"
)

// Client implements pay.Payments.
type Client struct{ name string }

// Charge implements it.
func (c *Client) Charge(ctx context.Context, req *pay.Request) (pay.Receipt, error) {
	return pay.Receipt{}, nil
}

// Refund implements it.
func (c *Client) Refund(ctx context.Context, id uuid.UUID, amount int) error {
	return c.Void(ctx, amount) // its own affair
}

// Payout implements it.
func (c *Client) Payout(ctx context.Context, merchant, number string) error { return nil }

// Void implements it.
func (c *Client) Void(ctx context.Context, amount int) error { return nil }

// Balance implements it.
func (c *Client) Balance(ctx context.Context) (int, error) { return 0, nil }
