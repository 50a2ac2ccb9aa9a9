// Package results has results that storage would change.
package results

import (
	"context"
	"io"
	"time"
	"unsafe"
)

type step struct{ Run func() error }

type plan struct {
	Steps []step
	At    time.Time
}

type opaque struct{ a, b int }

var _ = opaque{}.a + opaque{}.b

type twin struct {
	A string `json:"x"`
	B string `json:"x"`
}

type bag struct {
	Items []string `json:",omitempty"`
}

// Results is lossy.
//
//idem:wrap
type Results interface {
	//idem:key k
	Channel(ctx context.Context, k string) (<-chan int, error)
	//idem:key k
	Reader(ctx context.Context, k string) (io.Reader, error)
	//idem:key k
	Deep(ctx context.Context, k string) (n int, p *plan, err error)
	//idem:key k
	Opaque(ctx context.Context, k string) (opaque, error)
	//idem:key k
	Twin(ctx context.Context, k string) (twin, error)
	//idem:key k
	Bag(ctx context.Context, k string) (bag, error)
	//idem:key k
	Basic(ctx context.Context, k string) (complex64, unsafe.Pointer, map[twin]int, error)
	//idem:key k
	Pointer(ctx context.Context, k string) (**int, error)
}
