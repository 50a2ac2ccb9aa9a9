package sqlite_test

import (
	"testing"

	"github.com/idemgen/idemgen/idem/idemtest"
	"github.com/idemgen/idemgen/idem/sqlite"
)

// This file runs the conformance suites with each driver, and under what a user may have chosen for his file and pool.

var setups = map[string]setup{
	"modernc":                         {driver: modernc},
	"modernc, a pool of one":          {driver: modernc, conns: 1},
	"modernc, journal of its own":     {driver: modernc, journal: "delete", pragmas: []string{"busy_timeout(5000)"}},
	"modernc, not synchronous":        {driver: modernc, pragmas: []string{"synchronous(OFF)", "busy_timeout(5000)"}},
	"modernc, keys left out":          {driver: modernc, options: []sqlite.Option{sqlite.WithoutKeys()}},
	"ncruces":                         {driver: ncruces},
	"ncruces, journal kept and empty": {driver: ncruces, journal: "truncate"},
}

func TestSQLiteKeepsEveryPromise(t *testing.T) {
	t.Parallel()
	for name, s := range setups {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, s)
			idemtest.TestStore(t, func(t *testing.T) idemtest.Harness {
				b.exec(t, "DELETE FROM idem_claims")
				return b.harness()
			})
		})
	}
}

func TestSQLiteKeepsEveryPromiseToPeople(t *testing.T) {
	t.Parallel()
	for name, s := range setups {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, s)
			idemtest.TestAdmin(t, func(t *testing.T) idemtest.Harness {
				b.exec(t, "DELETE FROM idem_claims")
				b.exec(t, "DELETE FROM idem_audit")
				return b.harness()
			})
		})
	}
}
