// Package wire uses two major versions.
package wire

import (
	"context"

	v3 "example.com/cases/032-import-version/codec.v3"
	v2 "example.com/cases/032-import-version/codec/v2"
)

// Wire converts.
//
//idem:wrap
type Wire interface {
	//idem:key id
	Convert(ctx context.Context, id string, from v2.Frame) (v3.Frame, error)
}
