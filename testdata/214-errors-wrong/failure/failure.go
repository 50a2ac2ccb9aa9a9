// Package failure has errors of another package.
package failure

import "errors"

// ErrBusy is a value, errQuiet is another's.
var (
	ErrBusy  = errors.New("busy")
	errQuiet = errors.New("quiet")
)
