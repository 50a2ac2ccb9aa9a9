// Package hidden declares a predeclared name of its own.
package hidden

import (
	"context"

	"example.com/cases/212-hidden-predeclared/base"
)

type bool struct{ Yes, No int }

// Hidden needs the predeclared one, too.
//
//idem:wrap
type Hidden interface {
	base.Base
	//idem:skip
	Own(b bool)
}

var _ = context.Background
