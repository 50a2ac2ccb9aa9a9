// Package http has a famous name.
package http

import (
	"context"
	"net/http"
)

// Local is ours.
type Local struct{ N int }

// Thing serves.
//
//idem:wrap
type Thing interface {
	//idem:key k
	Do(ctx context.Context, k string, c http.Cookie) (*Local, error)
	//idem:skip
	Handle(w http.ResponseWriter, r *Local)
}
