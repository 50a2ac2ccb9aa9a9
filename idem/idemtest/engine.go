package idemtest

import (
	"context"
	"testing"

	"github.com/idemgen/idemgen/idem"
)

// This file makes engines for tests.

// NewEngine makes an engine on a store that ends with the test. The call that runs its method gets the result as it is stored, as retries
// do (idem.WithStoredResults), so that a result which storage changes shows in the first test that looks at it. At the test's end, after
// clean-ups that come later than this call, the engine is shut down; t fails when something is still running then, or when a goroutine
// that was started after this call is left (see NoLeaks).
func NewEngine(t testing.TB, s idem.Store, opts ...idem.Option) *idem.Engine {
	t.Helper()
	NoLeaks(t)
	e, err := idem.New(s, append([]idem.Option{idem.WithStoredResults()}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience/3)
		defer cancel()
		if err := e.Shutdown(ctx); err != nil {
			t.Errorf("idemtest: calls were still running, or outcomes still to be stored, when the test ended: %v", err)
		}
	})
	return e
}
