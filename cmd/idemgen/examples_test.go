package main

import (
	"flag"
	"fmt"
	"go/format"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/idemgen/idemgen/generator"
)

// This file runs the examples of the diagnostic codes, and makes docs/diagnostics.md of them.

var (
	update = flag.Bool("update", false, "write what the examples say into them")
	page   = flag.Bool("page", false, "write docs/diagnostics.md anew")
)

const exampleModule = "module example.com/shop\n\ngo 1.26\n"

// variant is one input of an example.
type variant struct {
	code, name string // as in IDEM015 and wrong
	files      []generator.ExampleFile
	command    string
}

func (v variant) folder() string { return v.code + "/" + v.name + "/" }

// alone tells whether the input can't be part of a run over many: it has a module or a command line of its own.
func (v variant) alone() bool {
	for _, f := range v.files {
		if f.Path == "go.mod" {
			return true
		}
	}
	return v.command != usualCommand
}

func variants(t *testing.T) (all []variant) {
	t.Helper()
	for _, c := range generator.Codes() {
		if e, ok := c.Example(); ok {
			all = append(all, variant{c.ID, "wrong", e.Wrong, e.Command}, variant{c.ID, "mended", e.Mended, e.Command})
		}
	}
	return all
}

// Each example says what it claims to say and nothing else, and nothing when it is mended.
func TestDiagnosticsOfExamples(t *testing.T) {
	root := t.TempDir()
	all := variants(t)
	put(t, root, generator.ExampleFile{Path: "go.mod", Text: exampleModule})
	for _, v := range all {
		for _, f := range v.files {
			if !v.alone() {
				put(t, root, generator.ExampleFile{Path: v.folder() + f.Path, Text: f.Text})
			}
		}
	}
	_, _, common := idemgen(t, root, "./...")
	for _, v := range all {
		t.Run(v.folder(), func(t *testing.T) {
			output := common
			if v.alone() {
				t.Parallel()
				output = v.run(t)
			}
			v.compare(t, output)
		})
	}
}

// run runs the commands of an example, one a line, in a folder of its own, and returns what the last says.
func (v variant) run(t *testing.T) (stderr string) {
	t.Helper()
	dir := t.TempDir()
	hasModule := false
	for _, f := range v.files {
		hasModule = hasModule || f.Path == "go.mod"
		put(t, dir, f)
	}
	if !hasModule {
		put(t, dir, generator.ExampleFile{Path: "go.mod", Text: exampleModule})
	}
	requireRuntime(t, dir)
	for line := range strings.Lines(v.command) {
		args := strings.Fields(line)[1:]
		at := 0
		if len(args) > 0 && isWord(args[0]) {
			at = 1
		}
		args = append(append(append([]string{}, args[:at]...), "-C", dir), args[at:]...)
		if at == 1 && args[0] == "vet" {
			_, _, stderr = vetIn(t, dir, args[3:]...)
			continue
		}
		var out, errs strings.Builder
		run(t.Context(), args, &out, &errs)
		stderr = errs.String()
	}
	return stderr
}

var diagnosticLine = regexp.MustCompile(`(?m)^.*: (?:error|warning): .* \[IDEM\d{3}\]\n`)

// compare finds what an output says of the variant.
func (v variant) compare(t *testing.T, output string) {
	t.Helper()
	var says strings.Builder
	for _, line := range diagnosticLine.FindAllString(output, -1) {
		if v.alone() || strings.HasPrefix(line, v.folder()) {
			says.WriteString(strings.ReplaceAll(line, v.folder(), ""))
		}
	}
	got := says.String()
	if v.alone() && got == "" && output != "" && strings.Contains(output, "idemgen: ") {
		t.Fatalf("the run failed: %s", output)
	}
	if v.name == "mended" {
		if got != "" {
			t.Errorf("the mended input is not clean:\n%s", got)
		}
		return
	}
	if !strings.HasSuffix(got, " ["+v.code+"]\n") || strings.Count(got, "\n") != 1 {
		t.Errorf("an example of %s brings about just that, once; this says\n%s", v.code, got)
		return
	}
	c, _ := generator.Explain(v.code)
	e, _ := c.Example()
	if *update {
		rewriteSays(t, v.code, got)
	} else if e.Says != got {
		t.Errorf("the example claims\n%s\nand idemgen says\n%s\n(make examples takes that over)", e.Says, got)
	}
}

// rewriteSays changes what an example says in its file.
func rewriteSays(t *testing.T, code, says string) {
	t.Helper()
	path := filepath.Join("../../generator/examples", code+".txtar")
	a, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range a.Files {
		if a.Files[i].Name == "says" {
			a.Files[i].Data = []byte(says)
		}
	}
	if err := os.WriteFile(path, txtar.Format(a), 0o644); err != nil {
		t.Fatal(err)
	}
}

func put(t *testing.T, dir string, f generator.ExampleFile) {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(f.Path))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(f.Text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// requireRuntime completes a go.mod that mentions this module, so that it is this checkout.
func requireRuntime(t *testing.T, dir string) {
	t.Helper()
	const module = "github.com/idemgen/idemgen"
	path := filepath.Join(dir, "go.mod")
	own, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(own), module) {
		return
	}
	ours, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	sum, err := os.ReadFile("../../go.sum")
	if err != nil {
		t.Fatal(err)
	}
	repo, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	_, requires, _ := strings.Cut(string(ours), "\nrequire")
	requires, _, _ = strings.Cut(requires, "\ntool ")
	put(t, dir, generator.ExampleFile{Path: "go.mod", Text: string(own) + "\nreplace " + module + " => " + repo + "\n\nrequire" + requires})
	put(t, dir, generator.ExampleFile{Path: "go.sum", Text: string(sum)})
}

// The Go of the examples is formatted as people's own is, where it parses: otherwise the columns of positions would not be theirs.
func TestExamplesAreFormatted(t *testing.T) {
	t.Parallel()
	for _, v := range variants(t) {
		for _, f := range v.files {
			if formatted, err := format.Source([]byte(f.Text)); strings.HasSuffix(f.Path, ".go") && err == nil && string(formatted) != f.Text {
				t.Errorf("%s%s is not formatted", v.folder(), f.Path)
			}
		}
	}
}

func TestExamplesAreOfCodes(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../generator/examples/*")
	if err != nil || len(files) == 0 {
		t.Fatal("no examples were found")
	}
	for _, f := range files {
		if _, ok := generator.Explain(strings.TrimSuffix(filepath.Base(f), ".txtar")); !ok {
			t.Errorf("%s is the example of no code; delete it", f)
		}
	}
}

// The page of diagnostics says what the table and the examples say.
func TestDiagnosticsPage(t *testing.T) {
	const name = "../../docs/diagnostics.md"
	if *page {
		if err := os.WriteFile(name, []byte(diagnosticsPage()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if string(text) != diagnosticsPage() {
		t.Errorf("%s does not say what generator/codes.go and generator/examples say; make examples writes it anew", name)
	}
}

func diagnosticsPage() string {
	var b strings.Builder
	b.WriteString("# Diagnostics\n\nWhat `idemgen` says about annotated source, as `path:line:col: error|warning: text [IDEMnnn]`. With an error in a\npackage nothing of that package is written; warnings change nothing. `idemgen explain IDEMnnn` prints a section of this page.\nLines that begin with `note:` are no diagnostics. The examples are run, and say what is written here.\n")
	for _, c := range generator.Codes() {
		fmt.Fprintf(&b, "\n## %s: %s\n\n%s\n", c.ID, c.Title, c.Cause)
		e, ok := c.Example()
		if !ok {
			continue
		}
		for _, f := range exampleFiles(e) {
			if !f.alone {
				fmt.Fprintf(&b, "\n`%s`:\n", f.Path)
			}
			b.WriteString("\n" + fenced(languageOf(f.ExampleFile), f.Text))
		}
		says := e.Says
		if e.Command != usualCommand {
			says = "$ " + strings.ReplaceAll(e.Command, "\n", "\n$ ") + "\n" + says
		}
		fmt.Fprintf(&b, "\n%s\n**Mend:** %s\n\n%s", fenced("", says), c.Mend, fenced("diff", mending(e)))
	}
	return b.String()
}

func fenced(language, text string) string { return "```" + language + "\n" + text + "```\n" }

// languageOf colours what is Go; what does not parse, or is not formatted, is shown as it is.
func languageOf(f generator.ExampleFile) string {
	formatted, err := format.Source([]byte(f.Text))
	if strings.HasSuffix(f.Path, ".go") && err == nil && string(formatted) == f.Text {
		return "go"
	}
	return ""
}
