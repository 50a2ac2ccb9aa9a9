package order

import (
	"context"

	"example.com/cases/094-order/a/v1"
)

// Omega is in the first file.
//
//idem:wrap
type Omega interface {
	//idem:key k
	Do(ctx context.Context, k string) (map[string]v1.T, error)
}
