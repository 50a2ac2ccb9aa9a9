// Package order declares much in no order.
package order

import (
	"context"

	"example.com/cases/094-order/b/v1"
)

// Zulu is first in the last file.
//
//idem:wrap
type Zulu interface {
	//idem:key k
	Zz(ctx context.Context, k string, t v1.T) error
	//idem:key k
	Aa(ctx context.Context, k string) (v1.T, error)
}

// Alpha is second.
//
//idem:wrap
type Alpha interface {
	//idem:key k
	Do(ctx context.Context, k string) (int, v1.T, error)
}
