package idem_test

import (
	"errors"
	"fmt"
	"strings"
)

// This file is errors of all kinds that people write: with data, as values and pointers, generic, that wrap others, or answer for themselves.

// limited has data, and is an error by its pointer.
type limited struct {
	Left  int64
	Notes []string
}

func (l *limited) Error() string {
	if l == nil {
		return "limited"
	}
	return fmt.Sprintf("limited: %d left", l.Left)
}

// refused is an error by its value.
type refused struct {
	Code string `json:"code"`
}

func (r refused) Error() string { return "refused: " + r.Code }

// missing is generic.
type missing[T any] struct{ What T }

func (m *missing[T]) Error() string { return fmt.Sprintf("missing %v", m.What) }

// step wraps another error that it holds.
type step struct {
	Name string
	Err  error
}

func (s *step) Error() string { return s.Name + ": " + s.Err.Error() }

func (s *step) Unwrap() error { return s.Err }

// note holds another error, and does not wrap it.
type note struct {
	About error
	Text  string
}

func (n note) Error() string { return n.Text }

// private keeps what it wraps to itself, and wraps several.
type private struct {
	Code int
	errs []error
}

func (p *private) Error() string { return fmt.Sprint("private ", p.Code) }

func (p *private) Unwrap() []error { return p.errs }

// status says what it is by methods of its own.
type status int

func (s status) Error() string { return fmt.Sprint("status ", int(s)) }

func (s status) Is(target error) bool { return s == 404 && target == errNoStock } //nolint:errorlint // as such methods do

func (s status) As(target any) bool {
	if r, ok := target.(*refused); ok && s == 402 {
		*r = refused{"by status"}
		return true
	}
	return false
}

// marshals has a form of its own.
type marshals struct{ secret string }

func (m marshals) Error() string { return "marshals" }

func (m marshals) MarshalText() ([]byte, error) {
	if m.secret == "never" {
		return nil, errors.New("never")
	}
	return []byte("t:" + m.secret), nil
}

func (m *marshals) UnmarshalText(text []byte) error {
	m.secret = strings.TrimPrefix(string(text), "t:")
	return nil
}

type refusedQuietly struct{ refused }

func (r refusedQuietly) Unwrap() error { return r.refused }

func (r refusedQuietly) Is(e error) bool { return e == errElsewhere } //nolint:errorlint // as such methods do
