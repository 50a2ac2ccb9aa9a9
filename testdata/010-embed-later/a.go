// Package later embeds what a later file declares.
package later

import "context"

// Gate is the whole.
//
//idem:wrap
type Gate interface {
	opener
	//idem:skip
	State(ctx context.Context) (string, error)
}
