// Package v1 is a's.
package v1

// T is a type.
type T struct{ A int }
