package generator

import (
	"context"
	"fmt"
	"go/token"
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/tools/go/packages"
)

// This file is about -out: the package that the wrappers are asked for, and why it may not be possible.

// destination is a package other than the interfaces' own that the wrappers go to.
type destination struct {
	dir, name, path string
	taken           map[string]token.Position
	imported        map[string]bool
	own             map[string]token.Position // outputs of the package's own interfaces: their names, and a //idem:wrap behind each
	exists          bool
}

// destinationOf is the package in the folder that the options name; it may not exist yet.
func (p *program) destinationOf(dir string) (*destination, error) {
	d := &destination{dir: dir, taken: map[string]token.Position{}, imported: map[string]bool{}, own: map[string]token.Position{}}
	for _, s := range p.sources {
		if !sameFolder(s.Dir, dir) || s.Types == nil || s.external() {
			continue
		}
		d.name, d.path, d.exists = s.Name, s.PkgPath, true
		for _, f := range s.own {
			for _, decl := range f.decls {
				if n, ok := note(decl.notes, "wrap"); ok {
					name, _, _ := outputName(s, f)
					d.own[name] = n.Pos
				}
			}
		}
		p.namesIn(s, d.taken, d.imported)
	}
	if d.exists {
		return d, nil
	}
	root, text := nearestModule(dir)
	module := modfile.ModulePath(text)
	if module == "" {
		return nil, fmt.Errorf("%s is in no module; run go mod init in it, or name another folder", dir)
	}
	rel, err := filepath.Rel(root, dir)
	if err != nil {
		return nil, err
	}
	d.path = path.Join(module, filepath.ToSlash(rel))
	d.name = path.Base(d.path)
	if !token.IsIdentifier(d.name) {
		return nil, fmt.Errorf("%s holds no package yet, and %s is no package name; write a file with a package clause first", dir, d.name)
	}
	return d, nil
}

// refuse says why wrappers of s's interfaces can't go to the destination.
func (r *reader) refuse(s *source, f *sourceFile) string {
	if r.out == nil || r.out.path == s.PkgPath {
		return ""
	}
	for _, m := range r.made {
		if m.source.PkgPath != s.PkgPath {
			return fmt.Sprintf("-out takes the interfaces of one package, and there are some in %s as well", m.source.PkgPath)
		}
	}
	name, _, _ := outputName(s, f)
	own, taken := r.out.own[name]
	switch {
	case taken:
		return fmt.Sprintf("package %s has an interface of its own at %s, whose wrapper goes into the same %s; name another folder with -out",
			r.out.path, r.report.place(own), name)
	case strings.HasSuffix(f.path, "_test.go"):
		return "an interface in a test file can't be wrapped in another package"
	case s.Name == "main":
		return "the package is a command, so the output package can't import it"
	case !importable(s.PkgPath, r.out.path):
		return fmt.Sprintf("the package is internal, so %s can't import it", r.out.path)
	default:
		return ""
	}
}

// importCycles reports the imports by which a source depends on the destination.
func (r *reader) importCycles(ctx context.Context, o Options, f *found) error {
	if r.out == nil || !r.out.exists {
		return nil
	}
	var patterns []string
	for _, folder := range f.folders {
		patterns = append(patterns, folderPattern(r.report.dir, folder))
	}
	loaded, err := packages.Load(&packages.Config{
		Context: ctx, Dir: r.report.dir, Mode: packages.NeedName | packages.NeedImports | packages.NeedDeps,
		Tests: true, BuildFlags: buildFlags(o), Overlay: leaveOut(f.outputs),
	}, patterns...)
	if err != nil {
		return err
	}
	imports := map[string]*packages.Package{}
	packages.Visit(loaded, func(p *packages.Package) bool { imports[p.PkgPath] = p; return true }, nil)
	for _, s := range r.sources {
		if !s.asked || s.PkgPath == r.out.path || s.external() {
			continue
		}
		for _, file := range s.own {
			for _, spec := range file.tree.Imports {
				if reaches(imports[importPath(spec)], r.out.path, map[*packages.Package]bool{}) {
					r.report.errorf(s.Dir, r.position(spec.Pos()), codeImportCycle, "output package %s is imported by %s, so importing that would be a cycle; write the wrappers into another package", r.out.path, s.PkgPath)
				}
			}
		}
	}
	return nil
}

func reaches(p *packages.Package, path string, seen map[*packages.Package]bool) bool {
	if p == nil || seen[p] {
		return false
	}
	seen[p] = true
	if p.PkgPath == path {
		return true
	}
	for _, i := range p.Imports {
		if reaches(i, path, seen) {
			return true
		}
	}
	return false
}
