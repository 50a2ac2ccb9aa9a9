package idemtest

import "testing"

// TestStore_Conformance runs the suite against the store in memory.
func TestStore_Conformance(t *testing.T) {
	TestStore(t, func(t *testing.T) Harness {
		t.Parallel()
		return NewStore().Harness()
	})
}
