package idem

import (
	"errors"
	"fmt"
	"time"
)

// This file is what a failing call returns, and the marks a method can put on its own errors. Those that are outcomes are in final.go.

// The kinds of failure that are the engine's and not the method's. Test with errors.Is.
var (
	// ErrInFlight: another call of the same key is still running (HTTP 409).
	ErrInFlight = errors.New("the first call is still running")
	// ErrMismatch: the key was used before with other arguments (HTTP 422).
	ErrMismatch = errors.New("the key was used with other arguments")
	// ErrNoKey: there is no key, or a part of it is missing (HTTP 400).
	ErrNoKey = errors.New("no key")
	// ErrBadKey: the key or scope can't be used; Error.Reason says why (HTTP 400).
	ErrBadKey = errors.New("unusable key")
	// ErrBadArgument: an argument can't be compared with a duplicate's; Error.Reason says which and why.
	ErrBadArgument = errors.New("unusable argument")
	// ErrNoFingerprintKey: an argument holds a field marked idem:"secret", and the engine was made without WithFingerprintKey. Every call of
	// the operation fails so, and nothing is claimed.
	ErrNoFingerprintKey = errors.New("an argument is secret, and the engine has no key for fingerprints (idem.WithFingerprintKey)")
	// ErrOutcomeUnknown: the effect may have happened, and nobody may run it again by himself. Error.Attempt says how often it was begun,
	// and Error.Since when for the last time.
	ErrOutcomeUnknown = errors.New("outcome unknown")
	// ErrResultNotStored: the method has succeeded, and its result could not be stored.
	ErrResultNotStored = errors.New("done, but the result was not stored")
	// ErrUnreadable: a result is stored, and this program can't read it.
	ErrUnreadable = errors.New("the stored result can't be read")
	// ErrLeaseLost: another call took the claim over. It is also the cause the method's context is cancelled with.
	ErrLeaseLost = errors.New("lease lost")
	// ErrReentrant: the key is claimed by the very call this one is made from.
	ErrReentrant = errors.New("the key is claimed by a caller of this call")
	// ErrStore: the store failed; the method did not run (HTTP 503).
	ErrStore = errors.New("the store failed")
	// ErrBadOperation: the Operation is out of range; Error.Reason says what.
	ErrBadOperation = errors.New("unusable operation")
	// ErrClosed: the engine is shut down; the method did not run.
	ErrClosed = errors.New("the engine is closed")
)

// Error is what every failure of the engine itself is returned as; the method's own errors come back unchanged.
// Its text never holds a key, an argument, a result or the text of Cause.
type Error struct {
	Kind      error // one of the Err values, or the context's error when that ended the call before its method ran
	Operation string
	KeyHash   string // the beginning of the row's id; never the key
	State     State  // of the row, as far as it was read
	Attempt   int    // of the row: how often its method was begun, from 1
	// Since is when that attempt began, by the store's clock; zero where no row was read.
	Since time.Time
	// RetryAfter is when a retry may find another answer; 0: a retry is of no use, or nobody knows when.
	RetryAfter time.Duration
	// Reason says more, in words that are safe to show; may be empty.
	Reason string
	// Cause is the store's, codec's or context's error, for errors.Is and errors.As.
	Cause error

	result func() any // what the method returned, where that could not become the outcome; a function, so that no way of printing shows it
}

// Error is the kind, the reason and where it happened.
func (e *Error) Error() string {
	text := "idem: " + e.Kind.Error()
	if e.Reason != "" {
		text += ": " + e.Reason
	}
	switch {
	case e.Operation == "": // a sweep
		return text
	case e.KeyHash == "": // refused before there was a usable key
		return fmt.Sprintf("%s (operation %s)", text, e.Operation)
	}
	return fmt.Sprintf("%s (operation %s, key #%s)", text, e.Operation, e.KeyHash)
}

// GoString is Error, so that %#v, too, shows no argument, no result and nothing of Cause.
func (e *Error) GoString() string { return fmt.Sprintf("&idem.Error(%q)", e.Error()) }

// MarshalText is Error, for the same reason: json and structured logs would write the fields of Cause, which may quote a result.
func (e *Error) MarshalText() ([]byte, error) { return []byte(e.Error()), nil }

// Unwrap gives the kind and the cause.
func (e *Error) Unwrap() []error {
	if e.Cause == nil {
		return []error{e.Kind}
	}
	return []error{e.Kind, e.Cause}
}

// LostResult returns what the method returned (or Recover found) in a call that failed although its method had succeeded: with ErrLeaseLost, or because the
// outcome that another call stored is an error, or can't be given. The effect happened. Ok is false when err holds no such result, or one of
// another type. What was lost is LostResult[error] where the method had failed for good.
func LostResult[T any](err error) (result T, ok bool) {
	var e *Error
	var s *StoredError
	switch {
	case errors.As(err, &e) && e.result != nil:
		result, ok = e.result().(T)
	case errors.As(err, &s) && s.lost != nil:
		result, ok = s.lost().(T)
	}
	return result, ok
}

// class is what an error of the method says about its effect.
type class uint8

const (
	unclassified class = iota
	noEffect           // nothing happened
	final              // it is the outcome
	unknown            // it may have happened
)

// marked is an error with a class; it is transparent to errors.Is and errors.As.
type marked struct {
	error
	class class
}

func (m marked) Unwrap() error { return m.error }

// NoEffect marks err as proof that nothing happened under this key, by this run or an earlier one that lapsed (see Run.Attempt): the
// claim is released, and a retry runs, with whatever arguments. A nil err stays nil. The outermost mark counts.
func NoEffect(err error) error { return mark(err, noEffect) }

// Unknown marks err as saying nothing about the effect: the claim is abandoned or held, by the operation's Takeover.
// A nil err stays nil. The outermost mark counts.
func Unknown(err error) error { return mark(err, unknown) }

func mark(err error, c class) error {
	if err == nil {
		return nil
	}
	return marked{err, c}
}

// ErrorRule gives a class to errors of one value or type. A mark on the error goes before the rules.
type ErrorRule struct {
	match func(error) bool // nil: the rule is about nothing, which is refused
	class class
	code  string    // of a final error: what is stored in its place
	kind  finalKind // of a final error
}

// ReleaseIs says that errors for which errors.Is(err, target) holds had no effect.
func ReleaseIs(target error) ErrorRule { return ErrorRule{match: is(target), class: noEffect} }

// ReleaseAs says that errors that hold an E, by errors.As, had no effect.
func ReleaseAs[E error]() ErrorRule { return ErrorRule{match: as[E], class: noEffect} }

// UnknownIs says that errors for which errors.Is(err, target) holds say nothing about the effect.
func UnknownIs(target error) ErrorRule { return ErrorRule{match: is(target), class: unknown} }

// UnknownAs says that errors that hold an E, by errors.As, say nothing about the effect.
func UnknownAs[E error]() ErrorRule { return ErrorRule{match: as[E], class: unknown} }

// is matches nothing where the target is missing: a variable that is set only after the operation was made, say.
func is(target error) func(error) bool {
	if target == nil {
		return nil
	}
	return func(err error) bool { return errors.Is(err, target) }
}

func as[E error](err error) bool {
	var e E
	return errors.As(err, &e)
}
