// Package idem is not the runtime.
package idem

// Token is a token.
type Token string
