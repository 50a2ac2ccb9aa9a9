//go:build !unix

package pgtest

import "errors"

var errNoSignals = errors.New("holding a standby's receiver takes a Unix")

func suspend(int) error { return errNoSignals }

func resume(int) error { return errNoSignals }

func terminate(int) error { return errNoSignals }
