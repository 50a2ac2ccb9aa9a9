// Package old holds what results were once, and what makes of them what they are now.
package old

// Quote is what Quote returned when it returned one thing.
type Quote struct{ Cents int64 }

// Total is what came of a quote.
func Total(q Quote) (int64, string, error) { return q.Cents, "EUR", nil }

// Page is a result of some T.
type Page[T any] struct{ Items []T }

// First is its first item.
func First[T any](p Page[T]) T { return p.Items[0] }
