package docs

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// This file keeps the table of bad days in operations.md true: each day names the tests that show what it says, and they exist.

func TestBadDaysNameTheirTests(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("operations.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(text), "\n## Bad days\n")
	if !found {
		t.Fatal("docs/operations.md has no bad days")
	}
	section, _, _ = strings.Cut(section, "\n## ")
	there, days := testNames(t), 0
	name := regexp.MustCompile("`(Test\\w+)`")
	for line := range strings.SplitSeq(section, "\n") {
		cells := strings.Split(strings.Trim(line, "| "), " | ")
		if !strings.HasPrefix(line, "| ") || cells[0] == "what happened" {
			continue
		}
		days++
		if len(cells) != 4 {
			t.Errorf("%q has %d columns", cells[0], len(cells))
			continue
		}
		tests := name.FindAllStringSubmatch(cells[3], -1)
		if len(tests) == 0 {
			t.Errorf("nothing shows what is said of %q", cells[0])
		}
		for _, test := range tests {
			if !there[test[1]] {
				t.Errorf("%q names %s, which does not exist", cells[0], test[1])
			}
		}
	}
	if days < 15 {
		t.Errorf("only %d days were found", days)
	}
}

// testNames are the names of all tests there are.
func testNames(t *testing.T) map[string]bool {
	t.Helper()
	declared := regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	names := map[string]bool{}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && strings.HasPrefix(d.Name(), ".") && d.Name() != "..":
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		for _, m := range declared.FindAllStringSubmatch(string(text), -1) {
			names[m[1]] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}
