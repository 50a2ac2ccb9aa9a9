package round

import "context"

// Double is for tests only, and so is what it stores.
//
//idem:wrap
type Double interface {
	//idem:key id
	Do(ctx context.Context, id string) (int, error)
}
