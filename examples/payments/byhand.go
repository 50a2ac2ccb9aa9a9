package payments

import (
	"context"
	"log/slog"
)

// This file is what the wrapper is there to replace: "have I seen this key?" as it is written by hand, and as the
// demo shows to charge cards twice. Two callers can both look before either has acted, and a process that dies
// between acting and remembering forgets.

// byHand is Payments with check-then-act.
type byHand struct {
	Payments
	seen Memory
}

// Memory remembers receipts by their keys: a table.
type Memory interface {
	Recall(ctx context.Context, key string) (receipt Receipt, ok bool, err error)
	Remember(ctx context.Context, key string, receipt Receipt) error
}

func (h byHand) Charge(ctx context.Context, req ChargeRequest) (Receipt, error) {
	return h.once(ctx, req.IdempotencyKey, func() (Receipt, error) { return h.Payments.Charge(ctx, req) })
}

func (h byHand) Refund(ctx context.Context, req RefundRequest) (Receipt, error) {
	return h.once(ctx, req.IdempotencyKey, func() (Receipt, error) { return h.Payments.Refund(ctx, req) })
}

// once looks for the key, acts, and remembers.
func (h byHand) once(ctx context.Context, key string, act func() (Receipt, error)) (Receipt, error) {
	receipt, ok, err := h.seen.Recall(ctx, key)
	if err != nil {
		return Receipt{}, err
	}
	if ok {
		slog.DebugContext(ctx, "by hand: replayed", "event", "replayed")
		return receipt, nil
	}
	receipt, err = act() // whoever looked at the same time as we did acts, too
	if err != nil {
		return Receipt{}, err
	}
	return receipt, h.seen.Remember(ctx, key, receipt)
}
