package generator

import (
	"cmp"
	"context"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// This file turns the folders that scan found into type-checked syntax: one load for all of them (loader.go), and a second one
// where annotations turn out to stand in packages that nobody asked for.

// program is everything that was loaded.
type program struct {
	fset    *token.FileSet
	sources []*source       // by folder; a package before its test variants
	written map[string]bool // the files that people wrote
	byTypes map[*types.Package]*source
	files   map[string]*sourceFile // by path
	methods map[spot]*methodDecl   // where they are declared
	decls   map[spot]*typeDecl
	report  *report
	inputs  []string // files and folders that were read besides those of the scan; nil: that is not known
}

// source is one package, or its variant with test files, or its external tests.
type source struct {
	*packages.Package
	asked bool          // named by the patterns; else it only declares what those embed
	own   []*sourceFile // files whose interfaces are wrapped on behalf of this variant, by name
	files []*sourceFile // all
}

// sourceFile is one file as people wrote it. Of a file with import "C" tree and text are cgo's.
type sourceFile struct {
	path  string
	text  []byte
	tree  *ast.File
	cgo   bool        // it has import "C"
	decls []*typeDecl // the interfaces in it; see attach.go
	flaws []flaw      // what is wrong with its annotations
}

// load loads the folders with annotations, and as much as they need of others. It says what keeps a package from being read.
func load(ctx context.Context, o Options, f *found, rep *report) (*program, error) {
	l := loaderFor(o)
	q := request{options: o, dir: rep.dir, found: f, folders: f.folders}
	if f.out != "" && len(sourcesIn(f)) > 0 {
		q.folders = append(slices.Clip(q.folders), f.out)
	}
	p, err := loadProgram(ctx, l, q, rep)
	if err != nil {
		return nil, err
	}
	// An annotated interface of another package that was not asked for has come without its comments: once more, with them.
	if q.more = p.annotatedElsewhere(); len(q.more) > 0 {
		if p, err = loadProgram(ctx, l, q, rep); err != nil {
			return nil, err
		}
	}
	p.triage(f)
	return p, nil
}

// sourcesIn lists the files of the output package that idemgen did not write.
func sourcesIn(f *found) []string {
	names, _ := goFiles(f.out)
	return slices.DeleteFunc(names, func(name string) bool { return slices.Contains(f.outputs, filepath.Join(f.out, name)) })
}

// loadProgram loads, and sorts what came.
func loadProgram(ctx context.Context, l loader, q request, rep *report) (*program, error) {
	loaded, err := l.load(ctx, q)
	if err != nil {
		return nil, err
	}
	p := &program{
		fset: loaded.fset, written: map[string]bool{}, byTypes: map[*types.Package]*source{},
		files: map[string]*sourceFile{}, report: rep, inputs: loaded.inputs,
	}
	for _, l := range loaded.packages {
		if l.Name == "main" && strings.HasSuffix(l.ID, ".test") && l.PkgPath == l.ID {
			continue // the test binary's main package
		}
		if noModules(l.PkgPath) {
			return nil, errNoModules
		}
		s := &source{Package: l, asked: q.found.asksFor(l.Dir)}
		if m := l.Module; s.asked && m != nil && !m.Main { // nothing of ours to write there
			s.asked = false
			rep.notef("%s is in module %s, and not in the one that is worked on: it is left alone", l.PkgPath, m.Path)
		}
		p.sources = append(p.sources, s)
		if l.Types != nil {
			p.byTypes[l.Types] = s
		}
		for _, name := range l.GoFiles {
			p.written[name] = true
		}
	}
	slices.SortFunc(p.sources, func(a, b *source) int {
		return cmp.Or(cmp.Compare(a.Dir, b.Dir), cmp.Compare(a.ForTest, b.ForTest), cmp.Compare(a.PkgPath, b.PkgPath))
	})
	p.fill(loaded.texts)
	return p, nil
}

// importsC tells whether a file asks for cgo itself. Where cgo could not run, the file is there as it was written.
func importsC(tree *ast.File) bool {
	return slices.ContainsFunc(tree.Imports, func(spec *ast.ImportSpec) bool { return importPath(spec) == "C" })
}

// fill gives each source its files. Variants share the syntax trees of the files they have in common.
func (p *program) fill(texts map[string][]byte) {
	fresh := make([][]*sourceFile, len(p.sources)) // of each source, those that no source before it has
	for i, s := range p.sources {
		for _, tree := range s.Syntax {
			path := p.position(tree.Package).Filename
			if filepath.Dir(path) != s.Dir {
				continue // made by cgo
			}
			f := p.files[path]
			if f == nil {
				name := p.fset.File(tree.FileStart).Name()
				f = &sourceFile{path: path, text: texts[name], tree: tree, cgo: !p.written[name] || importsC(tree)}
				p.files[path] = f
				fresh[i] = append(fresh[i], f)
			}
			s.files = append(s.files, f)
		}
		slices.SortFunc(s.files, func(a, b *sourceFile) int { return cmp.Compare(a.path, b.path) })
		for _, f := range s.files {
			if s.ForTest == "" || strings.HasSuffix(f.path, "_test.go") {
				s.own = append(s.own, f)
			}
		}
	}
	subjects := make([][]map[line]string, len(fresh))
	_ = abreast(len(fresh), func(i int) error {
		for _, f := range fresh[i] {
			subjects[i] = append(subjects[i], attach(p, p.sources[i], f))
		}
		return nil
	})
	for _, list := range subjects {
		for _, lines := range list {
			maps.Copy(p.report.on, lines)
		}
	}
	p.index()
}

// position is where people find pos: line directives count only in files that people did not write.
func (p *program) position(pos token.Pos) token.Position {
	f := p.fset.File(pos)
	return p.fset.PositionFor(pos, f == nil || !p.written[f.Name()])
}

// asksFor tells whether the patterns name a folder.
func (f *found) asksFor(dir string) bool {
	_, ok := f.spelling(dir)
	return ok
}

// spelling is the folder dir as the patterns led to it, which the go command may spell differently. Most are spelled alike, so that the file
// system need not be asked.
func (f *found) spelling(dir string) (string, bool) {
	if _, ok := slices.BinarySearch(f.folders, dir); ok {
		return dir, true
	}
	i := slices.IndexFunc(f.folders, func(d string) bool { return sameFolder(d, dir) })
	if i < 0 {
		return dir, false
	}
	return f.folders[i], true
}

// sameFolder compares folders by name, and only then by what they are.
func sameFolder(a, b string) bool {
	if a == b {
		return true
	}
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// external tells whether the package is the external tests of another.
func (s *source) external() bool { return s.ForTest != "" && s.ForTest != s.PkgPath }

// scopeOf is the scope of the file that tree is in, within this variant.
func (s *source) scopeOf(tree *ast.File) *types.Scope {
	for scope := range s.Types.Scope().Children() {
		if scope.Contains(tree.Package) {
			return scope
		}
	}
	return s.Types.Scope()
}

// declaration is the syntax of what is declared at package level with its name at pos; nil: it is not in this package.
func (s *source) declaration(pos token.Pos) (decl ast.Node) {
	for _, f := range s.files {
		if pos < f.tree.FileStart || pos >= f.tree.FileEnd {
			continue
		}
		ast.Inspect(f.tree, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.TypeSpec:
				if n.Name.Pos() == pos {
					decl = n
				}
			case *ast.FuncDecl:
				if n.Name.Pos() == pos {
					decl = n.Type
				}
				return false
			case *ast.ValueSpec:
				if n.Pos() <= pos && pos < n.End() {
					decl = n
				}
			}
			return decl == nil
		})
	}
	return decl
}
