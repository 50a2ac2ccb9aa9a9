// Package error has a predeclared name.
package error

// Text is a text.
type Text string
