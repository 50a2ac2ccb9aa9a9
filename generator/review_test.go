package generator

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// This file holds inputs that once were refused, written wrong, or missed.

func TestRunOnWhatOnceWentWrong(t *testing.T) {
	t.Parallel()
	ctx := "\n\nimport \"context\"\n\n"
	root := tree(
		t, "go.mod: module m\n\ngo 1.26\n",
		"literals/a.go: package literals"+ctx+"//idem:wrap\ntype S interface {\n\t//idem:key v.(interface{ ID() string }).ID()\n\tA(ctx context.Context, v any) error\n"+
			"\t//idem:key struct{ X string }{k}.X\n\tB(ctx context.Context, k string) error\n\t//idem:key (func(x string) string)(nil) == nil\n\tC(ctx context.Context, k string) error\n}\n",
		"comments/a.go: package comments"+ctx+"//idem:wrap\ntype S interface {\n\t//idem:key context // the client's header\n\t//idem:scope none // one tenant\n\t//idem:fingerprint none // anything\n\tA(ctx context.Context, k string) error\n}\n",
		"constant/a.go: package constant"+ctx+"//idem:wrap\ntype S interface {\n\t//idem:key 1 << 63\n\tA(ctx context.Context, k string) error\n}\n",
		"oldbuild/a.go: // +build special linux\n// +build amd64\n\npackage oldbuild"+ctx+"//idem:wrap\ntype S interface {\n\t//idem:key k\n\tA(ctx context.Context, k string) error\n}\n",
		"missing/a.go: package missing\n\nimport (\n\t\"context\"\n\n\t\"example.invalid/thing/v2\"\n\t\"example.invalid/go-widget\"\n)\n\n//idem:wrap\n//idem:skip *\ntype S interface {\n\tA(ctx context.Context, t thing.T, w widget.W) error\n}\n",
		"bound/a.go: package bound\n\nimport (\n\t\"context\"\n\t\"fmt\"\n)\n\nfunc name[T any](k string) string { return fmt.Sprintf(\"%T\", *new(T)) + k }\n\ntype base[T any] interface {\n"+
			"\t//idem:key name[T](k)\n\tDo(ctx context.Context, k string) error\n}\n\ntype mid[U any] interface{ base[[]U] }\n\ntype other[V any] = mid[map[string]V]\n\n//idem:wrap\ntype S interface{ other[int] }\n",
		"mapkey/a.go: package mapkey"+ctx+"type R struct{ ID string }\n\n//idem:wrap\ntype S interface {\n\t//idem:key map[string]string{r.ID: \"x\"}[k]\n\tA(ctx context.Context, r *R, k string) error\n}\n",
	)
	for name, c := range map[string]struct {
		pattern, files, said string
		output               string // a part of it
	}{
		"names inside type literals are their own":                         {"./literals", "", "literals/a.go:11:13 IDEM032", ""},
		"keywords bear a comment":                                          {"./comments", "comments/idem_gen.go", "", "idem.KeyFromContext(ctx)"},
		"a constant that fits nowhere":                                     {"./constant", "", "constant/a.go:7:13 IDEM031", ""},
		"old build lines count":                                            {"./oldbuild", "oldbuild/idem_gen_a.go", "", "//go:build (special || linux) && amd64"},
		"a missing import is told by what it is called":                    {"./missing", "", "missing/a.go:6:2 IDEM062, missing/a.go:7:2 IDEM062", ""},
		"type parameters are known where the signature does not name them": {"./bound", "bound/idem_gen.go", "", "idem.StringKey(name[([]map[string]int)](k))"},
		"keys of map literals are on the way":                              {"./mapkey", "mapkey/idem_gen.go", "", "if r != nil {"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files, said, r := outcome(t, root, Options{Patterns: []string{c.pattern}})
			if strings.Join(files, ", ") != c.files || strings.Join(said, ", ") != c.said {
				t.Errorf("files %v, said %v: %v", files, said, r.Diagnostics)
			}
			if c.output != "" && !slices.ContainsFunc(r.Files, func(f File) bool { return strings.Contains(string(f.Content), c.output) }) {
				t.Errorf("no %q in %s", c.output, r.Files[0].Content)
			}
		})
	}
}

func TestOutOfTwoPackagesWritesNothing(t *testing.T) {
	t.Parallel()
	root := tree(t, "go.mod: module m\n\ngo 1.26\n", "a/a.go: package a"+importContext+keyed("Store"), "b/b.go: package b"+importContext+keyed("Store"))
	files, said, _ := outcome(t, root, Options{Patterns: []string{"./a", "./b"}, Out: "gen"})
	if len(files) != 0 || len(said) != 1 {
		t.Errorf("files %v, said %v", files, said)
	}
}

func TestNothingIsWrittenIntoOtherModules(t *testing.T) {
	t.Parallel()
	root := tree(
		t, "main/go.mod: module m\n\ngo 1.26\n\nrequire dep.example v0.0.0\n\nreplace dep.example => ../dep\n", "dep/go.mod: module dep.example\n\ngo 1.26\n",
		"main/a/a.go: package a\n\nimport _ \"dep.example/p\"\n", "dep/p/p.go: package p"+importContext+keyed("Store"),
	)
	files, said, r := outcome(t, filepath.Join(root, "main"), Options{Patterns: []string{"dep.example/p"}})
	if len(files) != 0 || len(said) != 0 || len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "dep.example") {
		t.Errorf("files %v, said %v, noted %v", files, said, r.Notes)
	}
}
