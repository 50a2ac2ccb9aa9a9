package generator

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// This file holds the lean loader to what the whole one finds: same files, same diagnostics, same notes, for all inputs there are.

// answer is all that people see of a run.
func answer(r *Result, err error) string {
	if err != nil {
		return "error: " + err.Error()
	}
	var b strings.Builder
	for _, d := range r.Diagnostics {
		fmt.Fprintln(&b, d)
	}
	for _, n := range r.Notes {
		fmt.Fprintln(&b, "note:", n)
	}
	for _, f := range r.Files {
		fmt.Fprintf(&b, "== %s, changed %t\n%s", f.Path, f.Changed(), f.Content)
	}
	return b.String()
}

// firstDifference is the first line that two answers don't share.
func firstDifference(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return fmt.Sprintf("lean:  %s\nwhole: %s", x[i], y[i])
		}
	}
	return fmt.Sprintf("lean has %d lines, whole %d", len(x), len(y))
}

// watched notes what a lean loader was unsure of.
type watched struct {
	loader
	unsure error
}

func (w *watched) load(ctx context.Context, q request) (*loaded, error) {
	l, err := w.loader.load(ctx, q)
	if errors.As(err, new(unsure)) {
		w.unsure = err
	}
	return l, err
}

// compareLoaders runs the two loaders, and tells what lean was unsure of, if it was.
func compareLoaders(t *testing.T, o Options) error {
	t.Helper()
	w := &watched{loader: &lean{}}
	o.loader = w
	r, err := Run(t.Context(), o)
	if w.unsure != nil {
		return w.unsure
	}
	got := answer(r, err)
	o.loader = whole{}
	if want := answer(Run(t.Context(), o)); got != want {
		t.Errorf("%s %v:\n%s", o.Dir, o.Patterns, firstDifference(got, want))
	}
	return nil
}

// notForLean are the cases that the lean loader leaves to the whole one: what they import is missing or forbidden, or an annotation stands
// inside a function. There must be a reason to add one.
var notForLean = []string{"202-places", "211-broken", "222-codec-broken", "300-meant-as-annotations", "304-more-broken"}

// Each case is loaded on its own, so that no package is there because of another case.
func TestLeanAgreesWithWhole(t *testing.T) {
	c := loadCorpus(t)
	common, err := c.together()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Concat(c.cases, c.hostile) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := Options{Dir: filepath.Join(c.root, name), Patterns: []string{"./..."}}
			if g, known := c.golden[name]; known && len(g.args) > 0 {
				o = optionsOf(t, g.args)
				o.Dir = filepath.Join(c.root, name)
			}
			var doubt error
			if c.ownRun(name) {
				doubt = compareLoaders(t, o)
			} else {
				w := &watched{loader: &lean{}}
				r, err := Run(t.Context(), Options{Dir: c.root, Patterns: []string{"./" + strings.TrimPrefix(name, "./") + "/..."}, loader: w})
				if doubt = w.unsure; doubt == nil && err != nil {
					t.Fatal(err)
				}
				if doubt == nil {
					folder := strings.TrimPrefix(name, "./")
					got, want := c.result(r, folder+"/").text(), c.result(common, folder+"/").text()
					if got != want {
						t.Error(firstDifference(got, want))
					}
				}
			}
			if expected := slices.Contains(notForLean, name); expected != (doubt != nil) {
				t.Errorf("lean was unsure of it: %v", doubt)
			}
		})
	}
}

// What does not matter to declarations can matter to the go command.
func TestLeanAgreesAboutWhatOthersMind(t *testing.T) {
	t.Parallel()
	const pays = "package a\n\nimport (\n\t\"context\"\n\n\t\"m/b\"\n)\n\n//idem:wrap\ntype Pay interface {\n\t//idem:key id\n\tDo(ctx context.Context, id b.T) (int, error)\n}\n"
	for name, c := range map[string]struct {
		files []string
		said  string
	}{
		"a cycle by an import that only a function uses": {
			[]string{"a/a.go: " + pays, "b/b.go: package b\n\nimport \"m/a\"\n\ntype T string\n\nfunc f() { _ = a.Pay(nil) }\n"}, "a/a.go:6:2 IDEM062",
		},
		"a cycle by an import for its effects": {
			[]string{"a/a.go: " + pays, "b/b.go: package b\n\nimport _ \"m/a\"\n\ntype T string\n"}, "a/a.go:6:2 IDEM062",
		},
		"tests of what is imported may import what imports it": {
			[]string{"a/a.go: " + pays, "b/b.go: package b\n\ntype T string\n", "b/b_test.go: package b_test\n\nimport _ \"m/a\"\n"}, "",
		},
		"a name that tests import by a dot": {
			[]string{
				"a/a.go: " + pays, "b/b.go: package b\n\ntype T string\n\ntype IdempotentPay int\n",
				"a/a_test.go: package a\n\nimport . \"m/b\"\n\nvar _ IdempotentPay\n",
			}, "a/a.go:9:1 IDEM017",
		},
		"a go.mod without a go line": {
			[]string{"go.mod: module m\n", "a/a.go: " + strings.Replace(pays, "(int", "(any", 1), "b/b.go: package b\n\ntype T string\n"}, "a/a.go:12:35 IDEM061",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := tree(t, append([]string{"go.mod: module m\n\ngo 1.26\n"}, c.files...)...)
			_, said, _ := outcome(t, root, Options{Patterns: []string{"./..."}})
			if got := strings.Join(said, ", "); got != c.said {
				t.Errorf("said: %s; want %s", got, c.said)
			}
		})
	}
}

// All at once, what is loaded for one case is there for the others.
func TestGoldenWithTheLeanLoader(t *testing.T) {
	c := loadCorpus(t)
	common, err := c.together()
	if err != nil {
		t.Fatal(err)
	}
	var names, patterns []string
	for _, name := range c.cases {
		if !c.ownRun(name) && !slices.Contains(notForLean, name) { // what is run with flags leaves outputs that are kept
			names, patterns = append(names, name), append(patterns, "./"+name+"/...")
		}
	}
	for kind, l := range map[string]*lean{"with compiled packages": {}, "from source": {source: true}} {
		r := c.run(t, ".", Options{Patterns: patterns, loader: l})
		for _, name := range names {
			if got, want := c.result(r, name+"/").text(), c.result(common, name+"/").text(); got != want {
				t.Errorf("%s, %s:\n%s", name, kind, firstDifference(got, want))
			}
		}
	}
}
