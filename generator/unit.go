package generator

import (
	"bytes"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// This file reads a folder for lean.go: which files are built, by the rules of go/build, and what package they make. A folder where the go
// command would complain makes it unsure.

// unit is one package, or its variant with test files, or its external tests: what is type-checked at once.
type unit struct {
	module  workModule
	path    string // import path; of external tests with _test at its end
	dir     string
	name    string
	forTest string // the import path of what it tests
	files   []*unitFile
	ignored []string
	known   bool // only the names it declares are needed, not their types

	asked   bool              // what is loaded, and not only imported
	distant bool              // of a module that is not worked on, or of the standard library: source.go
	imports map[string]string // of a distant one: import paths that mean another package
	needs   []string          // of a distant one: the packages that it needs

	pkg   *types.Package
	info  *types.Info
	wrong []types.Error
	busy  bool // it is being checked
}

// unitFile is a file of a unit; units share it.
type unitFile struct {
	path string
	text []byte
	tree *ast.File
	uses *uses
}

// folder is what lies in one folder.
type folder struct {
	files, tests, external []*unitFile
	name                   string
	ignored                []string
}

// folderReader reads folders.
type folderReader struct {
	fset  *token.FileSet
	build *build.Context
	found *found
}

// read reads the folder dir. Only what is asked for needs test files and comments.
func (r *folderReader) read(dir string, asked bool) (*folder, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, unsure{dir, err.Error()}
	}
	f := &folder{}
	for _, e := range entries {
		name := e.Name()
		switch path := filepath.Join(dir, name); {
		case name[0] == '_' || name[0] == '.' || e.IsDir():
		case strings.HasSuffix(name, ".swig") || strings.HasSuffix(name, ".swigcxx"):
			return nil, unsure{path, "a file for SWIG"}
		case !strings.HasSuffix(name, ".go") || !asked && strings.HasSuffix(name, "_test.go"):
		case !e.Type().IsRegular():
			return nil, unsure{path, "no regular file"}
		case slices.Contains(r.found.outputs, path):
			f.ignored = append(f.ignored, path)
		default:
			if err := r.file(f, dir, name, asked); err != nil {
				return nil, err
			}
		}
	}
	return f, nil
}

// file puts one file where it belongs.
func (r *folderReader) file(f *folder, dir, name string, asked bool) error {
	path := filepath.Join(dir, name)
	text, known := r.found.texts[path]
	if !known {
		var err error
		if text, err = os.ReadFile(path); err != nil {
			return unsure{path, err.Error()}
		}
	}
	if built, err := r.built(dir, name, text); err != nil {
		return unsure{path, err.Error()}
	} else if !built {
		f.ignored = append(f.ignored, path)
		return nil
	}
	mode := parser.SkipObjectResolution
	if asked {
		mode |= parser.ParseComments
	}
	tree, err := parser.ParseFile(r.fset, path, text, mode)
	if err != nil {
		return unsure{path, err.Error()}
	}
	u := &unitFile{path: path, text: text, tree: tree}
	of := tree.Name.Name
	switch plain, isExternal := strings.CutSuffix(of, "_test"); {
	case importsC(tree) || of == "documentation":
		return unsure{path, "cgo, or documentation"}
	case !strings.HasSuffix(name, "_test.go"):
		f.files = append(f.files, u)
	case isExternal:
		f.external, of = append(f.external, u), plain
	default:
		f.tests = append(f.tests, u)
	}
	if f.name != "" && f.name != of {
		return unsure{path, "two packages in one folder"}
	}
	f.name = of
	return nil
}

// built tells whether the build constraints let a file in.
func (r *folderReader) built(dir, name string, text []byte) (bool, error) {
	stem := strings.TrimSuffix(strings.TrimSuffix(name, ".go"), "_test")
	if !strings.Contains(stem, "_") && !bytes.Contains(text, []byte("//go:build")) && !bytes.Contains(text, []byte("+build")) {
		return true, nil
	}
	c := *r.build
	c.OpenFile = func(string) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil }
	return c.MatchFile(dir, name)
}

// units are the packages of a folder that was asked for. Tests without annotations only matter for the names they declare, unless they
// import others by a dot.
func (f *folder) units(m workModule, importPath, dir string, annotated func(*unitFile) bool) (list []*unit) {
	base := unit{module: m, path: importPath, dir: dir, name: f.name, ignored: f.ignored, asked: true}
	if len(f.files) > 0 {
		u := base
		u.files = f.files
		list = append(list, &u)
	}
	if len(f.tests) > 0 {
		u := base
		u.forTest, u.files = importPath, append(slices.Clip(f.files), f.tests...)
		u.known = !slices.ContainsFunc(f.tests, annotated) && !slices.ContainsFunc(f.external, annotated) && !slices.ContainsFunc(f.tests, importsDot)
		list = append(list, &u)
	}
	if slices.ContainsFunc(f.external, annotated) {
		u := base
		u.path, u.name, u.forTest, u.files = importPath+"_test", f.name+"_test", importPath, f.external
		list = append(list, &u)
	}
	return list
}

// importsDot tells whether a file takes in all names of a package.
func importsDot(f *unitFile) bool {
	return slices.ContainsFunc(f.tree.Imports, func(spec *ast.ImportSpec) bool { return spec.Name != nil && spec.Name.Name == "." })
}

// id names a unit as the go command does.
func (u *unit) id() string {
	if u.forTest == "" {
		return u.path
	}
	return u.path + " [" + u.forTest + ".test]"
}
