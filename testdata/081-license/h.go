// Copyright 2026 Somebody.
// All rights are reserved.

//go:build linux || darwin

// Package license has a licence and a constraint.
package license

import "context"

// H is wrapped.
//
//idem:wrap
type H interface {
	//idem:key k
	Do(ctx context.Context, k string) error
}
