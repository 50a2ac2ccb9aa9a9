// Package quote has a message among its arguments.
package quote

import (
	"context"

	"example.com/proto"
)

//idem:wrap
type Quotes interface {
	//idem:key id
	Quote(ctx context.Context, id string, order *pay.Receipt) (int, error)
}
