// Package failure has errors of another package.
package failure

import "errors"

// ErrBusy is a value.
var ErrBusy = errors.New("busy")

// Declined is an error by its pointer.
type Declined struct{ Code int }

func (*Declined) Error() string { return "declined" }

// Code is an error by itself.
type Code int

func (Code) Error() string { return "code" }

// Gone is a constant that is an error.
const Gone Code = 410
