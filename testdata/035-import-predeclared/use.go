// Package use imports packages with the names of predeclared things.
package use

import (
	"context"

	no "example.com/cases/035-import-predeclared/err"
	text "example.com/cases/035-import-predeclared/error"
	zero "example.com/cases/035-import-predeclared/nil"
)

// Use uses them.
//
//idem:wrap
type Use interface {
	//idem:key string(t)
	Do(ctx context.Context, t text.Text, n no.No) (*zero.Zero, error)
}
