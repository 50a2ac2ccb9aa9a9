package processes

import "context"

// This file is the interface whose wrapper the workers call. Its leases are short, so that many of them lapse in a run.

//go:generate go tool idemgen .

// till books orders: one method whose duplicates wait, and one whose duplicates are refused meanwhile.
//
//idem:wrap
//idem:stale 1s
//idem:takeover rerun maxattempts 1000
type till interface {
	//idem:key o.Key
	//idem:policy poll 20s
	Charge(ctx context.Context, o order) (receipt, error)

	//idem:key o.Key
	//idem:policy conflict
	Refund(ctx context.Context, o order) (receipt, error)
}

// order asks for a booking.
type order struct {
	Key    string
	Amount int
}

// receipt is what a booking is answered with. Its number is of one run alone, so a receipt says which run made it.
type receipt struct {
	Number string
	Amount int
}
