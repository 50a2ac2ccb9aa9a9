// Package codec is version three.
package codec

// Frame is a frame.
type Frame struct{ Text string }
