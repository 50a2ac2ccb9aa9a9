// Package ship uses packages whose names are not the ends of their paths.
package ship

import (
	"context"

	parcel "example.com/cases/033-import-odd-names/go-parcel"
	label "example.com/cases/033-import-odd-names/label.go"
	trackID "example.com/cases/033-import-odd-names/track_v1"
)

// Ship ships.
//
//idem:wrap
type Ship interface {
	//idem:key no
	Send(ctx context.Context, no trackID.No, p parcel.Parcel) (*label.Label, error)
}
