// Package orders has a constraint that refers to itself and supplies the key.
package orders

import "context"

// Queue takes events.
//
//idem:wrap
type Queue[E interface {
	ID() string
	Next() E
}] interface {
	//idem:key event.ID()
	Push(ctx context.Context, event E) (position int, err error)
}

// Order is an event.
type Order struct{ No string }

// ID names it.
func (o Order) ID() string { return o.No }

// Next follows it.
func (o Order) Next() Order { return Order{o.No + "+1"} }
