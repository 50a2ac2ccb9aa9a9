package generator

import (
	"bytes"
	"go/format"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/internal/lock"
)

// This file compares what the generator makes of the corpus with the golden files, and has the go command look at the outputs.

// brokenInputs do not compile, on purpose; only what is said of their outputs counts.
var brokenInputs = []string{"096-broken-elsewhere/"}

func TestGolden(t *testing.T) {
	c := loadCorpus(t)
	common, err := c.together()
	if err != nil {
		t.Fatal(err)
	}
	again := c.run(t, ".", Options{Patterns: c.shuffledPatterns(), Load: LoadWhole})
	for _, name := range c.cases {
		t.Run(name, func(t *testing.T) {
			want := c.golden[name]
			var got, second golden
			if c.ownRun(name) {
				o := optionsOf(t, want.args)
				got, second = c.result(c.run(t, name, o), ""), c.result(c.run(t, name, o), "")
			} else {
				got, second = c.result(common, name+"/"), c.result(again, name+"/")
			}
			got.args, second.args = want.args, want.args
			if got.text() != second.text() {
				t.Errorf("two runs differ:\n%s\n%s", got.text(), second.text())
			}
			if strings.Contains(got.text(), c.root) {
				t.Error("the output or a diagnostic holds a path of this machine")
			}
			for path, text := range got.files {
				if path == lock.Name {
					continue
				}
				formatted, err := format.Source([]byte(text))
				if err != nil || string(formatted) != text {
					t.Errorf("%s is not formatted: %v", path, err)
				}
			}
			c.compare(t, name, got)
		})
	}
}

// compare fails when got is not the golden file, or makes it that.
func (c *corpus) compare(t *testing.T, name string, got golden) {
	t.Helper()
	if *update {
		c.golden[name] = got
		if err := os.WriteFile(goldenPath(name), []byte(got.text()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want := c.golden[name]; got.text() != want.text() {
		t.Errorf("the golden file says\n%s\nbut the generator gives\n%s\n(go test ./generator -update rewrites it)", want.text(), got.text())
	}
}

// run generates in dir of the corpus, and writes nothing.
func (c *corpus) run(t *testing.T, dir string, o Options) *Result {
	t.Helper()
	o.Dir = filepath.Join(c.root, dir)
	r, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// shuffledPatterns are the cases of the common run, one by one, in no order.
func (c *corpus) shuffledPatterns() (patterns []string) {
	for _, name := range c.cases {
		if _, err := os.Stat(filepath.Join(c.root, name, "go.mod")); err != nil {
			patterns = append(patterns, "./"+name+"/...")
		}
	}
	rand.Shuffle(len(patterns), func(i, j int) { patterns[i], patterns[j] = patterns[j], patterns[i] })
	return patterns
}

// optionsOf understands the arguments that golden files give.
func optionsOf(t *testing.T, args []string) (o Options) {
	t.Helper()
	for i := 0; i < len(args); i++ {
		switch args[i] {
		case "-tests":
			o.Tests = true
		case "-out":
			i++
			o.Out = args[i]
		case "-tags":
			i++
			o.Tags = args[i]
		default:
			o.Patterns = append(o.Patterns, args[i])
		}
	}
	if o.Patterns == nil {
		o.Patterns = []string{"./..."}
	}
	return o
}

func TestEveryGoldenFileHasACase(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../golden/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		name := strings.TrimSuffix(filepath.Base(f), ".txtar")
		if _, err := os.Stat(filepath.Join("../testdata", name)); err != nil {
			t.Errorf("%s has no input: %v", f, err)
		}
	}
}

// All outputs at once must compile and please go vet, and a run over the inputs with their outputs in place changes nothing.
func TestOutputsAreVetted(t *testing.T) {
	c := loadCorpus(t)
	c.writeOutputs(t)
	report, err := c.goTool(append([]string{"vet"}, c.packagesWithOutput()...)...)
	if err != nil && len(report) == 0 {
		t.Fatal(err)
	}
	for line := range strings.Lines(report) {
		if !strings.HasPrefix(line, "#") && !brokenInput(line) {
			t.Error(strings.TrimSpace(line))
		}
	}
	r := c.run(t, ".", Options{Patterns: []string{"./..."}})
	for _, f := range r.Files {
		name, _, _ := strings.Cut(filepath.ToSlash(f.Path), "/")
		if f.Path != lock.Name && !c.ownRun(name) && !bytes.Equal(f.Old, f.Content) {
			t.Errorf("%s would be written again", f.Path)
		}
	}
}

func brokenInput(line string) bool {
	for _, dir := range brokenInputs {
		if strings.Contains(line, dir) && !strings.Contains(line, "idem_gen") {
			return true
		}
	}
	return false
}

// packagesWithOutput are the directories, as patterns, that a golden file writes into.
func (c *corpus) packagesWithOutput() (patterns []string) {
	patterns = append(patterns, c.hostile...)
	seen := map[string]bool{}
	for _, name := range c.cases {
		if _, err := os.Stat(filepath.Join(c.root, name, "go.mod")); err == nil {
			continue
		}
		for path := range c.golden[name].files {
			if path == lock.Name {
				continue
			}
			dir := "./" + filepath.ToSlash(filepath.Dir(filepath.Join(name, path)))
			if !seen[dir] {
				seen[dir] = true
				patterns = append(patterns, dir)
			}
		}
	}
	return patterns
}
