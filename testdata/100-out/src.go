// Package src is wrapped in another package.
package src

import (
	"context"
	"net/http"
)

// Bill is a bill.
type Bill struct{ Cents int }

// Digest makes a key.
func Digest(b []byte) string { return string(b) }

// Pay pays.
//
//idem:wrap
type Pay interface {
	// Charge charges.
	//
	//idem:key Digest(raw)
	Charge(ctx context.Context, raw []byte, opt struct{ Bill }) (Bill, []Bill, error)
	//idem:skip
	Serve(w http.ResponseWriter, b Bill)
}

// Box is generic.
//
// Deprecated: use Pay.
//
//idem:wrap
type Box[B interface{ ~struct{ Cents int } }] interface {
	//idem:key id
	Put(ctx context.Context, id string, b B) (B, error)
}
