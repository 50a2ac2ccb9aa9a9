// Package docs holds no code: its tests keep the documentation true to the code it speaks of.
package docs

import (
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// pages are all pages of documentation, by their path from the repository's root.
func pages(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, pattern := range []string{"../*.md", "*.md", "../examples/*/*.md"} {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range paths {
			text, err := os.ReadFile(p)
			if err != nil {
				t.Fatal(err)
			}
			found[filepath.Join("docs", p)] = string(text)
		}
	}
	if found["README.md"] == "" || found["docs/guarantees.md"] == "" {
		t.Fatalf("the pages were not found: %v", found)
	}
	return found
}

func TestLinksLeadSomewhere(t *testing.T) {
	t.Parallel()
	link := regexp.MustCompile(`\]\(([^)#]+)(#[^)]*)?\)`)
	for name, text := range pages(t) {
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			if _, err := os.Stat(filepath.Join("..", filepath.Dir(name), m[1])); err != nil {
				t.Errorf("%s: there is no %s", name, m[1])
			}
		}
	}
}

func TestGoInDocumentationIsGoAndFormatted(t *testing.T) {
	t.Parallel()
	block := regexp.MustCompile("(?ms)^( *)```go\n(.*?)^ *```")
	for name, text := range pages(t) {
		for _, m := range block.FindAllStringSubmatch(text, -1) {
			code := regexp.MustCompile("(?m)^"+m[1]).ReplaceAllString(m[2], "")
			formatted, err := format.Source([]byte(code))
			if err != nil {
				t.Errorf("%s: %v in\n%s", name, err, code)
			} else if string(formatted) != code {
				t.Errorf("%s: gofmt would write\n%s", name, formatted)
			}
		}
	}
}

func TestNamesInDocumentationExist(t *testing.T) {
	t.Parallel()
	packages := map[string]map[string]bool{
		"idem":     exported(t, "../idem"),
		"postgres": exported(t, "../idem/postgres"),
		"sqlite":   exported(t, "../idem/sqlite"),
		"idemtest": exported(t, "../idem/idemtest"),
	}
	selector := regexp.MustCompile(`\b(idem|postgres|sqlite|idemtest)\.([A-Z]\w*)`)
	failure := regexp.MustCompile("`(Err[A-Z]\\w*)`")
	for name, text := range pages(t) {
		for _, m := range selector.FindAllStringSubmatch(text, -1) {
			if !packages[m[1]][m[2]] {
				t.Errorf("%s: package %s has no %s", name, m[1], m[2])
			}
		}
		for _, m := range failure.FindAllStringSubmatch(text, -1) {
			if !packages["idem"][m[1]] {
				t.Errorf("%s: there is no error %s", name, m[1])
			}
		}
	}
}

func TestEveryEventIsExplained(t *testing.T) {
	t.Parallel()
	text := pages(t)["docs/operations.md"]
	f, err := parser.ParseFile(token.NewFileSet(), "../idem/observer.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	kinds := 0
	ast.Inspect(f, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || len(spec.Names) != 1 || !strings.HasPrefix(spec.Names[0].Name, "Event") {
			return true
		}
		kinds++
		kind, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
		if err != nil || !strings.Contains(text, "`"+kind+"`") {
			t.Errorf("event %q is not in docs/operations.md", kind)
		}
		return true
	})
	if kinds == 0 {
		t.Error("no event was found")
	}
}

func TestCommandsInDocumentationAreInTheMakefile(t *testing.T) {
	t.Parallel()
	makefile, err := os.ReadFile("../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	command := regexp.MustCompile("(?m)(?:^|`)make ([a-z][a-z-]*)")
	for name, text := range pages(t) {
		for _, m := range command.FindAllStringSubmatch(text, -1) {
			if !strings.Contains(string(makefile), "\n"+m[1]+":") {
				t.Errorf("%s: the Makefile has no %s", name, m[1])
			}
		}
	}
}

// exported are the exported package-level names of the Go files in dir, tests left out.
func exported(t *testing.T, dir string) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(paths) == 0 {
		t.Errorf("no Go files in %s", dir)
	}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			declared(d, func(name string) { names[name] = ast.IsExported(name) })
		}
	}
	return names
}

// declared calls f with the package-level names that d declares.
func declared(d ast.Decl, f func(string)) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			f(d.Name.Name)
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				f(s.Name.Name)
			case *ast.ValueSpec:
				for _, n := range s.Names {
					f(n.Name)
				}
			}
		}
	}
}
