// Package arguments has parameters that can't be compared.
package arguments

import (
	"context"
	"io"
)

type upload struct {
	Name string
	Body io.Reader
	Done chan bool
}

// Arguments is blind.
//
//idem:wrap
type Arguments interface {
	//idem:key k
	Func(ctx context.Context, k string, f func()) error
	//idem:key k
	Options(ctx context.Context, k string, f ...func()) error
	//idem:key k
	Upload(ctx context.Context, k string, u *upload) error
	//idem:key k
	Any(ctx context.Context, k string, v any) error
}
