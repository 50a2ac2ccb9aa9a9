// Package template has a popular name.
package template

// Layout is a layout.
type Layout struct{ Name string }
