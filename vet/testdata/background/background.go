// Package background hands contexts to wrapped calls.
package background

import (
	"context"
	"net/http"
	"time"

	"example.com/shop/pay"
	"github.com/idemgen/idemgen/idem"
)

var shared = context.Background()

func given(ctx context.Context, p *pay.IdempotentPayments) {
	_ = p.Void(context.Background(), 1) // want `context.Background\(\) is handed to pay.Payments.Void, so its caller's deadline and cancellation never reach it; hand on ctx \[IDEM092\]`
	_ = p.Void(context.TODO(), 1)       // want `context.TODO\(\) is handed`
	_ = p.Void(ctx, 1)
	_ = p.Void(context.WithValue(ctx, "k", 1), 1)
}

func request(w http.ResponseWriter, r *http.Request, p pay.Payments) {
	_ = p.Void(context.Background(), 1) // want `hand on r.Context\(\)`
	_ = p.Void(r.Context(), 1)
}

func variable(p pay.Payments) {
	ctx := context.Background()
	_ = p.Void(ctx, 1) // want `take a context.Context parameter and hand that on`
}

func values(p pay.Payments) {
	ctx := idem.WithKey(context.Background(), "k")
	ctx = context.WithValue(ctx, "a", "b")
	ctx, info := idem.WithInfo(ctx)
	_ = p.Void(ctx, 1) // want `IDEM092`
	_ = info
}

func global(p pay.Payments) {
	_ = p.Void(shared, 1) // want `IDEM092`
}

func closure(ctx context.Context, p pay.Payments) {
	go func() {
		_ = p.Void(context.Background(), 1) // want `hand on ctx`
	}()
}

func hidden(ctx context.Context, p pay.Payments) {
	func(ctx int) {
		_ = p.Void(context.Background(), 1) // want `take a context.Context parameter`
	}(1)
}

func blank(_ context.Context, p pay.Payments) {
	_ = p.Void(context.Background(), 1) // want `take a context.Context parameter`
}

func bounded(p pay.Payments) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = p.Void(ctx, 1)
}

func detached(ctx context.Context, p pay.Payments) { _ = p.Void(context.WithoutCancel(ctx), 1) }

func either(ctx context.Context, p pay.Payments) {
	if ctx == nil {
		ctx = context.Background()
	}
	_ = p.Void(ctx, 1)
}

func forwarded(p pay.Payments) { _, _ = p.Balance(context.Background()) }

func init() {
	var p pay.Payments
	if p != nil {
		_ = p.Void(context.Background(), 1)
	}
}

// command is what libraries for command lines hand out.
type command struct{}

func (c *command) Context() context.Context { return nil }

func ofCommand(cmd *command, p pay.Payments) {
	_ = p.Void(idem.WithKey(context.Background(), "k"), 1) // want `hand on cmd.Context\(\)`
}

// webContext is a context of a web framework.
type webContext struct{ context.Context }

func ofWeb(c *webContext, p pay.Payments) {
	_ = p.Void(context.TODO(), 1) // want `hand on c `
}
