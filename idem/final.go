package idem

import (
	"context"
	"errors"
	"reflect"
)

// This file is errors as outcomes: how a method says that one is, by a mark or by rules, and what later callers get. How they are stored is
// in finalstored.go, finalread.go and finalerror.go, when in finalends.go.

// Final marks err as the outcome: it is stored, and later calls get it instead of a run, until it expires. A nil err stays nil. The
// outermost mark counts.
//
// What comes back is a *StoredError with err's text. It is what err was, for errors.Is and errors.As, as far as the operation's rules FinalIs
// and FinalAs know it; of any other error only the text is kept. Results returned beside it are not kept either.
//
// An error that says no more than that the call was interrupted (the end of a context, ErrLeaseLost, ErrClosed) is nobody's outcome, and
// counts as Unknown, whatever mark it has.
func Final(err error) error { return mark(err, final) }

// FinalIs says that errors for which errors.Is(err, target) holds are the outcome: stored under code, and replayed as errors for which
// errors.Is(err, target) holds. The code is stored data, and as unique as the target's full name: where no rule of a later program has it,
// the text is what is left. See Final.
func FinalIs(code string, target error) ErrorRule {
	return ErrorRule{match: is(target), class: final, code: code, kind: sentinel{target}}
}

// FinalAs says that errors that hold an E, by errors.As, are the outcome: stored under E's full name with its data, and replayed as
// errors that hold an equal E. See Final.
//
// E is a concrete type. Its data is what encoding/json writes of it, read as strictly as results are; exported fields of type error, in E or
// the struct it points to, are kept as well. An E that can't be written, or read again, is stored without its data, and comes back as its
// text. As E, error stands for all errors, with their texts.
func FinalAs[E error]() ErrorRule {
	return ErrorRule{match: as[E], class: final, code: TypeName[E](), kind: typed[E]{}}
}

// StoredError is how an error that was stored comes back. Its text is the original's. It wraps what the operation's rules know of it:
// errors.Is finds the targets of FinalIs, errors.As the types of FinalAs. An error that no rule of this program knows, one that a newer
// program stored, say, has its Code and text alone.
type StoredError struct {
	// Code is the one of the first rule that matched, as the row has it; "idem.Final" where only a mark said that the error is the outcome.
	Code string

	text     string
	wrapped  []error // in the order in which errors.As met them in the original
	claimed  []error // what the original only said to be, by methods Is and As of its own
	replayed bool
	lost     func() any // see LostResult
}

// Error is the text of the error that was stored. Of one that was longer than results may be, it is the beginning.
func (e *StoredError) Error() string { return e.text }

// Unwrap gives what the rules know of the error.
func (e *StoredError) Unwrap() []error { return e.wrapped }

// Is reports whether the original said to be target by a method of its own.
func (e *StoredError) Is(target error) bool {
	for _, c := range e.claimed {
		if same(c, target) {
			return true
		}
	}
	return false
}

// As finds what the original said to be by a method of its own.
func (e *StoredError) As(target any) bool {
	into := reflect.ValueOf(target)
	if into.Kind() != reflect.Pointer || into.IsNil() {
		return false
	}
	for _, c := range e.claimed {
		if reflect.TypeOf(c) == into.Type().Elem() {
			into.Elem().Set(reflect.ValueOf(c))
			return true
		}
	}
	return false
}

// Replayed reports whether err is, or wraps, an error that an earlier call has left as the outcome; Info.Replayed says so of the call.
func Replayed(err error) bool {
	return anyIn(err, func(err error) bool {
		s, ok := err.(*StoredError) //nolint:errorlint // walked one by one
		return ok && s.replayed
	})
}

// interruptions say of a call that it did not come to its end, and never how it ended.
var interruptions = []error{context.Canceled, context.DeadlineExceeded, ErrLeaseLost, ErrClosed}

func interruption(err error) bool {
	for _, i := range interruptions {
		if errors.Is(err, i) {
			return true
		}
	}
	return false
}

// isOutcome reports whether a final error may be stored. One that was interrupted may when a rule names something in it that is none: the
// refusal that a failed clean-up is joined to, say.
func (q *request) isOutcome(err error) bool {
	if !interruption(err) {
		return true
	}
	for _, r := range q.rules {
		if r.class != final || !r.match(err) {
			continue
		}
		if found := r.kind.find(err); found != nil && !interruption(found) {
			return true
		}
	}
	return false
}

// finalRules are those that may be about stored errors.
func (q *request) finalRules() (rules []ErrorRule) {
	for _, r := range q.rules {
		if r.class == final {
			rules = append(rules, r)
		}
	}
	return rules
}

// finalReason says why the rules about final errors can't be stored by; empty: they can.
func finalReason(rules []ErrorRule) string {
	for i, r := range rules {
		if r.class != final {
			continue
		}
		if reason := r.kind.unusable(); reason != "" {
			return reason
		}
		for _, before := range rules[:i] {
			if before.class == final && before.code == r.code && !sameKind(before.kind, r.kind) { // an instance may name a type twice
				return "two rules about different final errors have one code"
			}
		}
	}
	return ""
}

func sameKind(a, b finalKind) bool {
	v, isValue := a.(sentinel)
	w, areValues := b.(sentinel)
	if isValue && areValues {
		return same(v.target, w.target)
	}
	return !isValue && !areValues && a == b
}
