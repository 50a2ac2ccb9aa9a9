// Package constraints wraps what no value can be.
package constraints

// Number is a union.
//
//idem:wrap
type Number interface{ ~int | ~float64 }

// Equal is comparable.
//
//idem:wrap
type Equal interface {
	comparable
	Equal(other any) bool
}
