package payments

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
)

// This file lets the service's processes die at every point of a charge and a refund. The card network outlives them, and knows a booking by the
// key that the service hands on: that is why each is made once, although the claim of a process that died is run again.

// network is a card network with books.
type network struct {
	mu       sync.Mutex
	bookings map[string]Receipt // by key
}

func newNetwork(t testing.TB) (*network, *cards) {
	n := &network{bookings: map[string]Receipt{}}
	server := httptest.NewServer(n)
	t.Cleanup(server.Close)
	return n, &cards{network: server.URL, client: server.Client()}
}

func (n *network) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var b booking
	if err := json.NewDecoder(r.Body).Decode(&b); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	receipt, known := n.bookings[b.IdempotencyKey]
	if !known {
		receipt = Receipt{ID: "bk_" + b.Order, Order: b.Order, Amount: b.Amount, Currency: b.Currency}
		n.bookings[b.IdempotencyKey] = receipt
	}
	writeJSON(w, http.StatusOK, receipt)
}

func (n *network) booked() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.bookings)
}

// points is Payments with points at which a process may die: before and after the network is asked.
type points struct{ Payments }

func (p points) Charge(ctx context.Context, req ChargeRequest) (Receipt, error) {
	idemtest.Point(ctx, "before the network is asked")
	receipt, err := p.Payments.Charge(ctx, req)
	idemtest.Point(ctx, "after the network was asked")
	return receipt, err
}

func TestCharge_IsBookedOnceWheneverAProcessDies(t *testing.T) {
	t.Parallel()
	idemtest.Crash(t, func(t testing.TB) idemtest.Scenario {
		network, service := newNetwork(t)
		return idemtest.Scenario{
			Start: func(eng *idem.Engine) func(context.Context) (any, error) {
				p := NewIdempotentPayments(points{service}, eng)
				return func(ctx context.Context) (any, error) {
					return p.Charge(ctx, ChargeRequest{IdempotencyKey: "1", Merchant: "acme", Order: "7", Card: "4242", Amount: 1999, Currency: "EUR"})
				}
			},
			Effects: network.booked,
			Once:    true,
		}
	})
}

func TestRefund_IsBookedOnceWheneverAProcessDies(t *testing.T) {
	t.Parallel()
	idemtest.Crash(t, func(t testing.TB) idemtest.Scenario {
		network, service := newNetwork(t)
		return idemtest.Scenario{
			Start: func(eng *idem.Engine) func(context.Context) (any, error) {
				p := NewIdempotentPayments(service, eng)
				return func(ctx context.Context) (any, error) {
					return p.Refund(ctx, RefundRequest{IdempotencyKey: "1", Merchant: "acme", Order: "7", Amount: 1999, Currency: "EUR"})
				}
			},
			Effects: network.booked,
			Once:    true,
		}
	})
}
