package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// This file keeps the list from rotting between runs: each mutant's line is there, and so is the test that is named for it.

const root = "../.."

func TestEveryMutantHasItsLineAndItsTest(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	for _, m := range slices.Concat(mutants, ofCodecs, ofSQLite, seldom, attempts) {
		if names[m.name] {
			t.Errorf("two mutants are called %q", m.name)
		}
		names[m.name] = true
		text, err := os.ReadFile(filepath.Join(root, m.file))
		if err != nil {
			t.Error(err)
			continue
		}
		if changed, err := m.apply(string(text)); err != nil || changed == string(text) {
			t.Errorf("%s: it changes nothing: %v", m.name, err)
		}
		if !slices.Contains(testsOf(t, m.pkg), m.test) {
			t.Errorf("%s: there is no %s in %s", m.name, m.test, m.pkg)
		}
	}
}

// testsOf are the tests of a package.
func testsOf(t *testing.T, pkg string) (tests []string) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(root, pkg, "*_test.go"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no tests in %s: %v", pkg, err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range regexp.MustCompile(`(?m)^func (Test\w+)\(`).FindAllSubmatch(text, -1) {
			tests = append(tests, string(match[1]))
		}
	}
	return tests
}

func TestApply(t *testing.T) {
	t.Parallel()
	const text = "a\nb == c\na\n"
	for _, c := range []struct {
		name     string
		old, new string
		want     string
		says     string
	}{
		{"a line that is there once", "b == c", "b != c", "a\nb != c\na\n", ""},
		{"a line that is there twice", "a", "x", "", "2 times"},
		{"a line that is not there", "d", "x", "", "0 times"},
		{"more than a line", "b == c\na", "x", "", "one line"},
	} {
		got, err := mutant{old: c.old, new: c.new, file: "f"}.apply(text)
		if got != c.want || (err != nil) != (c.says != "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: got %q, %v", c.name, got, err)
		}
	}
}

// TestACopyIsChangedAndChangedBack tries a mutant of a small module: one that its test notices, and one that no test does.
func TestACopyIsChangedAndChangedBack(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":    "module m\n\ngo 1.26\n",
		"m.go":      "package m\n\nfunc Twice(n int) int { return 2 * n }\n\nfunc Unwatched() int { return 1 }\n",
		"m_test.go": "package m\n\nimport \"testing\"\n\nfunc TestTwice(t *testing.T) {\n\tif Twice(2) != 4 {\n\t\tt.Error(\"no\")\n\t}\n}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c := &copied{dir}
	for _, tt := range []struct {
		old, new, test string
		says           string // empty: it is caught
	}{
		{"return 2 * n", "return 3 * n", "TestTwice", ""},
		{"return 1", "return 2", "TestTwice", "TestTwice passes"},
		{"return 1", "return one", "TestTwice", "does not compile"},
		{"return 2 * n", "return 3 * n", "TestThrice", "there is no TestThrice"},
		{"return 2 * n", "for { n++ }; return 2", "TestNone", "there is no TestNone"},
	} {
		by, err := c.try(mutant{file: "m.go", old: tt.old, new: tt.new, pkg: ".", test: tt.test})
		if (err == nil) != (tt.says == "") || err == nil && by != tt.test || err != nil && !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: caught by %q, %v; want %q", tt.new, by, err, tt.says)
		}
		text, err := os.ReadFile(filepath.Join(dir, "m.go"))
		if err != nil || !strings.Contains(string(text), tt.old) {
			t.Errorf("%s: it was not changed back: %v", tt.new, err)
		}
	}
}
