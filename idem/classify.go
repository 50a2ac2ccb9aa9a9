package idem

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"syscall"
)

// This file decides what an error of the method says about its effect. Taking a timeout for "nothing happened" is how double
// charges happen, so what says nothing is told apart from what says no.

// classify gives err its class: its outermost mark, else the operation's first rule that matches, else what it is. Ended is
// whether the method's context was done when it returned. An unclassified error of an operation whose lapsed
// claims are held counts as unknown: holding exists to ask exactly that.
func (e *Engine) classify(q *request, err error, ended bool) class {
	if m, ok := errors.AsType[marked](err); ok {
		return m.class
	}
	for _, r := range q.rules {
		if r.match(err) {
			return r.class
		}
	}
	if ended || saysNothing(err) || q.takeover != TakeoverRerun {
		return unknown
	}
	for _, unsaid := range e.config.classifiers {
		if unsaid(err) {
			return unknown
		}
	}
	return noEffect
}

// silent are errors that prove nothing about what the other side did.
var silent = []error{
	context.Canceled, context.DeadlineExceeded, os.ErrDeadlineExceeded,
	io.EOF, io.ErrUnexpectedEOF, io.ErrClosedPipe, net.ErrClosed,
	syscall.ECONNRESET, syscall.EPIPE, syscall.ECONNABORTED, syscall.ETIMEDOUT,
	ErrOutcomeUnknown, ErrLeaseLost, ErrStore,
}

func saysNothing(err error) bool {
	for _, s := range silent {
		if errors.Is(err, s) {
			return true
		}
	}
	timeout, ok := errors.AsType[net.Error](err)
	return ok && timeout.Timeout()
}
