package generator

import (
	"fmt"
	"go/ast"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// This file runs the outputs of the corpus: for each wrapper it writes a value that records its calls, and one program (with
// ../testdata/replay, which does the comparing) calls all methods of all wrappers. It reads the outputs themselves, and shares nothing with the
// stages that made them.

// notReplayed are compiled and vetted only: a package that means something else by int, in which the program can't write its values, one
// whose keys are all the same, and one with transaction modes, which the store in memory can't do, and contexts that the program can't make.
var notReplayed = []string{"350-own-predeclared/", "352-generic-elsewhere/", "217-beyond/"}

func TestOutputsReplay(t *testing.T) {
	c := loadCorpus(t)
	c.writeOutputs(t)
	loaded, err := packages.Load(replayConfig(c), c.packagesWithOutput()...)
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(loaded, func(a, b *packages.Package) int { return strings.Compare(a.ID, b.ID) })
	targets := []string{"./allcases"}
	var imports, calls strings.Builder
	wrappers := 0
	for i, p := range loaded {
		b := newReplayBuilder(p)
		for _, test := range []bool{false, true} {
			file := b.file(t, test)
			if file == "" {
				continue
			}
			wrappers += b.wrappers
			dir := filepath.Dir(p.GoFiles[0])
			rel, _ := filepath.Rel(c.root, dir)
			switch {
			case slices.ContainsFunc(slices.Concat(brokenInputs, notReplayed), func(s string) bool { return strings.HasPrefix(rel+"/", s) }):
				continue
			case test || p.Name == "main":
				name := "zz_" + p.Name + "_test.go"
				writeFile(t, filepath.Join(dir, name), strings.ReplaceAll(file, "ZZReplay", "TestReplay"))
				targets = append(targets, "./"+filepath.ToSlash(rel))
			default:
				writeFile(t, filepath.Join(dir, "zz_replay.go"), file)
				fmt.Fprintf(&imports, "\tp%d %q\n", i, p.PkgPath)
				fmt.Fprintf(&calls, "\tt.Run(%q, p%d.ZZReplay)\n", rel, i)
			}
		}
	}
	if wrappers < 100 {
		t.Errorf("only %d wrappers were found", wrappers)
	}
	all := "package allcases\n\nimport (\n\t\"testing\"\n\n" + imports.String() + ")\n\nfunc TestReplay(t *testing.T) {\n" + calls.String() + "}\n"
	writeFile(t, filepath.Join(c.root, "allcases", "all_test.go"), all)
	if out, err := c.goTool(append([]string{"test", "-vet=off", "-count=1"}, targets...)...); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// replayConfig loads outputs of the corpus.
func replayConfig(c *corpus) *packages.Config {
	return &packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedSyntax | packages.NeedTypes | packages.NeedImports,
		Dir:  c.root, Tests: true, Env: append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off"),
	}
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// replayBuilder writes the program's part in one package.
type replayBuilder struct {
	pkg      *packages.Package
	imports  map[string]string // path → name
	body     strings.Builder
	wrappers int
}

func newReplayBuilder(p *packages.Package) *replayBuilder {
	return &replayBuilder{pkg: p}
}

// file is the part for the package's wrappers in ordinary files, or in test files; empty: there are none.
func (b *replayBuilder) file(t *testing.T, test bool) string {
	b.imports, b.wrappers = map[string]string{
		"testing": "zztesting", "example.com/cases/replay": "zzreplay", "github.com/idemgen/idemgen/idem": "zzidem",
	}, 0
	b.body.Reset()
	var calls strings.Builder
	isVariant := strings.Contains(b.pkg.ID, " [")
	for i, f := range b.pkg.Syntax {
		name := filepath.Base(b.pkg.CompiledGoFiles[i])
		if !strings.HasPrefix(name, "idem_gen") || strings.HasPrefix(name, "idem_gen_roundtrip") || strings.HasSuffix(name, "_test.go") != test || test != isVariant {
			continue
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name != "_" {
				b.wrapper(t, &calls, f, fn.Name.Name)
			}
		}
	}
	if b.wrappers == 0 {
		return ""
	}
	var head strings.Builder
	fmt.Fprintf(&head, "package %s\n\nimport (\n", b.pkg.Name)
	for path, name := range b.imports {
		fmt.Fprintf(&head, "\t%s %q\n", name, path)
	}
	return head.String() + ")\n\n" + b.body.String() + "func ZZReplay(t *zztesting.T) {\n" + calls.String() + "}\n"
}

// wrapper writes the recorder for the interface that a constructor takes, and the calls of the wrapper's methods.
func (b *replayBuilder) wrapper(t *testing.T, calls *strings.Builder, f *ast.File, constructor string) {
	scope := b.pkg.Types.Scope()
	sig := scope.Lookup(constructor).Type().(*types.Signature)
	args := b.typeArgs(t, sig)
	instance := constructor
	if len(args) > 0 {
		inst, err := types.Instantiate(nil, sig, args, true)
		if err != nil {
			t.Fatal(err)
		}
		sig = inst.(*types.Signature)
		var names []string
		for _, a := range args {
			names = append(names, b.typ(a))
		}
		instance += "[" + strings.Join(names, ", ") + "]"
	}
	wrapper := sig.Results().At(0).Type()
	b.wrappers++
	recorder := fmt.Sprintf("zzRecorder%d", b.wrappers)
	if strings.Contains(b.pkg.ID, " [") {
		recorder = "zzTest" + recorder // beside those of the package without its tests
	}
	fmt.Fprintf(&b.body, "type %s struct {\n\tzz *zzreplay.Recorder\n%s}\n\n", recorder, b.embeds(wrapper))
	samples := ""
	if scope.Lookup("samples") != nil {
		samples = "Samples: samples, "
	}
	fmt.Fprintf(calls, "\tt.Run(%q, func(t *zztesting.T) {\n\t\tr := new(zzreplay.Recorder)\n", constructor)
	fmt.Fprintf(calls, "\t\t_ = %s(%s{zz: r}, new(zzidem.Engine))\n", instance, recorder) // all there is to an interface without methods
	set := types.NewMethodSet(wrapper)
	for selection := range set.Methods() {
		m := selection.Obj().(*types.Func)
		if len(selection.Index()) > 1 {
			continue // of what the wrapper embeds
		}
		keyed := keyedIn(f, m)
		b.recorderMethod(recorder, m, keyed)
		fmt.Fprintf(calls, "\t\tzzreplay.Run(t, r, zzreplay.Method{Name: %q, Keyed: %t, Claimed: %t, Asked: %t, Lossy: %t, Partial: %t, Except: []int{%s}, %s\n",
			m.Name(), keyed, keyed && claimable(m.Origin().Signature()), b.annotated(m.Name(), "takeover recover"), b.annotated(m.Name(), "lossy"), b.annotated(m.Name(), "fingerprint"),
			b.excepted(m), samples)
		fmt.Fprintf(calls, "\t\t\tFunc: func(e *zzidem.Engine) zzreplay.Value { return %s(%s{zz: r}, e).%s }})\n", instance, recorder, m.Name())
	}
	calls.WriteString("\t})\n")
}

// embeds are the interfaces that the wrapper embeds, for the recorder to embed them, too.
func (b *replayBuilder) embeds(wrapper types.Type) (fields string) {
	for f := range wrapper.(*types.Pointer).Elem().Underlying().(*types.Struct).Fields() {
		if f.Embedded() {
			fields += "\t" + b.typ(f.Type()) + "\n"
		}
	}
	return fields
}

func (b *replayBuilder) recorderMethod(recorder string, m *types.Func, keyed bool) {
	sig := m.Signature()
	var params, args, results, values []string
	for i := range sig.Params().Len() {
		typ, name := b.typ(sig.Params().At(i).Type()), fmt.Sprintf("zz%d", i)
		if sig.Variadic() && i == sig.Params().Len()-1 {
			typ = "..." + strings.TrimPrefix(typ, "[]")
		}
		params, args = append(params, name+" "+typ), append(args, name)
	}
	for i := range sig.Results().Len() {
		typ := b.typ(sig.Results().At(i).Type())
		results = append(results, typ)
		values = append(values, fmt.Sprintf("zzreplay.Result[%s](zz.zz, %d)", typ, i))
	}
	if keyed {
		values[len(values)-1] = "zz.zz.Err()"
	}
	fmt.Fprintf(&b.body, "func (zz %s) %s(%s) (%s) {\n\tzz.zz.Called(%s)\n\treturn %s\n}\n\n", recorder, m.Name(),
		strings.Join(params, ", "), strings.Join(results, ", "), strings.Join(args, ", "), strings.Join(values, ", "))
}

// typ is t as source, with imports under names that nothing else has.
func (b *replayBuilder) typ(t types.Type) string {
	return types.TypeString(t, func(p *types.Package) string {
		if p.Path() == b.pkg.Types.Path() {
			return ""
		}
		if b.imports[p.Path()] == "" {
			b.imports[p.Path()] = fmt.Sprintf("zzimport%d", len(b.imports))
		}
		return b.imports[p.Path()]
	})
}

// typeArgs finds type arguments that fulfil the constraints, among simple types and those of the package.
func (b *replayBuilder) typeArgs(t *testing.T, sig *types.Signature) []types.Type {
	var candidates []types.Type
	for _, name := range []string{"string", "int", "int8"} {
		candidates = append(candidates, types.Universe.Lookup(name).Type())
	}
	scope := b.pkg.Types.Scope()
	for _, p := range append([]*types.Package{b.pkg.Types}, b.pkg.Types.Imports()...) {
		for _, name := range p.Scope().Names() {
			o, ok := p.Scope().Lookup(name).(*types.TypeName)
			if named, isNamed := typeOf(o, ok).(*types.Named); isNamed && named.TypeParams() == nil && (p.Scope() == scope || o.Exported()) {
				candidates = append(candidates, named)
			}
		}
	}
	candidates = append(candidates, types.NewPointer(types.Universe.Lookup("string").Type()))
	args := make([]types.Type, sig.TypeParams().Len())
	if !fill(sig, args, 0, candidates) {
		t.Fatalf("%s: no type arguments fulfil %s", b.pkg.ID, sig)
	}
	return args
}

func typeOf(o *types.TypeName, ok bool) types.Type {
	if !ok {
		return nil
	}
	return o.Type()
}

func fill(sig *types.Signature, args []types.Type, from int, candidates []types.Type) bool {
	if from == len(args) {
		if from == 0 {
			return true
		}
		_, err := types.Instantiate(nil, sig, args, true)
		return err == nil
	}
	for _, c := range candidates {
		args[from] = c
		if fill(sig, args, from+1, candidates) {
			return true
		}
	}
	return false
}

// keyedIn reports whether the method in file f calls idem.Do.
func keyedIn(f *ast.File, m *types.Func) (keyed bool) {
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Recv == nil || fn.Name.Pos() != m.Origin().Pos() {
			continue
		}
		ast.Inspect(fn, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok && sel.Sel.Name == "Do" {
				_, direct := sel.X.(*ast.Ident)
				keyed = keyed || direct
			}
			return true
		})
	}
	return keyed
}

// claimable reports whether the context of a method can be one that carries the claim: its type is an interface, and not a type parameter.
func claimable(sig *types.Signature) bool {
	for p := range sig.Params().Variables() {
		if _, generic := types.Unalias(p.Type()).(*types.TypeParam); generic || !types.IsInterface(p.Type()) {
			continue
		}
		if done, _, _ := types.LookupFieldOrMethod(p.Type(), false, nil, "Done"); done != nil {
			return true
		}
	}
	return false
}

// excepted are the indexes of parameters that make no other request, and no other key.
func (b *replayBuilder) excepted(m *types.Func) string {
	var indexes []string
	names, _ := strings.CutPrefix(b.said(m.Name(), "fingerprint"), "except ")
	for name := range strings.SplitSeq(names, ",") {
		name = strings.TrimSpace(name)
		for i := range m.Signature().Params().Len() {
			if m.Signature().Params().At(i).Name() == name && !strings.Contains(b.said(m.Name(), "key"), name) {
				indexes = append(indexes, strconv.Itoa(i))
			}
		}
	}
	return strings.Join(indexes, ", ")
}

// said is the argument of the annotation that the only method of that name in the package has.
func (b *replayBuilder) said(name, word string) (arg string) {
	methods := 0
	for _, f := range b.pkg.Syntax {
		ast.Inspect(f, func(n ast.Node) bool {
			field, ok := n.(*ast.Field)
			if ok && field.Doc != nil && len(field.Names) == 1 && field.Names[0].Name == name {
				methods++
				for _, c := range field.Doc.List {
					if said, ok := strings.CutPrefix(c.Text, "//idem:"+word+" "); ok {
						arg = said
					}
				}
			}
			return true
		})
	}
	if methods != 1 {
		return ""
	}
	return arg
}

// annotated reports whether a method of that name has the annotation, anywhere in the package.
func (b *replayBuilder) annotated(name, word string) (found bool) {
	for _, f := range b.pkg.Syntax {
		for _, group := range f.Comments {
			for _, c := range group.List {
				found = found || strings.HasPrefix(c.Text, "//idem:on "+name+" "+word)
			}
		}
		ast.Inspect(f, func(n ast.Node) bool {
			field, ok := n.(*ast.Field)
			if ok && field.Doc != nil && len(field.Names) == 1 && field.Names[0].Name == name {
				for _, c := range field.Doc.List {
					found = found || strings.HasPrefix(c.Text, "//idem:"+word)
				}
			}
			return true
		})
	}
	return found
}
