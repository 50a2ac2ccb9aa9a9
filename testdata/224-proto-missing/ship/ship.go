// Package ship returns a message too, and is told by the first of its module.
package ship

import (
	"context"

	"example.com/proto"
)

//idem:wrap
type Shipping interface {
	//idem:key id
	Send(ctx context.Context, id string) (*pay.Receipt, error)
}
