package generator

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// This file changes everything that an answer depends on, one thing at a time, and compares what a run with a memory says with what one without
// says.

// remembered is a module whose answer depends on as much as can be: on packages beside the annotated one, directly and through others, on a
// module in a folder, and on tests.
func remembered(t *testing.T) (root string) {
	t.Helper()
	root = tree(t,
		"m/go.mod: module m\n\ngo 1.26\n\nrequire r.example v0.0.0\n\nreplace r.example => ../r\n",
		"m/a/a.go: package a\n\nimport (\n\t\"context\"\n\n\t\"m/b\"\n\t\"r.example/money\"\n)\n\n//idem:wrap\ntype Outer interface {\n\tb.Store\n"+
			"\t//idem:key id\n\tDo(ctx context.Context, id b.ID, sum money.Sum) (Local, error)\n}\n",
		"m/a/local.go: package a\n\ntype Local struct{ N int }\n", "m/a/a_test.go: package a\n\nfunc helper() {}\n",
		"m/a/b_plan9.go: package a\n\ntype Other struct{}\n",
		"m/b/b.go: package b\n\nimport (\n\t\"context\"\n\n\t\"m/c\"\n)\n\ntype Store interface {\n\t//idem:key id\n\tPut(ctx context.Context, id string, v c.V) error\n}\n\ntype ID string\n",
		"m/c/c.go: package c\n\ntype V struct{ A int }\n", "m/d/d.go: package d\n",
		"r/go.mod: module r.example\n\ngo 1.26\n", "r/money/money.go: package money\n\ntype Sum struct{ Cents int64 }\n",
	)
	aged(t, root)
	return root
}

// aged makes all files older than a run that starts now.
func aged(t *testing.T, root string) {
	t.Helper()
	before := time.Now().Add(-time.Hour)
	err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Chtimes(path, before, before)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// knows tells whether the answer to o is remembered.
func knows(t *testing.T, o Options) bool {
	t.Helper()
	f, err := scan(t.Context(), o.Dir, o)
	if err != nil {
		return false
	}
	return recall(o, o.Dir, f).answer() != nil
}

func put(t *testing.T, root, name, text string) {
	t.Helper()
	path := filepath.Join(root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// edit replaces text in a file and leaves its time as it was.
func edit(t *testing.T, root, name, old, text string) {
	t.Helper()
	path := filepath.Join(root, filepath.FromSlash(name))
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(before), old) {
		t.Fatalf("%s has no %q, %v", name, old, err)
	}
	put(t, root, name, strings.Replace(string(before), old, text, 1))
	if err := os.Chtimes(path, info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
}

func remove(t *testing.T, root, name string) {
	t.Helper()
	if err := os.RemoveAll(filepath.Join(root, filepath.FromSlash(name))); err != nil {
		t.Fatal(err)
	}
}

func TestARememberedAnswerIsThatOfAFullRun(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change  func(t *testing.T, root string)
		options func(o *Options)
		same    bool // the answer does not change, and may be the old one
	}{
		"nothing changes":        {func(*testing.T, string) {}, nil, true},
		"an annotation":          {func(t *testing.T, r string) { edit(t, r, "m/a/a.go", "//idem:key id", "//idem:key ix") }, nil, false},
		"a setting of same size": {func(t *testing.T, r string) { edit(t, r, "m/a/a.go", "idem:wrap\n", "idem:wrpa\n") }, nil, false},
		"a type beside it":       {func(t *testing.T, r string) { edit(t, r, "m/a/local.go", "N int", "N any") }, nil, false},
		"a new annotated file": {func(t *testing.T, r string) {
			put(t, r, "m/a/new.go", "package a\n\nimport \"context\""+keyed("New"))
		}, nil, false},
		"a name taken in a test":       {func(t *testing.T, r string) { edit(t, r, "m/a/a_test.go", "helper", "IdempotentOuter") }, nil, false},
		"a newly annotated package":    {func(t *testing.T, r string) { put(t, r, "m/d/e.go", "package d\n\nimport \"context\""+keyed("New")) }, nil, false},
		"the output edited":            {func(t *testing.T, r string) { edit(t, r, "m/a/idem_gen.go", "package a", "package a // mine") }, nil, false},
		"the lock file deleted":        {func(t *testing.T, r string) { remove(t, r, "m/idem.lock") }, nil, false},
		"the lock file edited":         {func(t *testing.T, r string) { edit(t, r, "m/idem.lock", "Outer", "Inner") }, nil, false},
		"the output deleted":           {func(t *testing.T, r string) { remove(t, r, "m/a/idem_gen.go") }, nil, false},
		"an output without a source":   {func(t *testing.T, r string) { put(t, r, "m/d/idem_gen.go", header+"\n\npackage d\n") }, nil, false},
		"an imported package":          {func(t *testing.T, r string) { edit(t, r, "m/b/b.go", "id string", "ix string") }, nil, false},
		"an imported package's kind":   {func(t *testing.T, r string) { edit(t, r, "m/b/b.go", "type ID string", "type ID []byte") }, nil, false},
		"an imported package's import": {func(t *testing.T, r string) { edit(t, r, "m/c/c.go", "A int", "a func()") }, nil, false},
		"a file of an imported package": {func(t *testing.T, r string) {
			put(t, r, "m/c/more.go", "package c\n\nfunc (V) MarshalJSON() ([]byte, error) { return nil, nil }\n")
		}, nil, true},
		"an imported package is gone": {func(t *testing.T, r string) { remove(t, r, "m/c") }, nil, false},
		"a file of it is broken":      {func(t *testing.T, r string) { put(t, r, "m/b/more.go", "package b\n\nfunc {") }, nil, false},
		"a module in a folder":        {func(t *testing.T, r string) { edit(t, r, "r/money/money.go", "Cents int64", "cents func()") }, nil, false},
		"that module's name":          {func(t *testing.T, r string) { edit(t, r, "r/go.mod", "r.example", "s.example") }, nil, true},
		"go.mod's version of Go":      {func(t *testing.T, r string) { edit(t, r, "m/go.mod", "go 1.26", "go 1.99") }, nil, false},
		"go.mod no longer replaces":   {func(t *testing.T, r string) { edit(t, r, "m/go.mod", "../r", "../s") }, nil, false},
		"go.sum appears":              {func(t *testing.T, r string) { put(t, r, "m/go.sum", "nonsense\n") }, nil, true},
		"a workspace appears":         {func(t *testing.T, r string) { put(t, r, "go.work", "go 1.26\n\nuse ./r\n") }, nil, false},
		"a module appears inside":     {func(t *testing.T, r string) { put(t, r, "m/b/go.mod", "module other\n") }, nil, false},
		"a vendor folder appears":     {func(t *testing.T, r string) { put(t, r, "m/vendor/modules.txt", "# r.example v0.0.0\n") }, nil, false},
		"other tags":                  {func(*testing.T, string) {}, func(o *Options) { o.Tags = "plan9" }, true},
		"tags that let a file in":     {func(t *testing.T, r string) { edit(t, r, "m/a/local.go", "package", "//go:build !x\n\npackage") }, func(o *Options) { o.Tags = "x" }, false},
		"tests":                       {func(*testing.T, string) {}, func(o *Options) { o.Tests = true }, false},
		"another pattern":             {func(*testing.T, string) {}, func(o *Options) { o.Patterns = []string{"./d"} }, false},
		"a file for a system is for all now": {func(t *testing.T, r string) {
			put(t, r, "m/a/b_any.go", "package a\n\ntype IdempotentOuter struct{}\n")
		}, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := remembered(t)
			o := Options{Dir: filepath.Join(root, "m"), Patterns: []string{"./..."}, Cache: filepath.Join(t.TempDir(), "cache"), Write: true}
			if _, err := Run(t.Context(), o); err != nil {
				t.Fatal(err)
			}
			o.Write = false
			if !knows(t, o) {
				t.Fatal("the first run's answer is not known")
			}
			before := answer(Run(t.Context(), o))
			c.change(t, root)
			if c.options != nil {
				c.options(&o)
			}
			got := answer(Run(t.Context(), o))
			o.Cache = ""
			if want := answer(Run(t.Context(), o)); got != want {
				t.Errorf("the remembered answer is\n%s\nand that of a full run\n%s", got, want)
			}
			if (got == before) != c.same {
				t.Errorf("the answer is the same as before: %t\n%s", got == before, got)
			}
		})
	}
}

func TestTheEnvironmentIsPartOfAQuestion(t *testing.T) {
	root := remembered(t)
	o := Options{Dir: filepath.Join(root, "m"), Patterns: []string{"./..."}, Cache: t.TempDir()}
	o.Write = true
	if _, err := Run(t.Context(), o); err != nil || !knows(t, o) {
		t.Fatal(err)
	}
	for _, v := range []string{"GOFLAGS=-tags=x", "GOOS=plan9", "CGO_ENABLED=0", "GOWORK=off", "GOEXPERIMENT=none", "PATH=" + os.Getenv("PATH") + ":/nowhere"} {
		t.Run(v, func(t *testing.T) {
			key, value, _ := strings.Cut(v, "=")
			t.Setenv(key, value)
			if knows(t, o) {
				t.Error("the answer of another environment is given")
			}
		})
	}
	t.Setenv("GOLINE", "7") // go generate says where it is
	if !knows(t, o) {
		t.Error("the line of a go:generate comment makes another question")
	}
}

// What is in the memory's folder is believed only when it is whole and the answer to this very question.
func TestDamagedMemoriesAreIgnored(t *testing.T) {
	t.Parallel()
	root := remembered(t)
	o := Options{Dir: filepath.Join(root, "m"), Patterns: []string{"./..."}, Cache: t.TempDir(), Write: true}
	if _, err := Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	other := o
	other.Patterns = []string{"./a"}
	if _, err := Run(t.Context(), other); err != nil || !knows(t, other) {
		t.Fatal(err)
	}
	fileOf := func(o Options) string {
		f, err := scan(t.Context(), o.Dir, o)
		if err != nil {
			t.Fatal(err)
		}
		return filepath.Join(o.Cache, recall(o, o.Dir, f).name)
	}
	whole, err := os.ReadFile(fileOf(o))
	if err != nil {
		t.Fatal(err)
	}
	foreign, err := os.ReadFile(fileOf(other))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"cut short": string(whole[:len(whole)/2]), "empty": "", "changed": strings.Replace(string(whole), "idem_gen.go", "idem_gex.go", 1),
		"another's": string(foreign), "no JSON": digest([]byte("x")) + "\nx",
	} {
		if err := os.WriteFile(fileOf(o), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if knows(t, o) {
			t.Errorf("%s: it is believed", name)
		}
	}
	if _, err := Run(t.Context(), o); err != nil || !knows(t, o) {
		t.Errorf("it is not written again: %v", err)
	}
}

// When a file is changed while a run goes on, nobody knows which text the run has read.
func TestNothingIsRememberedOfFilesThatAreNewerThanTheRun(t *testing.T) {
	t.Parallel()
	root := remembered(t)
	o := Options{Dir: filepath.Join(root, "m"), Patterns: []string{"./..."}, Cache: t.TempDir(), Write: true}
	now := time.Now().Add(time.Minute)
	if err := os.Chtimes(filepath.Join(root, "m", "c", "c.go"), now, now); err != nil {
		t.Fatal(err)
	}
	if _, err := Run(t.Context(), o); err != nil || knows(t, o) {
		t.Errorf("it is remembered, %v", err)
	}
}

func TestMemoriesCanBeSharedByRunsAtOnce(t *testing.T) {
	t.Parallel()
	root := remembered(t)
	o := Options{Dir: filepath.Join(root, "m"), Patterns: []string{"./..."}, Cache: t.TempDir(), Write: true}
	want := answer(Run(t.Context(), Options{Dir: o.Dir, Patterns: o.Patterns, Write: true}))
	want = strings.ReplaceAll(want, "changed true", "changed false")
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			if got := answer(Run(t.Context(), o)); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
	wait.Wait()
	if !knows(t, o) {
		t.Error("nothing is remembered")
	}
}

func TestOldMemoriesAreForgotten(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	put(t, folder, "somebody's", "file")
	for i := range maxRecords + 1 {
		put(t, folder, digest([]byte{byte(i), byte(i >> 8)}), "")
	}
	cacheFolder(folder).write(digest(nil), "new")
	entries, err := os.ReadDir(folder)
	if err != nil || len(entries) > maxRecords || len(entries) < maxRecords/4 {
		t.Errorf("%d are left, %v", len(entries), err)
	}
	for _, name := range []string{"somebody's", digest(nil)} {
		if _, err := os.Stat(filepath.Join(folder, name)); err != nil {
			t.Errorf("%s is gone", name)
		}
	}
}
