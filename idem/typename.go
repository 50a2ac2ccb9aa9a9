package idem

import (
	"reflect"
	"strconv"
)

// TypeName is T with full import paths, as it stands in the operation name of a generic wrapper, so that two instances
// never share rows. It is stored data.
func TypeName[T any]() string { return typeName(reflect.TypeFor[T]()) }

func typeName(t reflect.Type) string {
	if t.Name() != "" {
		if t.PkgPath() != "" {
			return t.PkgPath() + "." + t.Name()
		}
		return t.Name()
	}
	switch t.Kind() {
	case reflect.Pointer:
		return "*" + typeName(t.Elem())
	case reflect.Slice:
		return "[]" + typeName(t.Elem())
	case reflect.Array:
		return "[" + strconv.Itoa(t.Len()) + "]" + typeName(t.Elem())
	case reflect.Map:
		return "map[" + typeName(t.Key()) + "]" + typeName(t.Elem())
	default:
		return t.String()
	}
}
