// Package web has contexts with more to them.
package web

import "context"

// Context knows its user.
type Context interface {
	context.Context
	User() string
}

// Scoped is generic.
type Scoped[T any] interface {
	context.Context
	Value2() T
	claim() string
}

type scoped[T any] struct {
	context.Context
	v T
}

func (s scoped[T]) Value2() T   { return s.v }
func (scoped[T]) claim() string { return "" }

// Scope makes one.
func Scope[T any](ctx context.Context, v T) Scoped[T] { return scoped[T]{ctx, v} }

// Session is one, and no interface.
type Session struct {
	context.Context
	Name string
}

// User is its name.
func (s *Session) User() string { return s.Name }
