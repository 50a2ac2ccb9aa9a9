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
	if c := markOf(err); c != unclassified {
		return c
	}
	for _, r := range q.rules {
		if r.match != nil && r.match(err) {
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
	return unclassified
}

// markOf is err's outermost mark. Of errors that are joined, one that says nothing outweighs one that says no.
func markOf(err error) class {
	if m, ok := err.(marked); ok { //nolint:errorlint // the outermost one
		return m.class
	}
	switch w := err.(type) { //nolint:errorlint // walked one by one
	case interface{ Unwrap() error }:
		if inner := w.Unwrap(); inner != nil {
			return markOf(inner)
		}
	case interface{ Unwrap() []error }:
		found, silent := unclassified, false
		for _, inner := range w.Unwrap() {
			c := markOf(inner)
			found = max(found, c)
			silent = silent || c == unclassified && inner != nil && saysNothing(inner)
		}
		if found == noEffect && silent {
			return unknown
		}
		return found
	}
	return unclassified
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
	return timedOut(err)
}

// timedOut reports whether any error in err's tree is a timeout: one that wraps another need not say so itself.
func timedOut(err error) bool {
	if t, ok := err.(net.Error); ok && t.Timeout() { //nolint:errorlint // walked one by one
		return true
	}
	switch w := err.(type) { //nolint:errorlint // walked one by one
	case interface{ Unwrap() error }:
		inner := w.Unwrap()
		return inner != nil && timedOut(inner)
	case interface{ Unwrap() []error }:
		for _, inner := range w.Unwrap() {
			if inner != nil && timedOut(inner) {
				return true
			}
		}
	}
	return false
}
