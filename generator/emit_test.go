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
	conf := types.Config{Importer: importer.ForCompiler(fset, "gc", nil)}
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

// What can't be written is refused with its reason, at the method; nothing panics, and nothing half-right is written.
func TestEmitRefusesWhatItCannotWrite(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(o *output)
		want   string
	}{
		"a type that does not exist": {func(o *output) { o.setParam(types.Typ[types.Invalid]) }, "does not exist"},
		"a type of package C": {func(o *output) {
			o.setParam(types.NewNamed(types.NewTypeName(0, o.Source, "_Ctype_int", nil), types.Typ[types.Int], nil))
		}, "package C"},
		"an unexported type of another package": {func(o *output) {
			o.setParam(types.NewNamed(types.NewTypeName(0, types.NewPackage("example.com/p", "p"), "t", nil), types.Typ[types.Int], nil))
		}, "not exported"},
		"an internal package": {func(o *output) {
			o.setParam(types.NewNamed(types.NewTypeName(0, types.NewPackage("example.org/internal/p", "p"), "T", nil), types.Typ[types.Int], nil))
		}, "internal"},
		"a command": {func(o *output) {
			o.setParam(types.NewNamed(types.NewTypeName(0, types.NewPackage("example.com/p", "main"), "T", nil), types.Typ[types.Int], nil))
		}, "command"},
		"a struct with another package's field": {func(o *output) {
			f := types.NewField(0, types.NewPackage("example.com/p", "p"), "f", types.Typ[types.Int], false)
			o.setParam(types.NewStruct([]*types.Var{f}, nil))
		}, "field f"},
		"a hidden predeclared name": {func(o *output) { o.Taken["string"] = token.Position{} }, "hides the predeclared"},
		"a taken name":              {func(o *output) { o.Taken["IdempotentI"] = token.Position{Filename: "a.go", Line: 3, Column: 1} }, "already declared at a.go:3:1"},
		"a foreign type parameter": {func(o *output) {
			o.setParam(types.NewTypeParam(types.NewTypeName(0, o.Source, "T", nil), types.Universe.Lookup("any").Type()))
		}, "type parameter T"},
		"a type that nobody knows yet": {func(o *output) { o.setParam(new(types.Tuple)) }, "does not know"},
	} {
		t.Run(name, func(t *testing.T) {
			o := outputOf(t, "example.com/shop", "package shop\n\n// I wrap\ntype I interface{ Do(s string) }\n")
			c.change(o)
			text, ds := emit(o)
			if text != nil || len(ds) != 1 || !strings.Contains(ds[0].Text, c.want) {
				t.Errorf("got %q and %v, want one diagnostic with %q", text, ds, c.want)
			}
		})
	}
}

// setParam gives the first method another parameter.
func (o *output) setParam(typ types.Type) {
	m := o.Wrappers[0].Methods[0]
	m.Sig = types.NewSignatureType(nil, nil, nil, types.NewTuple(types.NewParam(0, nil, "p", typ)), nil, false)
}

// The next output of a package keeps away from the names of the one before.
func TestEmitTellsWhatItDeclared(t *testing.T) {
	t.Parallel()
	const src = `package shop

import "context"

// Pay wrap
type Pay interface {
	// key k
	Do(ctx context.Context, k string) (int, string, error)
}

// pay wrap
type pay interface {
	// key k
	Do(ctx context.Context, k string) (int, string, error)
}
`
	first, second := outputOf(t, "example.com/shop", src), outputOf(t, "example.com/shop", src)
	first.Wrappers, second.Wrappers = first.Wrappers[:1], second.Wrappers[1:]
	second.Taken = first.Taken
	var declared []string
	for _, o := range []*output{first, second} {
		text, ds := emit(o)
		if len(ds) > 0 {
			t.Fatal(ds)
		}
		for line := range strings.Lines(string(text)) {
			if word := strings.Fields(line); len(word) > 1 && (word[0] == "var" || word[0] == "type") && word[1] != "_" {
				declared = append(declared, word[1])
			}
		}
	}
	want := "IdempotentPay payDo payDoResults Idempotentpay payDoOperation payDoResults2"
	if got := strings.Join(declared, " "); got != want {
		t.Errorf("declared %s, want %s", got, want)
	}
}
