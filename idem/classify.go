package idem

import (
	"context"
	"errors"
	"io"
	"net"
	"net/url"
	"os"
	"reflect"
	"strings"
	"syscall"
)

// This file decides what an error of the method says about its effect. Taking a timeout for "nothing happened" is how double
// charges happen, so what says nothing is told apart from what says no.

// classify gives err its class. A final one that says only that the call was interrupted is no outcome.
func (e *Engine) classify(q *request, err error, ended bool) class {
	c := e.classOf(q, err, ended)
	if c == final && !q.isOutcome(err) {
		return unknown
	}
	return c
}

// classOf is err's outermost mark, else the class of the operation's first rule that matches, else what it is. Ended is
// whether the method's context was done when it returned. An unclassified error of an operation that recovers or holds
// counts as unknown: they exist to ask exactly that.
func (e *Engine) classOf(q *request, err error, ended bool) class {
	if c := markOf(err); c != unclassified {
		return c
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
	return anyIn(err, brokeOff)
}

// anyIn reports whether the condition holds for any error of err's tree: one that wraps another need not say what it is.
func anyIn(err error, holds func(error) bool) bool {
	if err == nil || holds(err) {
		return err != nil
	}
	switch w := err.(type) { //nolint:errorlint // walked one by one
	case interface{ Unwrap() error }:
		return anyIn(w.Unwrap(), holds)
	case interface{ Unwrap() []error }:
		for _, inner := range w.Unwrap() {
			if anyIn(inner, holds) {
				return true
			}
		}
	}
	return false
}

// brokeOff reports whether err itself is one of an exchange that was under way when it ended, by what the usual clients say of
// theirs. What says that nothing was sent (a refused connection, a failed look-up) is none.
func brokeOff(err error) bool {
	switch e := err.(type) { //nolint:errorlint // walked one by one
	case *url.Error: // of an HTTP client: anything may have happened, unless there was no connection
		return !anyIn(e.Err, dialFailed)
	case net.Error:
		return e.Timeout()
	case interface{ SafeToRetry() bool }: // of pgx: whether bytes may have been sent
		return !e.SafeToRetry()
	case interface{ SQLState() string }: // of database drivers: what ends a connection, whose last commit nobody answered
		state := e.SQLState()
		return strings.HasPrefix(state, "08") || state == "40003" || strings.HasPrefix(state, "57P0")
	default:
		return http2Errors[reflect.TypeOf(err).String()]
	}
}

func dialFailed(err error) bool {
	op, ok := err.(*net.OpError) //nolint:errorlint // walked one by one
	return ok && (op.Op == "dial" || op.Op == "proxyconnect") && !op.Timeout()
}

// http2Errors are the errors that a reset stream or a closing connection shows as. Package net/http exports no names for its own.
var http2Errors = map[string]bool{
	"http.http2StreamError": true, "http.http2ConnectionError": true, "http.http2GoAwayError": true,
	"http2.StreamError": true, "http2.ConnectionError": true, "http2.GoAwayError": true,
}
