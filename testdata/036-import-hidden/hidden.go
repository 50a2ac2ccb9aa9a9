// Package hidden declares what imports are called.
package hidden

import (
	stdctx "context"
	clock "time"

	str "strings"
)

func context() string { return "context" }

var time = context()

type idem struct{ N int }

const strings = "strings"

var _ = str.ToLower(time + strings)

// Hidden is in the way of its own output.
//
//idem:wrap
type Hidden interface {
	//idem:key str.TrimSpace(id)
	//idem:stale 3s
	Do(ctx stdctx.Context, id string, at clock.Time) (idem, error)
}
