// Package mem uses package unsafe.
package mem

import (
	"context"
	"unsafe"
)

// Mem forwards pointers.
//
//idem:wrap
type Mem interface {
	//idem:key id
	Map(ctx context.Context, id string) (uintptr, error)
	//idem:skip
	At(p unsafe.Pointer) *unsafe.Pointer
}
