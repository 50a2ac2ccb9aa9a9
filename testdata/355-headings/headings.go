// Package headings has comments whose last or first line gofmt may take for a heading, once there is another paragraph beside it.
package headings

import "context"

// Payments moves money
//
//idem:wrap
type Payments interface {
	// Charge takes money from a card.
	//
	// Used by the checkout
	//
	//idem:key id
	Charge(ctx context.Context, id string) (int, error)

	// Refund gives money back.
	//
	// Ends with 2
	//
	//idem:skip
	Refund(ctx context.Context, id string) error
}
