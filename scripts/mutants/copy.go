package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// This file is a copy of the repository, in which one line at a time is changed and changed back.

type copied struct{ dir string }

// newCopy copies the files that git knows, as they are in the working tree.
func newCopy() (*copied, error) {
	out, err := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard").Output()
	if err != nil {
		return nil, fmt.Errorf("listing the files: %w", err)
	}
	dir, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return nil, err
	}
	c := &copied{dir}
	for name := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		if err := c.add(name); err != nil && !errors.Is(err, os.ErrNotExist) { // deleted, and not committed yet
			return nil, errors.Join(err, c.remove())
		}
	}
	return c, nil
}

func (c *copied) add(name string) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	to := filepath.Join(c.dir, name)
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return os.WriteFile(to, text, 0o644)
}

func (c *copied) remove() error { return os.RemoveAll(c.dir) }

// try runs m's tests with m, and says which caught it.
func (c *copied) try(m mutant) (by string, err error) {
	path := filepath.Join(c.dir, m.file)
	text, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	changed, err := m.apply(string(text))
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(path, []byte(changed), 0o644); err != nil {
		return "", err
	}
	defer os.WriteFile(path, text, 0o644)
	failed, out := test(c.dir, m.pkg, []string{m.test})
	switch {
	case slices.Contains(failed, m.test):
		return m.test, nil
	case bytes.Contains(out, []byte("[build failed]")):
		return "", fmt.Errorf("it does not compile:\n%s", out)
	case bytes.Contains(out, []byte("no tests to run")):
		return "", fmt.Errorf("there is no %s in %s", m.test, m.pkg)
	case len(failed) == 0 && !bytes.Contains(out, []byte("\nFAIL")):
		return "", fmt.Errorf("%s passes", m.test)
	default:
		return "", fmt.Errorf("%s ended without a verdict:\n%s", m.test, out)
	}
}

// sound reports tests that fail, or are not there, without any mutant.
func sound(tried []mutant) error {
	named := map[string][]string{}
	for _, m := range tried {
		named[m.pkg] = append(named[m.pkg], m.test)
	}
	for pkg, tests := range named {
		slices.Sort(tests)
		failed, out := test(".", pkg, slices.Compact(tests))
		if len(failed) > 0 || !bytes.Contains(out, []byte("\nok ")) && !bytes.HasPrefix(out, []byte("ok ")) {
			return fmt.Errorf("%s:\n%s", pkg, out)
		}
	}
	return nil
}

var failure = regexp.MustCompile(`(?m)^--- FAIL: (\S+)`)

// test runs tests of a package, and returns the names of those that failed. The package may be a module of its own.
func test(dir, pkg string, names []string) (failed []string, out []byte) {
	if _, err := os.Stat(filepath.Join(dir, pkg, "go.mod")); err == nil {
		dir, pkg = filepath.Join(dir, pkg), "."
	}
	cmd := exec.Command("go", "test", "-trimpath", "-count=1", "-timeout=180s", "-run=^("+strings.Join(names, "|")+")$", pkg)
	cmd.Dir = dir
	out, _ = cmd.CombinedOutput() // what it found is in its output
	for _, match := range failure.FindAllSubmatch(out, -1) {
		failed = append(failed, string(match[1]))
	}
	return failed, out
}
