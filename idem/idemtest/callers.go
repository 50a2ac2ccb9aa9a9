package idemtest

import (
	"testing"
	"time"
)

// This file starts many callers at the same moment.

// Callers runs f(0) to f(n-1), each in a goroutine of its own, and returns when all have returned. They are released
// by one closed channel, when all are there, so that they meet as closely as the machine can do it. A caller may end
// itself with runtime.Goexit. When callers hang, the test ends.
func Callers(t testing.TB, n int, f func(i int)) {
	t.Helper()
	arrived, start, done := make(chan struct{}), make(chan struct{}), make(chan struct{}, n)
	for i := range n {
		go func() {
			defer func() { done <- struct{}{} }()
			arrived <- struct{}{}
			<-start
			f(i)
		}()
	}
	for range n {
		<-arrived
	}
	close(start)
	timeout := time.NewTimer(patience)
	defer timeout.Stop()
	for returned := range n {
		select {
		case <-done:
		case <-timeout.C:
			t.Fatalf("%d of %d callers did not return within %v", n-returned, n, patience)
		}
	}
}
