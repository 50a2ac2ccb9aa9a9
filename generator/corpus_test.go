package generator

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/idemgen/idemgen/internal/lock"
)

// This file is the corpus of whole inputs: the packages in ../testdata, one folder a case, and what is expected of each in ../golden,
// one archive a case. An archive's comment is the command line of the case, when that is not "idemgen ./...".

var (
	update = flag.Bool("update", false, "rewrite the golden files")
	keep   = flag.String("keep", "", "leave the corpus with its outputs in this (new) directory, for other tools to look at")
)

// golden is all output of one case.
type golden struct {
	args        []string
	files       map[string]string // outputs by path below the case's folder
	diagnostics []string
}

// corpus is a copy of ../testdata, where the runtime can be imported and files can be written.
type corpus struct {
	root   string
	cases  []string // names of the folders
	golden map[string]golden

	hostile []string // patterns of hostile_test.go's packages

	together func() (*Result, error) // what the whole loader makes of all cases that can share a run
}

var caseName = regexp.MustCompile(`^\d{3}-`)

// theCorpus is shared by the tests of this package.
var theCorpus = sync.OnceValues(func() (*corpus, error) {
	root := *keep
	if root == "" {
		var err error
		if root, err = os.MkdirTemp("", "idemgen-corpus-"); err != nil {
			return nil, err
		}
		temporary = root
	}
	c := &corpus{root: root, golden: map[string]golden{}}
	if err := os.CopyFS(root, os.DirFS("../testdata")); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(root)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if caseName.MatchString(e.Name()) {
			c.cases = append(c.cases, e.Name())
			if c.golden[e.Name()], err = readGolden(e.Name()); err != nil {
				return nil, err
			}
		}
	}
	if c.hostile, err = addHostile(root); err != nil {
		return nil, err
	}
	c.together = sync.OnceValues(func() (*Result, error) {
		return Run(context.Background(), Options{Dir: root, Patterns: []string{"./..."}, Load: LoadWhole})
	})
	return c, c.requireRuntime()
})

// temporary is the corpus's directory, when it has to go.
var temporary string

func TestMain(m *testing.M) {
	code := m.Run()
	if temporary != "" {
		_ = os.RemoveAll(temporary)
	}
	os.Exit(code)
}

func loadCorpus(t *testing.T) *corpus {
	t.Helper()
	c, err := theCorpus()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// requireRuntime makes the copy's module need this one, with the same dependencies.
func (c *corpus) requireRuntime() error {
	repo, err := filepath.Abs("..")
	if err != nil {
		return err
	}
	mod, err := os.ReadFile("../go.mod")
	if err != nil {
		return err
	}
	_, requires, _ := strings.Cut(string(mod), "\nrequire")
	own, err := os.ReadFile(filepath.Join(c.root, "go.mod"))
	if err != nil {
		return err
	}
	const module = "github.com/idemgen/idemgen"
	text := fmt.Sprintf("%s\nrequire %s v0.0.0\n\nreplace %s => %s\n\nrequire%s", own, module, module, repo, requires)
	if err := os.WriteFile(filepath.Join(c.root, "go.mod"), []byte(text), 0o600); err != nil {
		return err
	}
	sum, err := os.ReadFile("../go.sum")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(c.root, "go.sum"), sum, 0o600)
}

// goTool runs the go command in the corpus.
func (c *corpus) goTool(args ...string) (string, error) {
	cmd := exec.Command("go", args...)
	cmd.Dir = c.root
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// ownRun reports whether a case can't be part of the common run.
func (c *corpus) ownRun(name string) bool {
	_, err := os.Stat(filepath.Join(c.root, name, "go.mod"))
	return err == nil || len(c.golden[name].args) > 0
}

// result puts what a run found into the form of golden files; strip is the path of the case below the run's directory.
func (c *corpus) result(r *Result, strip string) golden {
	g := golden{files: map[string]string{}}
	for _, f := range r.Files {
		if filepath.Base(f.Path) == lock.Name && (f.Path != lock.Name || strip != "") {
			if text := lockPart(f.Content, strip); text != "" {
				g.files[lock.Name] = text
			}
		} else if path, ok := strings.CutPrefix(filepath.ToSlash(f.Path), strip); ok {
			g.files[path] = string(f.Content)
		}
	}
	for _, d := range r.Diagnostics {
		if path, ok := strings.CutPrefix(filepath.ToSlash(d.File), strip); ok {
			d.File = path
			g.diagnostics = append(g.diagnostics, d.String())
		}
	}
	return g
}

// lockPart is what the idem.lock of a module with several cases says of the one below strip; empty: of the one that was run alone.
func lockPart(text []byte, strip string) string {
	f, wrong := lock.Parse(text)
	if wrong != nil {
		return wrong.Error()
	}
	other := func(folder string) bool {
		if strip != "" {
			return !strings.HasPrefix(folder+"/", "./"+strip)
		}
		return !caseName.MatchString(strings.TrimPrefix(folder, "./")) // other tests may have written theirs
	}
	f.Operations = slices.DeleteFunc(f.Operations, func(o *lock.Operation) bool { return other(o.Folder) })
	f.Interfaces = slices.DeleteFunc(f.Interfaces, func(i *lock.Interface) bool { return other(i.Folder) })
	_, blocks, _ := strings.Cut(string(lock.Format(f)), "\n\n")
	return blocks
}

func goldenPath(name string) string { return filepath.Join("../golden", name+".txtar") }

func readGolden(name string) (golden, error) {
	g := golden{files: map[string]string{}}
	text, err := os.ReadFile(goldenPath(name))
	if os.IsNotExist(err) {
		return g, nil
	}
	archive := txtar.Parse(text)
	if command := strings.TrimSpace(string(archive.Comment)); command != "" {
		g.args = strings.Fields(strings.TrimPrefix(command, "idemgen"))
	}
	for _, f := range archive.Files {
		if f.Name == "diagnostics" {
			g.diagnostics = strings.Split(strings.TrimSuffix(string(f.Data), "\n"), "\n")
		} else {
			g.files[f.Name] = string(f.Data)
		}
	}
	return g, err
}

// text is the golden file.
func (g golden) text() string {
	var a txtar.Archive
	if len(g.args) > 0 {
		a.Comment = []byte("idemgen " + strings.Join(g.args, " ") + "\n\n")
	}
	for _, path := range slices.Sorted(maps.Keys(g.files)) {
		a.Files = append(a.Files, txtar.File{Name: path, Data: []byte(g.files[path])})
	}
	if len(g.diagnostics) > 0 {
		a.Files = append(a.Files, txtar.File{Name: "diagnostics", Data: []byte(strings.Join(g.diagnostics, "\n") + "\n")})
	}
	return string(txtar.Format(&a))
}

// writeOutputs puts the golden outputs where the generator would, and has it write those that have no golden file.
func (c *corpus) writeOutputs(t *testing.T) {
	t.Helper()
	for _, d := range c.run(t, ".", Options{Patterns: c.hostile, Write: true}).Diagnostics {
		if d.Severity == Error {
			t.Error(d)
		}
	}
	for _, name := range c.cases {
		for path, text := range c.golden[name].files {
			if _, err := os.Stat(filepath.Join(c.root, name, "go.mod")); path == lock.Name && err != nil {
				continue // a part of the module's
			}
			file := filepath.Join(c.root, name, filepath.FromSlash(path))
			if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
}
