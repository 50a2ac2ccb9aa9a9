package round

import "context"

// Linux is there on Linux.
//
//idem:wrap
type Linux interface {
	//idem:key id
	Do(ctx context.Context, id string) (int, error)
}
