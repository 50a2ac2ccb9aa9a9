package vet_test

import (
	"path/filepath"
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/idemgen/idemgen/generator"
	"github.com/idemgen/idemgen/vet"
)

// module is the packages that the analyzer is tried on, with what it must find in them. Half of what they do is right and only looks wrong.
func module(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// One run for all of them: most of the time goes into the standard library.
func TestFindingsAndFixes(t *testing.T) {
	t.Parallel()
	analysistest.RunWithSuggestedFixes(t, module(t), vet.Analyzer, "./...")
}

// The wrappers in testdata are what the generator writes now, so that the analyzer reads today's output.
func TestWrappersAreCurrent(t *testing.T) {
	t.Parallel()
	for out, patterns := range map[string][]string{"": {"./pay", "./box"}, "mail/outbox": {"./mail"}} {
		result, err := generator.Run(t.Context(), generator.Options{Dir: module(t), Patterns: patterns, Out: out})
		if err != nil {
			t.Fatal(err)
		}
		if len(result.Diagnostics) > 0 || len(result.Files) != len(patterns) {
			t.Errorf("%v: %v, %d files", patterns, result.Diagnostics, len(result.Files))
		}
		for _, f := range result.Files {
			if f.Changed() {
				t.Errorf("testdata/%s is out of date; run idemgen there", f.Path)
			}
		}
	}
}

// Every code that a finding has is explained.
func TestCodesAreExplained(t *testing.T) {
	t.Parallel()
	for _, code := range []string{"IDEM090", "IDEM091", "IDEM092", "IDEM093"} {
		if c, ok := generator.Explain(code); !ok || c.Mend == "" {
			t.Errorf("%s is not explained", code)
		}
	}
}
