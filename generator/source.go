package generator

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
)

// This file reads other modules' packages from source, for when nothing is compiled yet: then export data would first have to be made, which
// takes minutes where this takes seconds. Of each package the declarations are read that count, and so of its imports only some.

// closureFormat prints a line for each package that is needed, or that one of them needs.
const closureFormat = "{{.ImportPath}}\t{{.Name}}\t{{.Dir}}\t{{with .Error}}error{{end}}\t{{join .GoFiles \"/\"}}\t{{join .CgoFiles \"/\"}}\t" +
	"{{range $from, $to := .ImportMap}}{{$from}}={{$to}} {{end}}\t{{with .Module}}{{.GoVersion}}{{end}}\t{{.Standard}}" + contextFormat

// sourced is a package as closureFormat prints it.
type sourced struct {
	name, dir, goVersion string
	files                []string
	imports              map[string]string // import paths that mean another package, as those of vendored ones
	failed, doubtful     bool
}

// askSources lists where the packages are, and all that they import.
func (l *listing) askSources(ctx context.Context, q request, paths []string) error {
	l.sources = map[string]sourced{}
	args := append([]string{"list", "-e", "-deps", "-buildvcs=false", "-pgo=off", "-f", closureFormat}, buildFlags(q.options)...)
	return l.run(ctx, q, append(append(args, "--"), paths...), 9, func(f []string) error {
		s := sourced{name: f[1], dir: f[2], goVersion: f[7], imports: map[string]string{}}
		split := func(r rune) bool { return r == '/' }
		cgo := strings.FieldsFunc(f[5], split)
		s.files = append(strings.FieldsFunc(f[4], split), cgo...)
		for _, pair := range strings.Fields(f[6]) {
			from, to, _ := strings.Cut(pair, "=")
			s.imports[from] = to
		}
		s.failed = f[3] != ""
		s.doubtful = len(cgo) > 0 && f[8] != "true" // a type of C may be in what counts; in the standard library none is
		l.sources[f[0]] = s
		return nil
	})
}

// readSources makes units of the lacking packages and of what they import, as far as their declarations need it.
func (r *leanRun) readSources() error {
	for path, s := range r.listing.sources {
		r.names[path] = s.name
	}
	var front []string
	for path := range r.lacking {
		front = append(front, path)
	}
	front = append(front, "context", "time")
	for len(front) > 0 {
		units, err := r.readUnits(front)
		if err != nil {
			return err
		}
		front = nil
		for _, u := range units {
			for _, path := range u.needs {
				if r.sources[path] == nil && path != "unsafe" && path != "C" {
					r.sources[path] = &unit{} // somebody reads it
					front = append(front, path)
				}
			}
		}
	}
	return nil
}

// readUnits reads several packages at once.
func (r *leanRun) readUnits(paths []string) ([]*unit, error) {
	units := make([]*unit, len(paths))
	err := abreast(len(paths), func(i int) (err error) {
		units[i], err = r.readSource(paths[i])
		return err
	})
	if err != nil {
		return nil, err
	}
	for i, path := range paths {
		r.sources[path] = units[i]
	}
	return units, nil
}

// readSource reads one package, without what is inside its functions, and finds what it needs.
func (r *leanRun) readSource(path string) (*unit, error) {
	s, known := r.listing.sources[path]
	if !known || s.failed || s.doubtful || s.name == "main" {
		return nil, unsure{path, "it can't be read from source"}
	}
	u := &unit{path: path, dir: s.dir, name: s.name, imports: s.imports, distant: true, module: workModule{goVersion: s.goVersion}}
	for _, name := range s.files {
		file := filepath.Join(s.dir, name)
		tree, err := parser.ParseFile(r.fset, file, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, unsure{file, err.Error()}
		}
		strip(tree)
		f := &unitFile{path: file, tree: tree}
		f.uses = usesOf(f)
		u.files = append(u.files, f)
	}
	declares := u.declares()
	for _, f := range u.files {
		for _, i := range r.known(f, declares) {
			if to, mapped := s.imports[i]; mapped {
				i = to
			}
			u.needs = append(u.needs, i)
		}
	}
	return u, nil
}

// known are the imports that a file needs, where the names of all packages are known.
func (r *leanRun) known(f *unitFile, declares map[string]bool) (needed []string) {
	n := &namer{workspace: &workspace{}, names: r.names}
	for _, i := range n.imports(f, declares, false) {
		if i.needed {
			needed = append(needed, i.path)
		}
	}
	return needed
}

// strip leaves the declarations. The value of a variable does not matter where its type is written.
func strip(tree *ast.File) {
	for _, d := range tree.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Body != nil {
				d.Body = &ast.BlockStmt{Lbrace: d.Body.Lbrace, Rbrace: d.Body.Rbrace} // without any, it would be a mistake
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				if v, ok := spec.(*ast.ValueSpec); ok && d.Tok == token.VAR && v.Type != nil {
					v.Values = nil
				}
			}
		}
	}
}
