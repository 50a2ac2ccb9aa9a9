// Package uuid has the names of the real one.
package uuid

// UUID is an id.
type UUID [16]byte

// String is its text.
func (u UUID) String() string { return string(u[:]) }

// New is a random id.
func New() UUID { return UUID{} }

// NewString is a random id's text.
func NewString() string { return "" }

// NewRandom is a random id.
func NewRandom() (UUID, error) { return UUID{}, nil }

// Must panics on an error.
func Must(u UUID, err error) UUID { return u }

// NewSHA1 is an id made of data.
func NewSHA1(space UUID, data []byte) UUID { return space }
