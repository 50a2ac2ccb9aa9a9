// Package outer embeds what it should not.
package outer

import (
	"context"
	"io"

	"example.com/cases/303-embedded-problems/base"
)

// Open forwards nothing on purpose.
//
//idem:wrap
type Open interface {
	base.Two
	io.ReadCloser
	error
	//idem:key id
	Pay(ctx context.Context, id string) error
}

// Shut can't be implemented here.
//
//idem:wrap
//idem:skip *
type Shut interface {
	base.Sealed
	base.Deep
	//idem:key id
	Pay(ctx context.Context, id string) error
}

// Same is an alias.
//
//idem:wrap
type Same = base.Two

// Keyed has its keys from elsewhere.
//
//idem:wrap
type Keyed interface{ base.Keyed }

// Skipping marks what it embeds.
//
//idem:wrap
type Skipping interface {
	//idem:skip
	io.Closer
	//idem:key id
	Pay(ctx context.Context, id string) error
}
