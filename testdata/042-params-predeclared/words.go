// Package words has parameters named like predeclared things.
package words

import "context"

type word string

// Words says what it likes.
//
//idem:wrap
type Words interface {
	//idem:key string
	A(ctx context.Context, string string, len, cap int, nil bool, error uint8) (int, error)
	//idem:key text[:cap(data)] + word(data[:])
	B(ctx context.Context, text word, data [1]byte, string, len, byte int) ([]byte, bool, error)
	//idem:skip
	C(true, false int, append ...string) (nil error)
}
