package generator

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"

	"github.com/dave/jennifer/jen"
)

// Each of these must be written so that it means the same again. Where the text differs from the source's, it is given.
var writtenTypes = []struct{ source, want string }{
	{"int", ""},
	{"[]byte", ""},
	{"rune", ""},
	{"error", ""},
	{"any", ""},
	{"Local", ""},
	{"*[]map[string]*Local", ""},
	{"[2][n + 1][]int", "[2][4][]int"},
	{"chan int", ""},
	{"chan (<-chan int)", ""},
	{"chan<- chan int", ""},
	{"<-chan (chan<- func())", "<-chan chan<- func()"},
	{"chan (chan<- int)", "chan chan<- int"},
	{"func()", ""},
	{"func(a, b int, c ...string) (n int, err error)", "func(a int, b int, c ...string) (n int, err error)"},
	{"func(func(...[]int) bool) func() chan int", ""},
	{"unsafe.Pointer", ""},
	{"time.Time", ""},
	{"os.FileInfo", ""},
	{"[]os.DirEntry", ""},
	{"Set[string]", ""},
	{"Pair[int, *time.Time]", ""},
	{"Alias", ""},
	{"struct{}", ""},
	{"struct{ A, B int }", "struct {\n\tA int\n\tB int\n}"},
	{"struct{ *Local; time.Time; a int `json:\"a\" xml:\"b,attr\"` }", "struct {\n\t*Local\n\ttime.Time\n\ta int `json:\"a\" xml:\"b,attr\"`\n}"},
	{"struct{ A int \"a`b\" }", "struct {\n\tA int \"a`b\"\n}"},
	{"interface{}", ""},
	{"interface{ Do(int) error; fmt.Stringer }", "interface {\n\tDo(int) error\n\tfmt.Stringer\n}"},
	{"interface{ do() }", ""},
}

func TestWrittenTypesMeanTheSame(t *testing.T) {
	t.Parallel()
	const preamble = `package home

import ("fmt"; "os"; "time"; "unsafe")

const n = 3

type Local struct{ N int }
type Set[T comparable] = map[T]struct{}
type Pair[A, B any] struct { a A; b B }
type Alias = []Local
var _ unsafe.Pointer; var _ os.FileInfo; var _ time.Time; var _ fmt.Stringer
`
	fset := token.NewFileSet()
	conf := types.Config{Importer: importer.ForCompiler(fset, "gc", nil)}
	check := func(text string) types.Type {
		file, err := parser.ParseFile(fset, "home.go", preamble+"\nvar v "+text+"\n", 0)
		if err != nil {
			t.Fatal(text, err)
		}
		pkg, err := conf.Check("example.com/home", fset, []*ast.File{file}, nil)
		if err != nil {
			t.Fatal(text, err)
		}
		return pkg.Scope().Lookup("v").Type()
	}
	for _, c := range writtenTypes {
		typ := check(c.source)
		w := &writer{home: "example.com/home", named: newNamed()}
		got := render(t, w.typ(typ))
		want := c.want
		if want == "" {
			want = c.source
		}
		if w.problem != "" || got != want {
			t.Errorf("%s is written as %s (%s)", c.source, got, w.problem)
			continue
		}
		if again := check(got); types.TypeString(again, nil) != types.TypeString(typ, nil) {
			t.Errorf("%s means %s", got, again)
		}
	}
}

// render is a type as it stands in a file of package home.
func render(t *testing.T, code jen.Code) string {
	t.Helper()
	f := jen.NewFilePathName("example.com/home", "home")
	f.Var().Id("v").Add(code)
	text := f.GoString()
	_, text, ok := strings.Cut(text, "\nvar v ")
	if !ok {
		t.Fatal(text)
	}
	return strings.TrimSuffix(text, "\n")
}

func TestInternalPackages(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		path, home string
		want       bool
	}{
		{"a/b", "c", true},
		{"a/internal/b", "a", true},
		{"a/internal/b", "a/c/d", true},
		{"a/internal/b", "ab", false},
		{"a/internal", "b", false},
		{"a/internal/b/internal/c", "a/x", false},
		{"a/internal/b/internal/c", "a/internal/b", true},
		{"a/internals/b", "c", true},
		{"a/internal/b", "a_test", true},
	} {
		if got := importable(c.path, c.home); got != c.want {
			t.Errorf("importable(%q, %q) = %t", c.path, c.home, got)
		}
	}
}
