// Package booking uses packages named like those that the output needs.
package booking

import (
	"context"
	std "time"

	"example.com/cases/031-import-std-clash/idem"
	"example.com/cases/031-import-std-clash/time"
)

// Desk books.
//
//idem:wrap
type Desk interface {
	//idem:key token
	//idem:stale 2s
	Book(ctx context.Context, token idem.Token, slot time.Slot, at std.Time) (time.Slot, error)
}
