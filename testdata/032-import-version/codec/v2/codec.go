// Package codec is version two.
package codec

// Frame is a frame.
type Frame struct{ Data []byte }
