package generator

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"
)

// outputOf makes an output of the interfaces of a source file, as the stages before would: a method is keyed where its doc comment is
// "key NAME", by the parameter of that name.
func outputOf(t *testing.T, path, src string) *output {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "src.go", src, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	conf := types.Config{Importer: importer.ForCompiler(fset, "source", nil)}
	pkg, err := conf.Check(path, fset, []*ast.File{file}, nil)
	if err != nil {
		t.Fatal(err)
	}
	o := &output{Path: "idem_gen.go", PkgName: pkg.Name(), PkgPath: path, Source: pkg, Taken: map[string]token.Position{}}
	for _, name := range pkg.Scope().Names() {
		o.Taken[name] = fset.Position(pkg.Scope().Lookup(name).Pos())
	}
	for _, d := range file.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.TYPE || !strings.Contains(g.Doc.Text(), "wrap") {
			continue
		}
		spec := g.Specs[0].(*ast.TypeSpec)
		obj := pkg.Scope().Lookup(spec.Name.Name).(*types.TypeName)
		w := &wrapper{Named: obj, Name: "Idempotent" + obj.Name(), Ctor: "NewIdempotent" + obj.Name(), Pos: fset.Position(spec.Pos())}
		if named, ok := obj.Type().(*types.Named); ok {
			for p := range named.TypeParams().TypeParams() {
				w.TypeParams = append(w.TypeParams, p)
			}
		}
		keys := map[string]string{}
		for _, f := range spec.Type.(*ast.InterfaceType).Methods.List {
			if len(f.Names) == 1 {
				if _, key, ok := strings.Cut(f.Doc.Text(), "key "); ok {
					keys[f.Names[0].Name] = strings.TrimSpace(key)
				}
			}
		}
		iface := obj.Type().Underlying().(*types.Interface)
		for f := range iface.Methods() {
			w.Methods = append(w.Methods, methodOf(t, path, w, f, keys[f.Name()]))
		}
		o.Wrappers = append(o.Wrappers, w)
	}
	return o
}

func methodOf(t *testing.T, path string, w *wrapper, f *types.Func, key string) *method {
	t.Helper()
	m := &method{Name: f.Name(), Sig: f.Signature(), Op: path + "." + w.Named.Name() + "." + f.Name()}
	if key == "" {
		return m
	}
	m.Keyed, m.CheckResults = true, len(w.TypeParams) > 0
	for i := range m.Sig.Params().Len() {
		p := m.Sig.Params().At(i)
		switch {
		case p.Name() == key:
			m.Keys = []*expr{{Text: key, Type: p.Type(), Kind: keyString, Refs: []ref{{span: span{0, len(key)}, Param: i}}}}
			fallthrough
		default:
			m.Fingerprint = append(m.Fingerprint, fingerprintArg{Name: p.Name(), Param: i})
		case isContext(p.Type()):
			m.Context = i
		}
	}
	for i := range m.Sig.Results().Len() - 1 {
		m.Results = append(m.Results, m.Sig.Results().At(i).Type())
	}
	return m
}

func TestTry(t *testing.T) {
	o := outputOf(t, "example.com/shop", `package shop

import ("context"; "net/http"; "time")

type Receipt struct{ID string}

// Payments wrap
type Payments interface {
	// key k
	Charge(ctx context.Context, k string, w http.ResponseWriter, opts ...func(x int) error) (Receipt, error)
	// key string
	Refund(ctx context.Context, string string, nil int) error
	// key k
	Quote(ctx context.Context, k string, Receipt Receipt) (r *Receipt, at time.Time, err error)
	Balance(context.Context, chan (<-chan int), struct{A int "json:\"a\""; b string}) (n int, err error)
}
// Box wrap
type Box[T any] interface {
	// key k
	Put(ctx context.Context, k string, v T) (T, error)
	// key k
	Two(ctx context.Context, k string, v T) (T, map[string]T, error)
	Nop()
}
`)
	text, ds := emit(o)
	t.Log(ds, "\n"+string(text))
}
