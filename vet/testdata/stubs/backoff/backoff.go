// Package backoff has the names of the real one.
package backoff

// Operation is retried.
type Operation func() error

// BackOff waits.
type BackOff interface{ Reset() }

// Retry retries o.
func Retry(o Operation, b BackOff) error { return o() }

// RetryWithData retries o.
func RetryWithData[T any](o func() (T, error), b BackOff) (T, error) { return o() }
