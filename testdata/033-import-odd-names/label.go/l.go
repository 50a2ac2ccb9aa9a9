// Package label is in a directory with a dot.
package label

// Label is a label.
type Label struct{ To string }
