// Package round has tests of what its operations store.
package round

import (
	"context"
	"math/big"
	"time"
)

// Receipt is what comes back.
type Receipt struct {
	ID     string
	Amount *big.Int
	Lines  []Line
	ByTax  map[string]*Line
	At     time.Time
	Next   *Receipt
}

// Line is one of a receipt's.
type Line struct {
	Text string
	N    int `json:",omitempty"`
}

// Secret does not survive.
type Secret struct {
	Value string `json:"-"`
}

// Store has methods with one result, several and none.
//
//idem:wrap
type Store interface {
	//idem:key id
	Charge(ctx context.Context, id string) (Receipt, error)
	//idem:key id
	Quote(ctx context.Context, id string) (*Receipt, []Line, time.Duration, error)
	//idem:key id
	Delete(ctx context.Context, id string) error
	//idem:key id
	//idem:lossy it is shown once
	Reveal(ctx context.Context, id string) (Secret, error)
	//idem:skip
	Len() int
}

//idem:wrap
type hidden interface {
	//idem:key id
	do(ctx context.Context, id string) (map[time.Month]float64, error)
}

// Box is generic.
//
//idem:wrap
type Box[T any] interface {
	//idem:key id
	Put(ctx context.Context, id string, value T) (T, error)
}

// TestStoreChargeRoundTrip has a name that a test would have.
func TestStoreChargeRoundTrip() {}

var testing = TestStoreChargeRoundTrip

var _, _, _ = hidden(nil), testing, NewIdempotentStore
