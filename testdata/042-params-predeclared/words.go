// Package words has parameters named like predeclared things.
package words

import "context"

// Words says what it likes.
//
//idem:wrap
type Words interface {
	//idem:key string
	A(ctx context.Context, string string, len, cap int, nil bool, error uint8) (int, error)
	//idem:key string(text[:len(text)])
	B(ctx context.Context, text []byte, string, len, byte int) ([]byte, bool, error)
	//idem:skip
	C(true, false int, append ...string) (nil error)
}
