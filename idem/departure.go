package idem

import (
	"errors"
	"runtime"
)

// This file tells apart the two ways in which a method can end without returning. The usual way, recover(), would take the panic's
// stack away, and see nothing of a Goexit; the stack itself says which it is.

// The causes of abandoning a run that did not return. They never hold the panic's value.
var (
	errPanicked = errors.New("the method panicked")
	errExited   = errors.New("the method ended its goroutine")
)

// howEnded is why the deferred function that calls it runs although the method has not returned.
func howEnded() error {
	pcs := make([]uintptr, 16)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	for {
		frame, more := frames.Next()
		switch frame.Function {
		case "runtime.gopanic":
			return errPanicked
		case "runtime.Goexit":
			return errExited
		}
		if !more {
			return errExited
		}
	}
}
