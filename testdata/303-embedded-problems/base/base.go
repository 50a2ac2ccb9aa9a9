// Package base declares what others embed.
package base

import (
	"context"

	"example.com/cases/303-embedded-problems/base/internal/deep"
)

// Two has two methods without annotations.
type Two interface {
	One(ctx context.Context, id string) error
	Other(ctx context.Context, id string) error
}

// Sealed can only be implemented here.
type Sealed interface{ seal() }

// Deep uses a type that only packages below this one can name.
type Deep interface{ Dive(deep.Sea) }

// Keyed has keys that only this package can compute.
type Keyed interface {
	//idem:key hidden(id)
	Pay(ctx context.Context, id string) error
	//idem:key r.id
	Refund(ctx context.Context, r *Request) error
}

// Request hides its id.
type Request struct {
	Amount int
	id     string
}

func hidden(id string) string { return id }

var _ = Request{}.id
