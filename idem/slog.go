package idem

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
)

// This file writes events to log/slog. What it says of an error is chosen with care: the text of an error that is not ours may
// hold a key, an argument or a password, so only its type is logged.

// NewSlogObserver makes an Observer that logs every event to l; with a nil l, to what slog.Default is at that moment.
//
// Calls as they should be (claimed, replayed, waited, completed, released) are at level debug; what is worth knowing and needs no
// one (a take-over, what was recovered, a caller who left, a refusal, an abandoned run, a sweep) at info; what somebody should look at (a claim held, a lease lost, a
// store that failed, an outcome that could not be stored or can't be given, a refusal because the outcome is unknown) at warn; and an
// effect that may have happened twice at error.
//
// The message is "idem: " and the kind. The attributes are event (the kind), operation, key_hash, attempt, fence, duration,
// count and error, each only where the event has it. There is never a key, an argument or a result among them. Error is the
// text of an *Error, the Reason of a *StoreError, or the types of any other error.
func NewSlogObserver(l *slog.Logger) Observer { return slogObserver{l} }

type slogObserver struct{ logger *slog.Logger }

// Observe logs e.
func (o slogObserver) Observe(ctx context.Context, e Event) {
	l := o.logger
	if l == nil {
		l = slog.Default()
	}
	level := logLevel(e)
	if !l.Enabled(ctx, level) {
		return
	}
	attrs := append(make([]slog.Attr, 0, 8), slog.String("event", string(e.Kind)))
	if e.Operation != "" {
		attrs = append(attrs, slog.String("operation", e.Operation))
	}
	if e.KeyHash != "" {
		attrs = append(attrs, slog.String("key_hash", e.KeyHash))
	}
	if e.Attempt != 0 {
		attrs = append(attrs, slog.Int("attempt", e.Attempt))
	}
	if e.Fence != 0 {
		attrs = append(attrs, slog.Int64("fence", e.Fence))
	}
	attrs = append(attrs, slog.Duration("duration", e.Duration))
	if e.Kind == EventSwept {
		attrs = append(attrs, slog.Int("count", e.Count))
	}
	if e.Err != nil {
		attrs = append(attrs, slog.String("error", loggable(e.Err)))
	}
	l.LogAttrs(ctx, level, "idem: "+string(e.Kind), attrs...)
}

// logLevel is how much attention an event deserves.
func logLevel(e Event) slog.Level {
	switch e.Kind {
	case EventReplayed, EventSwept:
		if e.Err != nil {
			return slog.LevelWarn
		}
		if e.Kind == EventSwept && e.Count > 0 {
			return slog.LevelInfo
		}
		return slog.LevelDebug
	case EventClaimed, EventWaited, EventCompleted, EventReleased:
		return slog.LevelDebug
	case EventHeld, EventUnknown, EventLeaseLost, EventCompleteFailed, EventStoreFailed:
		return slog.LevelWarn
	case EventFenced:
		if e.Err != nil { // a run that failed late
			return slog.LevelWarn
		}
		return slog.LevelError
	default:
		return slog.LevelInfo
	}
}

// speaking are the errors whose text says more than their type, and nothing else.
var speaking = []error{
	errPanicked, errExited,
	context.Canceled, context.DeadlineExceeded,
	ErrLeaseLost, ErrStore, ErrClosed, ErrOutcomeUnknown, ErrResultNotStored, ErrUnreadable, ErrInFlight, ErrMismatch,
}

// loggable is what may be said of err.
func loggable(err error) string {
	var (
		ours  *Error
		store *StoreError
	)
	switch {
	case errors.As(err, &ours):
		return ours.Error()
	case errors.As(err, &store):
		return store.Reason
	}
	for _, e := range speaking {
		if errors.Is(err, e) {
			return e.Error()
		}
	}
	return typeNames(err)
}

// typeNames is the types of err and of the errors it wraps.
func typeNames(err error) string {
	name := fmt.Sprintf("%T", err)
	switch err := err.(type) {
	case interface{ Unwrap() error }:
		if inner := err.Unwrap(); inner != nil {
			name += ": " + typeNames(inner)
		}
	case interface{ Unwrap() []error }:
		var inner []string
		for _, e := range err.Unwrap() {
			inner = append(inner, typeNames(e))
		}
		name += ": [" + strings.Join(inner, ", ") + "]"
	}
	return name
}
