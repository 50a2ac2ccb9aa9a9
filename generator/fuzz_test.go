package generator

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"

	"github.com/idemgen/idemgen/templates"
)

// This file lets everything behind the loader work on sources of one file that nobody has thought of: nothing panics, each diagnostic is at
// a place that exists, and whatever is accepted makes an output that compiles.

// workshop generates in memory; its imports are read once.
type workshop struct {
	imports types.Importer
}

func newWorkshop(tb testing.TB) *workshop {
	tb.Helper()
	loaded, err := packages.Load(&packages.Config{Mode: packages.NeedName | packages.NeedTypes | packages.NeedImports},
		"context", "errors", "fmt", "strings", "time", templates.RuntimePath)
	if err != nil {
		tb.Fatal(err)
	}
	imports := importerOf{}
	for _, p := range loaded {
		imports[p.PkgPath] = p.Types
	}
	return &workshop{imports}
}

// product is what came of one source.
type product struct {
	file   *sourceFile
	report *report
}

const workshopPath = "/m/p.go"

// generate runs the stages from attach to emit over src, and the type checker over src with the output; nil: src is no Go.
func (w *workshop) generate(t *testing.T, src string) *product {
	t.Helper()
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, workshopPath, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	info := &types.Info{
		Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}, Implicits: map[ast.Node]types.Object{},
		Types: map[ast.Expr]types.TypeAndValue{}, Selections: map[*ast.SelectorExpr]*types.Selection{}, Scopes: map[ast.Node]*types.Scope{},
	}
	config := types.Config{Importer: w.imports}
	pkg, err := config.Check("example.com/m", fset, []*ast.File{tree}, info)
	if err != nil {
		return nil
	}
	p := &program{
		fset: fset, written: map[string]bool{workshopPath: true}, byTypes: map[*types.Package]*source{}, files: map[string]*sourceFile{},
		report: newReport(filepath.Dir(workshopPath)),
	}
	s := &source{asked: true, Package: &packages.Package{
		ID: pkg.Path(), Name: pkg.Name(), PkgPath: pkg.Path(), Dir: filepath.Dir(workshopPath), GoFiles: []string{workshopPath},
		Syntax: []*ast.File{tree}, Types: pkg, TypesInfo: info, Fset: fset,
	}}
	p.sources, p.byTypes[pkg] = []*source{s}, s
	p.fill(map[string][]byte{workshopPath: []byte(src)})
	r := read(p, nil)
	r.check()
	for _, m := range r.made {
		if p.report.failed[m.source.Dir] {
			continue
		}
		text, wrong := emit(&m.output)
		p.report.found = append(p.report.found, wrong...)
		if len(wrong) == 0 {
			w.compiles(t, fset, tree, text)
		}
	}
	return &product{p.files[workshopPath], p.report}
}

// compiles type-checks an output beside its source.
func (w *workshop) compiles(t *testing.T, fset *token.FileSet, tree *ast.File, text []byte) {
	t.Helper()
	output, err := parser.ParseFile(fset, "idem_gen.go", text, parser.SkipObjectResolution)
	if err != nil {
		t.Fatalf("the output does not parse: %v\n%s", err, text)
	}
	config := types.Config{Importer: w.imports}
	if _, err := config.Check("example.com/m", fset, []*ast.File{tree, output}, nil); err != nil {
		t.Fatalf("the output does not compile: %v\n%s", err, text)
	}
}

// placed checks where the diagnostics are.
func (p *product) placed(t *testing.T, src string) {
	t.Helper()
	lines := strings.Split(src, "\n")
	for _, d := range p.report.found {
		if d.Line < 1 || d.Line > len(lines) || d.Col < 1 || d.Col > len(lines[d.Line-1])+1 {
			t.Fatalf("%v is at no place of the source", d)
		}
		if strings.Contains(d.Text, "fault of idemgen") {
			t.Fatal(d)
		}
	}
}

// fuzzSource has a blank for the settings of one method; what can be in an expression is declared around it.
const fuzzSource = `package m

import (
	"context"
	str "strings"
	"time"
)

type (
	ID    string
	Text  struct{ S string }
	Name  struct{ S string }
	UUID  [16]byte
	Meta  struct{ Key *string }
	Mid   struct{ *Meta }
	Keyer interface{ Key() string }
	Req   struct {
		Id   ID
		Meta *Meta
		Tags []string
		Arr  *[3]string
		Mid
		At time.Time
		m  map[string]*Req
	}
	Of[X any] struct{ V X }
)

func (Text) MarshalText() ([]byte, error) { return nil, nil }
func (*Name) String() string              { return "" }
func (Req) Value() string                 { return "" }
func (*Req) Of(n int) *Req                { return nil }

const prefix = "p"

var (
	w   = "w"
	key = str.ToUpper("k")
)

func f[X any](x X) string           { return "" }
func idem(list ...string) *string   { return nil }
func two() (string, error)          { return "", nil }

//idem:wrap
type Store[T ~string, E Keyer, N ~int | ~int8] interface {
	//idem:BLANK
	Put(ctx context.Context, k string, id ID, text Text, name Name, uuid UUID, p *Req, r Req, pp **Req, v any, b []byte, ok bool, t T, e E, n N,
		string int, next *[]int, time time.Time, err map[ID]Name, res ...Of[N]) (T, error)
}
`

func FuzzExpressions(f *testing.F) {
	for _, seed := range []string{
		"key k", "key ctx.Value(k).(ID)", "key p.Meta.Key", "key *p.Meta.Key, *r.Key", "key str.ToUpper(w + key)", "key f(e), t, n", "key uuid, text",
		"key name", "key &name", "key string, id", "key pp.Id", "key (*pp).Id", "key idem(r.Tags...)", "key *idem(k, prefix)", "key r.m[k].Id",
		"key func(k string) string { return w + k }(k)", "key Of[ID]{V: id}.V", "key Req{Id: id}.Id, []ID{id}[0]", "key v.(interface{ Key() string }).Key()",
		"key f[Of[map[T]N]](Of[map[T]N]{})", "key p.Arr[0], p.Of(len(b)).Id", "key k // c", "key time.String(), 'x', `a,b`", "key res[0].V",
		"key k\n\t//idem:fingerprint p.Meta.Key, id, p, *p", "key k\n\t//idem:fingerprint except p, r, res", "key context\n\t//idem:scope t",
		"key k\n\t//idem:scope p.Meta.Key", "key k[len(k)-1:]", "key ok && k == w", "key two()", "key (k", "key <-(chan string)(nil)",
		"key err[id]", "key -n<<1", "key func() string {\n", "key struct{ A, B string }{A: k}.A", "key r.Mid.Meta.Key", "key E.Key(e)", "key (*Req).Of(p, 1).Id",
	} {
		f.Add(seed)
	}
	shop := newWorkshop(f)
	f.Fuzz(func(t *testing.T, settings string) {
		src := strings.Replace(fuzzSource, "BLANK", settings, 1)
		if p := shop.generate(t, src); p != nil {
			p.placed(t, src)
		}
	})
}

// fuzzLayout has room for comments, at each ~, wherever one can stand.
const fuzzLayout = `~
package m

~
import "context"

~
type Store interface { ~
	~
	Put(ctx context.Context, k string) (int, error) ~
	embedded

	~
}

~
type (
	~
	embedded interface {
		~
		Get(ctx context.Context, k string) error
	}
)

func F(
	~
	g interface{ Do() },
) {
	~
	type local interface{ Do() }
}
~`

// layout puts comments, separated by ~, into fuzzLayout.
func layout(comments string) string {
	list := strings.Split(comments, "~")
	var src strings.Builder
	for i, text := range strings.Split(fuzzLayout, "~") {
		src.WriteString(text)
		if i < len(list) {
			src.WriteString(list[i])
		}
	}
	return src.String()
}

func FuzzAnnotations(f *testing.F) {
	for _, seed := range []string{
		"~~//idem:wrap~~//idem:key k~~~~~//idem:skip", "~~//idem:wrap\n//idem:skip *~~//idem:key k\n//idem:policy poll 20s\n//idem:stale 5s norenew",
		"~~//idem:wrap Named~~//idem:key k\n//idem:op a.b\n//idem:ttl forever~~~~~//idem:key k\n//idem:takeover hold maxattempts 3",
		"~~// idem:wrap~//idem:wrap~~//idem:key k", "//idem:wrap~//idem:wrap~~~~~~//idem:wrap~//idem:wrap~~//idem:wrap~//idem:wrap~//idem:wrap",
		"~~//idem:wrap~~/*idem:key k*/~~//idem:key k", "~~//idem:wrap~~//Idem:key k~~~~~//idem key k", "~~//idem:wrap~~//idem:kye k\r\n//idem:~~~~~//idemgen:skip",
		"~~//idem:wrap~~//idem:key k\n//idem:key k~~~//+idem:wrap", "~~//idem:wrap\n//idem:on Get skip\n//idem:on Put key k",
		"~~//idem:wrap\n//idem:errors final context.Canceled~~//idem:key k", "~~//idem:wrap~~//line x.go:7:3\n//idem:key k.a",
		"~~//idem:wrap\n//idem:scope k~~//idem:key context\n//idem:lossy no\n//idem:codec json", "~~//idem:wrap\n\n//idem:ttl 1h", "\ufeff~~//idem:wrap",
		"~~//idem:wrap~~//idem:key k\n//idem:tx join\n//idem:detach\n//idem:takeover recover Get", "~~/*\n *idem:wrap\n*/",
	} {
		f.Add(seed)
	}
	shop := newWorkshop(f)
	f.Fuzz(func(t *testing.T, comments string) {
		src := layout(comments)
		p := shop.generate(t, src)
		if p == nil {
			return
		}
		p.placed(t, src)
		if p.annotated() && !mentionsAnnotation([]byte(src)) {
			t.Fatalf("scan passes over what attach finds: %v", p.file.flaws)
		}
	})
}

// annotated tells whether something was found that is an annotation, or meant as one.
func (p *product) annotated() bool {
	for _, d := range p.file.decls {
		for _, m := range d.methods {
			if len(m.notes) > 0 {
				return true
			}
		}
		if len(d.notes) > 0 {
			return true
		}
	}
	return len(p.file.flaws) > 0
}
