package idem

import "context"

// Engine runs operations against one Store.
type Engine struct{ store Store }

// Option configures New.
type Option func(*Engine) error

// New starts an engine.
func New(s Store, opts ...Option) (*Engine, error) { return &Engine{store: s}, nil }

// Close stops background work.
func (e *Engine) Close() error { return nil }

// Do runs c at most once per key.
func Do[T any](ctx context.Context, e *Engine, op *Operation[T], c Call[T]) (T, error) {
	return c.Run(ctx)
}
