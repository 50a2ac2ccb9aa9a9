// Package score holds a constraint.
package score

// By ranks values by keys.
type By[K any] interface {
	Rank(K) int
}
