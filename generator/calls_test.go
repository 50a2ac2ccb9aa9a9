//go:build unix

package generator

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// This file counts how often a run starts the go command: that, and not a clock, tells whether it is as fast as it should be. What counts
// is a shell script, so it is for systems that run one.

// countCalls puts a go command in front of the real one that notes each call, and returns what reads the notes and starts them anew.
func countCalls(t *testing.T) (calls func() []string) {
	t.Helper()
	tool, err := exec.LookPath("go")
	if err != nil {
		t.Fatal(err)
	}
	if tool, err = filepath.EvalSymlinks(tool); err != nil {
		t.Fatal(err)
	}
	root := t.TempDir() // like a Go tree, or nothing would be remembered
	version, err := os.ReadFile(filepath.Join(filepath.Dir(filepath.Dir(tool)), "VERSION"))
	if err != nil {
		t.Fatal(err)
	}
	notes := filepath.Join(root, "calls")
	put(t, root, "VERSION", string(version))
	put(t, root, "bin/go", fmt.Sprintf("#!/bin/sh\necho \"$*\" >> '%s'\nexec '%s' \"$@\"\n", notes, tool))
	if err := os.Chmod(filepath.Join(root, "bin", "go"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", filepath.Join(root, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"))
	return func() []string {
		text, _ := os.ReadFile(notes)
		_ = os.Remove(notes)
		return strings.FieldsFunc(string(text), func(r rune) bool { return r == '\n' })
	}
}

func TestRunsStartTheGoCommandSeldom(t *testing.T) {
	calls := countCalls(t)
	root := remembered(t)
	put(t, root, "plain/p.go", "package p\n")
	put(t, root, "own/go.mod", "module own\n\ngo 1.26\n")
	put(t, root, "own/a.go", "package own\n\n//idem:wrap\n//idem:skip *\ntype I interface{ Do(T) }\n\ntype T struct{}\n")
	aged(t, root)
	cache := t.TempDir()
	for _, c := range []struct {
		name    string
		options Options
		want    int
	}{
		{"nothing is annotated", Options{Dir: filepath.Join(root, "plain")}, 0},
		{"nothing is annotated below", Options{Dir: filepath.Join(root, "plain"), Patterns: []string{"./..."}}, 0},
		{"a first run, with annotations in a package that was not asked for", Options{Dir: filepath.Join(root, "m"), Patterns: []string{"./..."}}, 1},
		{"nothing has changed since", Options{Dir: filepath.Join(root, "m"), Patterns: []string{"./..."}}, 0},
		{"another module, with nothing but the standard library", Options{Dir: filepath.Join(root, "own")}, 0},
		{"without a memory", Options{Dir: filepath.Join(root, "m"), Patterns: []string{"./..."}, Cache: "none"}, 1},
	} {
		o := c.options
		o.Write = true
		if o.Cache == "" {
			o.Cache = cache
		} else {
			o.Cache = ""
		}
		calls()
		if _, err := Run(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		if got := calls(); len(got) != c.want {
			t.Errorf("%s: %d calls, not %d:\n%s", c.name, len(got), c.want, strings.Join(got, "\n"))
		}
	}
	edit(t, root, "m/a/local.go", "N int", "M int")
	if _, err := Run(t.Context(), Options{Dir: filepath.Join(root, "m"), Patterns: []string{"./..."}, Cache: cache, Write: true}); err != nil {
		t.Fatal(err)
	}
	if got := calls(); len(got) != 1 {
		t.Errorf("after an edit there are %d calls:\n%s", len(got), strings.Join(got, "\n"))
	}
}

// Where compiled packages are is remembered, so that an edit takes no call either; as long as they are there and all else is as it was.
func TestCompiledPackagesAreFoundAgain(t *testing.T) {
	calls := countCalls(t)
	root := tree(t, "go.mod: module m\n\ngo 1.26\n", "a.go: package p"+importContext+keyed("Store"))
	o := Options{Dir: root, Cache: t.TempDir()}
	for _, c := range []struct {
		name   string
		change func()
		want   int
	}{
		{"at first", func() {}, 1},
		{"after an edit", func() { edit(t, root, "a.go", "Store", "Shelf") }, 0},
		{"with another import", func() { put(t, root, "b.go", "package p\n\nimport \"net/netip\"\n\ntype T struct{ A netip.Addr }\n") }, 1},
		{"with both", func() { edit(t, root, "b.go", "A ", "B ") }, 0},
		{"with another go.mod", func() { edit(t, root, "go.mod", "1.26", "1.25") }, 1},
		{"when they are gone", func() { loseExports(t, o.Cache) }, 1},
		{"after that", func() { edit(t, root, "b.go", "B ", "C ") }, 0},
	} {
		c.change()
		calls()
		r, err := Run(t.Context(), o)
		if err != nil || len(r.Files) == 0 || len(r.Diagnostics) > 0 {
			t.Fatalf("%s: %+v, %v", c.name, r, err)
		}
		if got := calls(); len(got) != c.want {
			t.Errorf("%s: %d calls, not %d:\n%s", c.name, len(got), c.want, strings.Join(got, "\n"))
		}
	}
	t.Setenv("GOOS", "plan9")
	if _, err := Run(t.Context(), o); err != nil || len(calls()) == 0 {
		t.Errorf("what was compiled for one system is taken for another, %v", err)
	}
}

// Where the standard library's are does not depend on the module, but on the version of Go that it asks for.
func TestCompiledPackagesOfTheStandardLibraryAreFoundAgainInOtherModules(t *testing.T) {
	calls := countCalls(t)
	cache := t.TempDir()
	source := "a.go: package p" + importContext + keyed("Store")
	for _, c := range []struct {
		name  string
		files []string
		want  int
	}{
		{"at first", []string{"go.mod: module m\n\ngo 1.26\n", source}, 1},
		{"another module", []string{"go.mod: module other\n\ngo 1.26\n", source}, 0},
		{"one that needs more of it", []string{"go.mod: module other\n\ngo 1.26\n", source, "b.go: package p\n\nimport \"net/netip\"\n\ntype T struct{ A netip.Addr }\n"}, 1},
		{"and again", []string{"go.mod: module third\n\ngo 1.26\n", source, "b.go: package p\n\nimport \"net/netip\"\n\ntype U struct{ A netip.Addr }\n"}, 0},
		{"another version", []string{"go.mod: module m\n\ngo 1.25\n", source}, 1},
		{"another toolchain", []string{"go.mod: module m\n\ngo 1.25\n\ntoolchain go1.26.0\n", source}, 1},
		{"with vendored packages", []string{"go.mod: module m\n\ngo 1.26\n", source, "vendor/modules.txt: "}, 1},
	} {
		calls()
		r, err := Run(t.Context(), Options{Dir: tree(t, c.files...), Cache: cache})
		if err != nil || len(r.Files) == 0 || len(r.Diagnostics) > 0 {
			t.Fatalf("%s: %+v, %v", c.name, r, err)
		}
		if got := calls(); len(got) != c.want {
			t.Errorf("%s: %d calls, not %d:\n%s", c.name, len(got), c.want, strings.Join(got, "\n"))
		}
	}
}

// loseExports makes the records name files that are not there.
func loseExports(t *testing.T, cache string) {
	t.Helper()
	entries, err := os.ReadDir(cache)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		var r exportsRecord
		if !cacheFolder(cache).read(e.Name(), &r) || r.Packages == nil {
			continue
		}
		for path, p := range r.Packages {
			p.File += ".gone"
			r.Packages[path] = p
		}
		cacheFolder(cache).write(e.Name(), r)
	}
}

// An empty build cache is noticed by what the go command begins to compile. Then it is stopped, and packages come from source.
func TestNothingIsCompiledForAnAnswer(t *testing.T) {
	calls := countCalls(t)
	root := remembered(t)
	o := Options{Dir: filepath.Join(root, "m"), Patterns: []string{"./..."}}
	want := answer(Run(t.Context(), o))
	if got := calls(); len(got) != 1 {
		t.Errorf("with a build cache there are %d calls:\n%s", len(got), strings.Join(got, "\n"))
	}
	t.Setenv("GOCACHE", t.TempDir())
	if got := answer(Run(t.Context(), o)); got != want {
		t.Errorf("with an empty build cache the answer is\n%s\nand else\n%s", got, want)
	}
	if got := calls(); len(got) != 2 || !strings.Contains(got[0], "-export") || strings.Contains(got[1], "-export") {
		t.Errorf("the calls are\n%s", strings.Join(got, "\n"))
	}
}

// Without a go command, a tree without annotations is no trouble, and one with them an error.
func TestRunsWithoutAGoCommand(t *testing.T) {
	root := tree(t, "plain/a.go: package plain\n", "go.mod: module m\n\ngo 1.26\n", "a.go: package p"+importContext+keyed("Store"))
	t.Setenv("PATH", t.TempDir())
	started := time.Now()
	if r, err := Run(t.Context(), Options{Dir: filepath.Join(root, "plain"), Patterns: []string{"./..."}}); err != nil || len(r.Files) > 0 {
		t.Errorf("%+v, %v", r, err)
	}
	t.Logf("it took %v", time.Since(started))
	if r, err := Run(t.Context(), Options{Dir: root}); err == nil {
		t.Errorf("%+v", r)
	}
}
