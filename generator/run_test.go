package generator

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/internal/lock"
)

// This file runs the whole generator over small modules, for what is about packages, folders and files rather than about one source.

// keyed is an annotated interface of that name.
func keyed(name string) string {
	return "\n\n//idem:wrap\ntype " + name + " interface {\n\t//idem:key id\n\tDo(id string, ctx context.Context) error\n}\n"
}

const importContext = "\n\nimport \"context\""

// outcome is a run in short: the files it stands for, then its diagnostics as file:line:col code.
func outcome(t *testing.T, root string, o Options) (files, said []string, r *Result) {
	t.Helper()
	o.Dir = root
	if !o.Write {
		_ = compareLoaders(t, o)
	}
	r, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	// idem.lock, which all outputs have beside them, is looked at in lock_test.go.
	r.Files = withoutLock(r.Files)
	for _, f := range r.Files {
		files = append(files, filepath.ToSlash(f.Path))
	}
	for _, d := range r.Diagnostics {
		place, _, _ := strings.Cut(d.String(), ": ")
		said = append(said, filepath.ToSlash(place)+" "+d.Code)
	}
	return files, said, r
}

func withoutLock(files []File) []File {
	return slices.DeleteFunc(files, func(f File) bool { return filepath.Base(f.Path) == lock.Name })
}

func TestRun(t *testing.T) {
	t.Parallel()
	root := tree(t, "go.mod: module m\n\ngo 1.26\n",
		// An annotated interface of a package that nobody asked for.
		"embeds/a.go: package embeds\n\nimport \"m/embeds/base\"\n\n//idem:wrap\ntype Outer interface{ base.Store }\n",
		"embeds/base/b.go: package base"+importContext+keyed("Store")+"\n// idem:wrap\ntype Other interface{}\n",
		"embedsflawed/a.go: package embedsflawed\n\nimport \"m/embedsflawed/base\"\n\n//idem:wrap\n//idem:skip *\ntype Outer interface{ base.Store }\n",
		"embedsflawed/base/b.go: package base"+importContext+"\n\ntype Store interface {\n\t// idem:key id\n\tDo(id string, ctx context.Context) error\n}\n",
		// Files in the way, and left-over ones.
		"inway/a.go: package inway"+importContext+keyed("Store"), "inway/idem_gen.go: package inway\n",
		"leftover/a.go: package leftover\n", "leftover/idem_gen.go: "+header+"\n\npackage leftover\n",
		"leftover/idem_gen_gone.go: "+header+"\n\npackage leftover\n",
		"leftover/idem_gen_a_plan9.go: "+header+"\n\npackage leftover\n", "leftover/a_plan9.go: package leftover"+importContext+keyed("Store"),
		"leftover/gen/idem_gen.go: "+header+"\n\npackage gen\n\nvar _ other.Store = (*IdempotentStore)(nil)\n",
		// Packages that can't be loaded.
		"two/a.go: package two"+importContext+keyed("Store"), "two/b.go: package three\n",
		"syntax/a.go: package syntax"+importContext+keyed("Store"), "syntax/b.go: package syntax\n\nconst c = 08\n\n// idem:wrap\n",
		"cycle/a.go: package cycle\n\nimport \"m/cycle/b\"\n\n//idem:wrap\ntype Store interface {\n\t//idem:skip\n\tDo(b.T)\n}\n",
		"cycle/b/b.go: package b\n\nimport \"m/cycle\"\n\ntype T struct{ S cycle.Store }\n",
		"excluded/a_plan9.go: package excluded"+importContext+keyed("Store"),
		"tagged/a.go: //go:build special\n\npackage tagged"+importContext+keyed("Store"),
		"plain/a.go: package plain\n",
		// The same interface in a package and its variants.
		"variants/a.go: package variants"+importContext+keyed("Store"), "variants/a_test.go: package variants"+importContext+keyed("Inner"),
		"variants/b_test.go: package variants_test"+importContext+keyed("Outer"),
	)
	for name, c := range map[string]struct {
		options     Options
		files, said string
		note        string
	}{
		"annotations of an embedded interface count though nobody asked for its package": {
			Options{Patterns: []string{"./embeds"}}, "embeds/idem_gen.go", "", "embeds.Outer.Do",
		},
		"what is wrong with them is an error": {
			Options{Patterns: []string{"./embedsflawed"}}, "", "embedsflawed/base/b.go:6:2 IDEM002", "",
		},
		"a file that idemgen did not write stays": {Options{Patterns: []string{"./inway"}}, "", "inway/idem_gen.go:1:1 IDEM071", ""},
		"left-over output is reported, that of other systems and of -out is not": {
			Options{Patterns: []string{"./leftover/..."}},
			"", "leftover/idem_gen.go:1:1 IDEM073, leftover/idem_gen_gone.go:1:1 IDEM073",
			"a_plan9.go was not looked at",
		},
		"two packages in one folder":            {Options{Patterns: []string{"./two"}}, "", "two/b.go:1:1 IDEM063", ""},
		"of syntax errors nothing else is said": {Options{Patterns: []string{"./syntax"}}, "", "syntax/b.go:3:12 IDEM060", ""},
		"an import cycle is at the import":      {Options{Patterns: []string{"./cycle"}}, "", "cycle/a.go:3:8 IDEM062", ""},
		"a package for another system is a note": {
			Options{Patterns: []string{"./excluded"}}, "", "", "a_plan9.go was not looked at",
		},
		"without its tag a file is not looked at": {Options{Patterns: []string{"./tagged"}}, "", "", "a.go was not looked at"},
		"with its tag it has an output of its own": {
			Options{Patterns: []string{"./tagged"}, Tags: "special"}, "tagged/idem_gen_a.go", "", "tagged.Store.Do",
		},
		"without annotations there is nothing to do": {Options{Patterns: []string{"./plain"}}, "", "", ""},
		"import paths name packages too":             {Options{Patterns: []string{"m/plain", "m/embeds/..."}}, "embeds/idem_gen.go", "embeds/base/b.go:11:1 IDEM002", ""},
		"each variant wraps its own": {
			Options{Patterns: []string{"./variants"}}, "variants/idem_gen.go variants/idem_gen_test.go variants/idem_gen_x_test.go", "", "variants_test.Outer.Do",
		},
		"with an error nothing of its package is there, and all of the others": {
			Options{Patterns: []string{"./inway", "./embeds", "./two"}}, "embeds/idem_gen.go", "inway/idem_gen.go:1:1 IDEM071, two/b.go:1:1 IDEM063", "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files, said, r := outcome(t, root, c.options)
			if got := strings.Join(files, " "); got != c.files {
				t.Errorf("files: %s; want %s", got, c.files)
			}
			if got := strings.Join(said, ", "); got != c.said {
				t.Errorf("said: %s; want %s", got, c.said)
			}
			if c.note != "" && !slices.ContainsFunc(r.Notes, func(n string) bool { return strings.Contains(n, c.note) }) {
				t.Errorf("notes: %q; want one with %q", r.Notes, c.note)
			}
		})
	}
}

// What is written for one package must not depend on which others were asked for with it, and so were read with their comments.
func TestOutputDoesNotDependOnWhatElseIsAsked(t *testing.T) {
	t.Parallel()
	root := tree(t, "go.mod: module m\n\ngo 1.26\n",
		"a/a.go: package a\n\nimport \"m/b\"\n\n//idem:wrap\n//idem:on Do key id\n//idem:on Close skip\ntype Outer interface{ b.Store }\n",
		"b/b.go: package b"+importContext+"\n\n// Store is documented.\ntype Store interface {\n\t// Do is documented.\n\tDo(id string, ctx context.Context) error\n"+
			"\t// Close is documented.\n\tClose()\n}\n",
		"b/c.go: package b"+importContext+keyed("Other"))
	text := func(patterns ...string) string {
		_, _, r := outcome(t, root, Options{Patterns: patterns})
		for _, f := range r.Files {
			if filepath.ToSlash(f.Path) == "a/idem_gen.go" {
				return string(f.Content)
			}
		}
		return ""
	}
	if alone, all := text("./a"), text("./..."); alone == "" || alone != all {
		t.Errorf("alone:\n%s\nwith all others:\n%s", alone, all)
	}
}

func TestRunWritesOnlyWhatChanged(t *testing.T) {
	t.Parallel()
	root := tree(t, "go.mod: module m\n\ngo 1.26\n", "good/a.go: package good"+importContext+keyed("Store"),
		"bad/a.go: package bad"+importContext+keyed("Store")+"\n//idem:wrapp\n", "bad/idem_gen.go: "+header+"\n\npackage stale!\n")
	good := filepath.Join(root, "good", "idem_gen.go")
	if _, _, r := outcome(t, root, Options{Patterns: []string{"./..."}}); len(r.Files) != 1 || !r.Files[0].Changed() {
		t.Fatalf("%+v", r.Files)
	}
	if _, err := os.Stat(good); err == nil {
		t.Fatal("written though nobody asked")
	}
	outcome(t, root, Options{Patterns: []string{"./..."}, Write: true})
	first, err := os.Stat(good)
	if err != nil {
		t.Fatal(err)
	}
	_, _, r := outcome(t, root, Options{Patterns: []string{"./..."}, Write: true})
	second, err := os.Stat(good)
	if err != nil || len(r.Files) != 1 || r.Files[0].Changed() || !os.SameFile(first, second) {
		t.Errorf("written again: %v, changed %t", err, r.Files[0].Changed())
	}
	if stale, err := os.ReadFile(filepath.Join(root, "bad", "idem_gen.go")); err != nil || !strings.Contains(string(stale), "stale!") {
		t.Errorf("the output of a package with an error was touched: %q, %v", stale, err)
	}
}

func TestRunIsCancelled(t *testing.T) {
	t.Parallel()
	root := tree(t, "go.mod: module m\n\ngo 1.26\n", "a.go: package p"+importContext+keyed("Store"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if r, err := Run(ctx, Options{Dir: root, Write: true}); err == nil {
		t.Errorf("a cancelled run gave %+v", r)
	}
	if _, err := os.Stat(filepath.Join(root, "idem_gen.go")); err == nil {
		t.Error("a cancelled run wrote")
	}
}

// Where nothing is annotated the go command is not asked: there may not even be a module.
func TestRunWithoutAnnotationsStartsNothing(t *testing.T) {
	t.Parallel()
	root := tree(t, "a.go")
	if files, said, _ := outcome(t, root, Options{}); len(files)+len(said) > 0 {
		t.Errorf("%q, %q", files, said)
	}
}

func TestRunRefusesWhatIsNoPackage(t *testing.T) {
	t.Parallel()
	root := tree(t, "go.mod: module m\n\ngo 1.26\n", "a.go: package p"+importContext+keyed("Store"), "none/readme.txt: text",
		"nested/go.mod: module n\n", "nested/a.go: package n"+importContext+keyed("Store"))
	for _, pattern := range []string{"./nowhere", "./none", "./none/...", "./a.go", "./nested", "m/nowhere"} {
		if r, err := Run(t.Context(), Options{Dir: root, Patterns: []string{pattern}}); err == nil {
			t.Errorf("%s: %+v; it must be an error", pattern, r)
		}
	}
	for _, out := range []string{"no-name", "../outside"} {
		if r, err := Run(t.Context(), Options{Dir: root, Out: out}); err == nil {
			t.Errorf("-out %s: %+v; it must be an error", out, r)
		}
	}
}
