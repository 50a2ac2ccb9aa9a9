// Package fold has interfaces whose names differ in the first letter only.
package fold

import "context"

// Store is exported.
//
//idem:wrap
type Store interface {
	//idem:key id
	Do(ctx context.Context, id string) (int, string, error)
}

//idem:wrap
type store interface {
	//idem:key id
	Do(ctx context.Context, id string) (string, int, error)
}

//idem:wrap
type storeA interface {
	//idem:key id
	BDo(ctx context.Context, id string) error
}

//idem:wrap
type storeAB interface {
	//idem:key id
	Do(ctx context.Context, id string) error
}
