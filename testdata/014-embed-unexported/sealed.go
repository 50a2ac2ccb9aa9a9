// Package sealed has an unexported method.
package sealed

import "context"

// Sealed can be implemented here only.
//
//idem:wrap
type Sealed interface {
	//idem:key id
	stamp(ctx context.Context, id string) (int, error)
	//idem:skip
	seal()
}
