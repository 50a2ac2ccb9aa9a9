package shape

import "strings"

// This file ends walks that would go on without end. A type that leads back to itself is met once; but a generic type can lead to
// ever new instances of itself (type P[T any] struct{ next *P[P[T]] }), which the compiler refuses, and which may be there all the same.

// nesting counts the instances of each generic type on the way to the present one.
type nesting map[string]int

// maxNesting is more levels of one generic type inside itself than anybody writes.
const maxNesting = 6

// enter goes into t, or says that there is no end to it.
func (n *nesting) enter(t Type) bool {
	origin, _, generic := strings.Cut(t.Name(), "[")
	if !generic {
		return true
	}
	if *n == nil {
		*n = nesting{}
	}
	if (*n)[origin] == maxNesting {
		return false
	}
	(*n)[origin]++
	return true
}

// leave comes back from t.
func (n *nesting) leave(t Type) {
	if origin, _, generic := strings.Cut(t.Name(), "["); generic {
		(*n)[origin]--
	}
}
