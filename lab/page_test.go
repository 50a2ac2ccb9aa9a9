package lab

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/idem/shape"
	"github.com/idemgen/idemgen/lab/catalogue"
)

var page = flag.Bool("page", false, "write the rules into docs/results.md")

// TestResultsPage_ListsTheRulesAndWhatShowsThem: each rule has a type in the catalogue that shows it.
func TestResultsPage_ListsTheRulesAndWhatShowsThem(t *testing.T) {
	t.Parallel()
	const (
		file  = "../docs/results.md"
		begin = "<!-- rules: go test . -page, in lab, writes them -->\n"
		end   = "<!-- end of rules -->\n"
	)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), begin)
	_, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		t.Fatalf("%s has no place for the rules", file)
	}
	want := before + begin + table(t) + end + after
	if *page {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want != string(text) {
		t.Errorf("%s does not say what the rules say; go test . -run ResultsPage -page, in lab, writes it anew", file)
	}
}

// table has a row for each rule.
func table(t *testing.T) string {
	shown, beside := map[string][]string{}, map[string][]string{} // alone, and with other faults
	for _, s := range catalogue.All() {
		problems := shape.Storable(shape.Of(s.Type))
		list := beside
		if len(problems) == 1 {
			list = shown
		}
		for _, p := range problems {
			if name := strings.TrimPrefix(s.Type.String(), "catalogue."); !slices.Contains(list[p.Rule], name) {
				list[p.Rule] = append(list[p.Rule], name)
			}
		}
	}
	const most = 3
	var b strings.Builder
	for _, part := range []struct {
		title   string
		warning bool
	}{{"refused: IDEM040", false}, {"a warning: IDEM041", true}} {
		fmt.Fprintf(&b, "\n| %s | it | what to do | shown by |\n|---|---|---|---|\n", part.title)
		for _, r := range shape.Rules() {
			if r.Warning != part.warning {
				continue
			}
			types := shown[r.Name]
			if len(types) == 0 {
				types = beside[r.Name]
			}
			slices.SortStableFunc(types, func(a, b string) int { return len(a) - len(b) })
			if len(types) == 0 {
				t.Errorf("no type of the catalogue shows %q", r.Name)
			}
			fmt.Fprintf(&b, "| %s | %s | %s | `%s` |\n", r.Name, r.Reason, r.Mend, strings.Join(types[:min(len(types), most)], "`, `"))
		}
	}
	return b.String() + "\n"
}
