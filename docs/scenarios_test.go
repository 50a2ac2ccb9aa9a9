package docs

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// This file keeps docs/scenarios.md true: every scenario and invariant in it names its tests, which exist, and every test that carries
// an id stands there. After adding one: go test ./docs -update.

var update = flag.Bool("update", false, "write the names of the tests into docs/scenarios.md")

// named is a test with an id, and a row of the tables in docs/scenarios.md is an id, two texts, and the tests.
var (
	named = regexp.MustCompile(`(?m)^func (Test([A-GI]\d+|P[A-Z]\d+)_\w+)\(`)
	row   = regexp.MustCompile(`(?m)^\| ([A-GI]\d+|P[A-Z]\d+) \| (.*?) \| (.*?) \| (.*) \|$`)
)

// tests are the tests with an id, by id, in order, each once.
func tests(t *testing.T) map[string][]string {
	t.Helper()
	found := map[string][]string{}
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
		for _, m := range named.FindAllStringSubmatch(string(text), -1) {
			found[m[2]] = append(found[m[2]], m[1])
		}
		return err
	})
	if err != nil || len(found) == 0 {
		t.Fatal("no tests were found: ", err)
	}
	for id, names := range found {
		slices.Sort(names)
		found[id] = slices.Compact(names)
	}
	return found
}

func TestScenariosNameTheirTestsAndTestsTheirScenarios(t *testing.T) {
	found := tests(t)
	text, err := os.ReadFile("scenarios.md")
	if err != nil {
		t.Fatal(err)
	}
	explained := map[string]bool{}
	want := row.ReplaceAllStringFunc(string(text), func(line string) string {
		m := row.FindStringSubmatch(line)
		id := m[1]
		switch {
		case explained[id]:
			t.Errorf("%s stands there twice", id)
		case len(found[id]) == 0:
			t.Errorf("%s has no test", id)
		}
		explained[id] = true
		return fmt.Sprintf("| %s | %s | %s | `%s` |", id, m[2], m[3], strings.Join(found[id], "` `"))
	})
	for id, names := range found {
		if !explained[id] {
			t.Errorf("%s is tested (%s) and not in docs/scenarios.md", id, names[0])
		}
	}
	switch {
	case len(explained) == 0:
		t.Error("no scenario was found")
	case want == string(text):
	case *update:
		if err := os.WriteFile("scenarios.md", []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Error("the tests named in docs/scenarios.md are not those there are: go test ./docs -update")
	}
}
