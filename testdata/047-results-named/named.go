// Package named has results with names.
package named

import "context"

// Place is a place.
type Place struct{ Lat, Long float64 }

// Named tells what comes back.
//
//idem:wrap
type Named interface {
	//idem:key id
	Find(ctx context.Context, id string) (at Place, distance int, err error)
	//idem:key id
	Alone(ctx context.Context, id string) (err error)
	//idem:key id
	One(ctx context.Context, id string) (place *Place, problem error)
	//idem:key id
	Taken(ctx context.Context, id string) (res, key int, idem, w []byte, err error)
	//idem:skip
	Plain(id string) (n int, w bool)
}
