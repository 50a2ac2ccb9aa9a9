// Package print chooses what a duplicate must agree on.
package print

import (
	"context"
	"io"
)

// Request is a request.
type Request struct {
	ID     string
	Amount *Amount
	Trace  string
}

// Amount is an amount.
type Amount struct{ Cents int }

// Print has all forms.
//
//idem:wrap
type Print interface {
	//idem:key req.ID
	All(ctx context.Context, req Request, n int) error
	//idem:key req.ID
	//idem:fingerprint none
	None(ctx context.Context, req Request) error
	//idem:key req.ID
	//idem:fingerprint req.Amount.Cents, n+1
	Some(ctx context.Context, req Request, n int) error
	//idem:key req.ID
	//idem:fingerprint except body, n
	Except(ctx context.Context, req Request, n int, body io.Reader) error
}
