// Package ignore says what is meant.
package ignore

import (
	"context"

	"example.com/shop/pay"
	"example.com/shop/stripe"
)

func meant(c *stripe.Client, p pay.Payments) {
	//lint:ignore IDEM090 a probe, which may run as often as it likes
	_ = c.Void(context.Background(), 0)
	_ = c.Void(context.Background(), 0) //lint:ignore IDEM090 as above

	//lint:ignore IDEM091,IDEM092 nobody waits for it
	_ = p.Void(context.Background(), 0)

	//lint:ignore IDEM092 the statement below, all of it
	_, _ = p.Charge(
		context.Background(),
		nil,
	)
}

func notMeant(c *stripe.Client, p pay.Payments) {
	//lint:ignore IDEM092 this is another rule
	_ = c.Void(context.Background(), 0) // want `IDEM090`

	_ = c.Void(context.Background(), 0) // want `IDEM090`

	//lint:ignore IDEM090
	_ = c.Void(context.Background(), 0) // want `\(the comment that ignores this needs a reason\) \[IDEM090\]`
}
