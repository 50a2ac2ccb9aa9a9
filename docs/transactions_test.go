package docs

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// This file keeps docs/transactions.md true: each row of what is promised names its tests, and they exist.

func TestEveryPromiseAboutTransactionsNamesItsTests(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("transactions.md")
	if err != nil {
		t.Fatal(err)
	}
	there := testNames(t)
	name := regexp.MustCompile("`(Test\\w+)`")
	rows, promising := 0, false
	for line := range strings.Lines(string(text)) {
		found := name.FindAllStringSubmatch(line, -1)
		for _, m := range found {
			if !there[m[1]] {
				t.Errorf("there is no %s", m[1])
			}
		}
		switch {
		case !strings.HasPrefix(line, "|"):
			promising = false
		case strings.HasSuffix(strings.TrimSpace(line), "| test |"):
			promising = true
		case promising && !strings.HasPrefix(line, "|---"):
			rows++
			if len(found) == 0 {
				t.Errorf("no test is named for: %s", line)
			}
		}
	}
	if rows < 15 {
		t.Errorf("only %d promises were found", rows)
	}
}
