// Package plain is not annotated any more.
package plain

// Plain is plain.
type Plain interface{ Do() }
