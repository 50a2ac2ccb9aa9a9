package idem

// This file is the seam to how results are stored.

// Ref names the row a result belongs to, so that an encrypting codec can bind bytes to it.
type Ref struct{ Operation, Scope, Key string }

// Codec stores results of type T. Encode returns the bytes to store (empty is fine) and must be deterministic enough
// that Decode of it gives an equal value. Decode must not keep data. A Decode error is ErrUnreadable to the caller, never a second run.
type Codec[T any] interface {
	// Name is stored with every row, 1 to 255 bytes; a wrapping codec names what it wraps, as in "zstd+json".
	Name() string
	Encode(ref Ref, v T) ([]byte, error)
	Decode(ref Ref, data []byte) (T, error)
}
