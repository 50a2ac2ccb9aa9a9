// Package bell leaves parameters without names.
package bell

import (
	"context"
	"time"
)

// Bell rings.
//
//idem:wrap
type Bell interface {
	//idem:skip
	Chime(context.Context, time.Time, time.Time, ...string) (int, error)
	//idem:key arg3
	Ring(_ context.Context, _ int, arg3 string, _ int, _ ...bool) (_ int, err error)
	//idem:key context
	//idem:scope none
	Toll(context.Context, int8, error) error
}
