package vet_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/idemgen/idemgen/generator"
	"github.com/idemgen/idemgen/vet"
)

// The packages in testdata say what the analyzer must find in them, and what becomes of it by its fixes. Half of what they do is right and
// only looks wrong. One run for all of them: most of the time goes into the standard library.
func TestFindingsAndFixes(t *testing.T) {
	t.Parallel()
	analysistest.RunWithSuggestedFixes(t, module(t), vet.Analyzer, "./...")
}

// module is a copy of testdata with the wrappers that the generator writes today.
func module(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata")); err != nil {
		t.Fatal(err)
	}
	repo, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "go.mod")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(strings.Replace(string(text), "=> ../..", "=> "+repo, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	generate(t, dir, "", "./pay", "./box", "./rpc")
	generate(t, dir, "mail/outbox", "./mail")
	return dir
}

// generate writes the wrappers of some packages, into out or beside them.
func generate(t *testing.T, dir, out string, packages ...string) {
	t.Helper()
	result, err := generator.Run(t.Context(), generator.Options{Dir: dir, Patterns: packages, Out: out, Write: true})
	if err != nil {
		t.Fatal(err)
	}
	if len(result.Diagnostics) > 0 || len(result.Files) != len(packages)+1 { // and idem.lock
		t.Fatalf("%v: %v, %d files", packages, result.Diagnostics, len(result.Files))
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
