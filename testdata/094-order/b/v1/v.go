// Package v1 is b's.
package v1

// T is a type.
type T struct{ B int }
