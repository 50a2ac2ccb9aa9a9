// Package below is another module's.
package below

import "context"

//idem:wrap
type B interface {
	//idem:key k
	Do(ctx context.Context, k string) error
}
