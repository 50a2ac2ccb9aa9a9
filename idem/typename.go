package idem

import (
	"reflect"
	"strings"

	"github.com/idemgen/idemgen/idem/shape"
)

// This file names type arguments.

// TypeName is T with full import paths, as it stands in the operation name of a generic wrapper, so that two instances
// never share rows. It is stored data.
func TypeName[T any]() string {
	// Two functions may each declare a type of one name. Reflection numbers them only where they are type arguments.
	if name := reflect.TypeFor[argument[T]]().Name(); strings.Contains(name, "·") {
		return strings.TrimSuffix(strings.TrimPrefix(name, "argument["), "]")
	}
	return shape.TypeName(reflect.TypeFor[T]())
}

type argument[T any] struct{}
