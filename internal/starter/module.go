package starter

import (
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/idemgen/idemgen/templates"
)

// This file reads the module and the folder that the example goes into.

const toolPath = "github.com/idemgen/idemgen/cmd/idemgen"

// module is the one that a folder belongs to.
type module struct {
	root    string
	path    string
	hasTool bool     // "go tool idemgen" works
	needs   []string // paths of the modules it requires
}

func moduleOf(folder string) (*module, error) {
	for dir := folder; ; dir = filepath.Dir(dir) {
		name := filepath.Join(dir, "go.mod")
		text, err := os.ReadFile(name)
		switch {
		case err == nil:
			return readModule(dir, name, text)
		case !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrInvalid) && !isNotFolder(err):
			return nil, err
		case dir == filepath.Dir(dir):
			return nil, errors.New("this is in no module; make one first: go mod init example.com/shop")
		}
	}
}

// isNotFolder tells that a part of the path is a file.
func isNotFolder(err error) bool { return strings.Contains(err.Error(), "not a directory") }

func readModule(dir, name string, text []byte) (*module, error) {
	f, err := modfile.Parse(name, text, nil)
	if err != nil {
		return nil, fmt.Errorf("%w; mend it first", err)
	}
	if f.Module == nil {
		return nil, fmt.Errorf("%s names no module; write its module line first", name)
	}
	m := &module{root: dir, path: f.Module.Mod.Path}
	for _, t := range f.Tool {
		m.hasTool = m.hasTool || t.Path == toolPath
	}
	for _, r := range f.Require {
		m.needs = append(m.needs, r.Mod.Path)
	}
	return m, nil
}

// example plans the annotated example.
func (p *Plan) example(m *module, dir, folder string) error {
	in, err := readFolder(m, folder)
	switch {
	case err != nil:
		return err
	case in.annotated != "":
		p.Notes = append(p.Notes, relative(dir, in.annotated)+" has annotations already, so no example is written")
		return nil
	}
	for _, name := range exampleNames {
		if in.declared[name] {
			return fmt.Errorf("package %s already declares %s, as the example does; give the example a folder of its own: idemgen init ./idemexample", in.name, name)
		}
	}
	source, test := templates.Starter{Package: in.name, Generate: !in.generates}.Example()
	base := "payments"
	if !in.empty {
		base = "idem_example"
	}
	p.Files = append(
		p.Files,
		File{abs: filepath.Join(folder, base+".go"), Text: source},
		File{abs: filepath.Join(folder, base+"_test.go"), Text: test},
	)
	return nil
}

// exampleNames are what the example, its test and its wrapper declare.
var exampleNames = []string{
	"Payments", "ChargeRequest", "Receipt", "IdempotentPayments", "NewIdempotentPayments", "countedPayments", "TestARetryIsNotChargedAgain",
}

// folder is what is where the example goes.
type folder struct {
	name      string // of the package
	empty     bool   // there is no Go file
	declared  map[string]bool
	annotated string // a file with annotations
	generates bool   // there is a go:generate line for idemgen
}

var generateLine = regexp.MustCompile(`(?m)^//go:generate .*\bidemgen\b`)

func readFolder(m *module, dir string) (*folder, error) {
	f := &folder{declared: map[string]bool{}}
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return nil, fmt.Errorf("%s is a file; name a folder", dir)
	}
	files, err := filepath.Glob(filepath.Join(escapeGlob(dir), "*.go"))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		f.empty, f.name = true, packageName(m, dir)
		return f, nil
	}
	for _, name := range files {
		if err := f.read(name); err != nil {
			return nil, err
		}
	}
	p, err := build.ImportDir(dir, 0)
	if err != nil && p.Name == "" {
		var none *build.NoGoError
		if errors.As(err, &none) {
			return nil, fmt.Errorf("no Go file in %s is built here; give the example a folder of its own: idemgen init ./idemexample", dir)
		}
		return nil, fmt.Errorf("%w; mend that first", err)
	}
	var several *build.MultiplePackageError
	if errors.As(err, &several) {
		return nil, fmt.Errorf("%w; name the folder of one package", err)
	}
	f.name = p.Name
	return f, nil
}

// read notes what a Go file declares and says. One that does not parse is the compiler's to report.
func (f *folder) read(name string) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	if wrapLine.Match(text) {
		f.annotated = name
	}
	f.generates = f.generates || generateLine.Match(text)
	tree, _ := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
	if tree == nil {
		return nil
	}
	for _, d := range tree.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			f.declared[d.Name.Name] = f.declared[d.Name.Name] || d.Recv == nil
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				f.declares(spec)
			}
		}
	}
	return nil
}

func (f *folder) declares(spec ast.Spec) {
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		f.declared[spec.Name.Name] = true
	case *ast.ValueSpec:
		for _, n := range spec.Names {
			f.declared[n.Name] = true
		}
	}
}

var wrapLine = regexp.MustCompile(`(?m)^[ \t]*//idem:wrap\b`)

// escapeGlob makes a folder's name stand for itself.
func escapeGlob(dir string) string {
	return strings.NewReplacer(`[`, `[[]`, `*`, `[*]`, `?`, `[?]`).Replace(dir)
}

var versionSuffix = regexp.MustCompile(`^v\d+$`)

// packageName is what a new package in dir is called: as its folder, or as the module.
func packageName(m *module, dir string) string {
	base := filepath.Base(dir)
	if dir == m.root {
		if base = path.Base(m.path); versionSuffix.MatchString(base) {
			base = path.Base(path.Dir(m.path))
		}
	}
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, strings.ToLower(base))
	if name == "" || name[0] <= '9' || name == "main" || token.IsKeyword(name) {
		return "payments"
	}
	return name
}
