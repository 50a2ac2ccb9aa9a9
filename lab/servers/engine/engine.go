// Package engine is what the tests of the servers share: an engine on a store in memory.
package engine

import (
	"testing"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
)

// New makes one for t.
func New(t *testing.T) *idem.Engine {
	t.Helper()
	e, err := idem.New(idemtest.NewStore())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}
