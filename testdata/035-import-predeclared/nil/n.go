// Package nil has a predeclared name.
package nil

// Zero is zero.
type Zero struct{ Z int }
