package payments

import "context"

// This file is the service's interface: the one thing idemgen reads. `go generate` writes idem_gen.go from it.

//go:generate go tool idemgen .

// Payments moves money between cards and merchants. Amounts are in the smallest unit of their currency.
//
// A charge whose process died is run again by the next caller: the card network is handed a key of its own to know it
// by.
//
//idem:wrap
//idem:scope req.Merchant
//idem:stale 5s
//idem:takeover rerun
type Payments interface {
	// Charge takes an amount from a card. A caller who asks again while it runs waits for the receipt.
	//
	//idem:key req.IdempotencyKey
	//idem:policy poll 20s
	Charge(ctx context.Context, req ChargeRequest) (Receipt, error)

	// Refund gives the amount of an order back. A caller who asks again while it runs is told so at once.
	//
	//idem:key req.IdempotencyKey
	//idem:policy conflict
	Refund(ctx context.Context, req RefundRequest) (Receipt, error)

	// Balance is what a merchant's customers have paid, less refunds. It changes nothing, so it may run as often as it
	// likes.
	//
	//idem:skip
	Balance(ctx context.Context, merchant string) (int64, error)
}

// ChargeRequest asks for a charge. All of it is compared when a key comes again: the same key for another amount is
// refused.
type ChargeRequest struct {
	IdempotencyKey string `json:"-"`
	Merchant       string `json:"-"`
	Order          string `json:"order"`
	Card           string `json:"card"`
	Amount         int64  `json:"amount"`
	Currency       string `json:"currency"`
}

// RefundRequest asks for a refund.
type RefundRequest struct {
	IdempotencyKey string `json:"-"`
	Merchant       string `json:"-"`
	Order          string `json:"order"`
	Amount         int64  `json:"amount"`
	Currency       string `json:"currency"`
}

// Receipt is what the card network answered. It is what is stored, and what every later caller of the key gets.
type Receipt struct {
	ID       string `json:"id"`
	Order    string `json:"order"`
	Amount   int64  `json:"amount"`
	Currency string `json:"currency"`
}
