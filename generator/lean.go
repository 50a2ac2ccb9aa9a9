package generator

import (
	"context"
	"errors"
	"go/build"
	"go/token"
	"slices"

	"golang.org/x/tools/go/packages"
)

// This file is the fast loader. It parses the annotated packages and type-checks their declarations without function bodies; so does it with
// what they use of the modules that are worked on, which therefore need not build. What they use of others comes as export data, for which
// the go command is asked once, or from source, too, where that would first have to be compiled (source.go). It says that it is unsure, and leaves all to the loader that asks the go command for everything, whenever
// it meets what it does not know to handle exactly: cgo, links, broken files, types that do not check, unusual settings.

type lean struct {
	listing listing // kept for the second load of a run
	source  bool    // nothing is compiled: take everything from source
}

// leanRun is one load.
type leanRun struct {
	*lean
	request
	*namer
	fset    *token.FileSet
	reader  *folderReader
	units   []*unit          // asked for
	sources map[string]*unit // those that others import, by import path
	lacking map[string]bool  // import paths that have to come as export data
	all     bool             // keep all imports whose name is a guess
}

func (l *lean) load(ctx context.Context, q request) (*loaded, error) {
	if l.listing.packages == nil {
		l.listing.packages = map[string]exported{}
	}
	w, err := readWorkspace(q.dir)
	if err != nil {
		return nil, err
	}
	built := guessContext(q, w.env)
	all := false
	for range 5 { // each time with what the one before has learned
		r := &leanRun{
			lean: l, request: q, namer: &namer{workspace: w, names: map[string]string{}}, fset: token.NewFileSet(),
			sources: map[string]*unit{}, lacking: map[string]bool{}, all: all,
		}
		r.reader = &folderReader{fset: r.fset, build: &built, found: q.found}
		if err := r.parse(); err != nil {
			return nil, err
		}
		switch err := r.learn(ctx); {
		case errors.As(err, new(notCompiled)):
			l.source = true
			continue
		case err != nil:
			return nil, err
		}
		if real := r.listing.context; !sameContext(built, real) {
			built = real
			continue
		}
		if !all && r.misnamed() {
			all = true
			continue
		}
		if l.source {
			if err := r.readSources(); err != nil {
				return nil, err
			}
		}
		return r.check()
	}
	return nil, unsure{why: "the build context changes from call to call"}
}

// learn asks the go command.
func (r *leanRun) learn(ctx context.Context) error {
	if r.source {
		return r.listing.askSources(ctx, r.request, r.needed())
	}
	ours, std := r.exportsNames(r.workspace)
	r.recallExports(std, ours)
	asked, err := r.listing.ask(ctx, r.request, r.needed())
	if asked && err == nil {
		r.keepExports(ours, std)
	}
	return err
}

// needed are the packages to ask for. These three are always there, so that there is something to ask, and types can be compared.
func (r *leanRun) needed() []string {
	paths := []string{"context", "time", "unsafe"}
	for path := range r.lacking {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// parse reads the folders, and follows their imports.
func (r *leanRun) parse() error {
	folders, modules, err := r.readFolders()
	if err != nil {
		return err
	}
	for i, f := range folders {
		for _, u := range f.units(modules[i].workModule, modules[i].path, modules[i].dir, r.annotated) {
			r.units = append(r.units, u)
			if u.forTest == "" {
				r.sources[u.path] = u
			}
		}
	}
	for _, u := range r.units {
		if err := r.follow(u); err != nil {
			return err
		}
	}
	return r.acyclic()
}

// packagePlace is where a package is.
type packagePlace struct {
	workModule
	path, dir string
}

// readFolders reads what is asked for, several at a time.
func (r *leanRun) readFolders() ([]*folder, []packagePlace, error) {
	dirs := slices.Clone(r.folders)
	for _, e := range r.more {
		if !slices.Contains(dirs, e.folder) {
			dirs = append(dirs, e.folder)
		}
	}
	folders, places := make([]*folder, len(dirs)), make([]packagePlace, len(dirs))
	err := abreast(len(dirs), func(i int) error {
		m, importPath, err := r.workspace.named(dirs[i])
		if err != nil {
			return err
		}
		places[i] = packagePlace{m, importPath, dirs[i]}
		folders[i], err = r.reader.read(dirs[i], true)
		return err
	})
	return folders, places, err
}

// annotated tells whether annotations may stand in a file.
func (r *leanRun) annotated(f *unitFile) bool { return slices.Contains(r.found.annotated, f.path) }

// follow finds what u imports: a package that is read from source, too, or one that has to come as export data.
func (r *leanRun) follow(u *unit) error {
	for _, f := range u.files {
		if f.uses == nil {
			f.uses = usesOf(f)
		}
	}
	if u.known {
		return nil
	}
	if u.asked && slices.ContainsFunc(u.files, func(f *unitFile) bool { return f.uses.inside }) {
		return unsure{u.dir, "an annotation inside a function"}
	}
	declares := u.declares()
	for _, f := range u.files {
		for _, i := range r.imports(f, declares, r.all) {
			if !i.needed {
				continue
			}
			if err := r.require(u, i.path); err != nil {
				return err
			}
		}
	}
	return nil
}

// require sees to it that a package can be imported.
func (r *leanRun) require(by *unit, importPath string) error {
	switch {
	case !build.IsLocalImport(importPath) && importable(importPath, by.path) && !slices.Contains(reservedPatterns, importPath):
	default:
		return unsure{by.dir, "it imports " + importPath}
	}
	if r.sources[importPath] != nil || r.lacking[importPath] {
		return nil
	}
	dir, ok := r.workspace.find(importPath)
	if !ok {
		r.lacking[importPath] = true
		return nil
	}
	m, _, err := r.workspace.named(dir)
	if err != nil {
		return err
	}
	f, err := r.reader.read(dir, false)
	if err != nil {
		return err
	}
	if f.name == "main" || len(f.files) == 0 {
		return unsure{dir, "nothing that can be imported"}
	}
	u := &unit{module: m, path: importPath, dir: dir, name: f.name, files: f.files}
	r.sources[importPath] = u
	return r.follow(u)
}

// reservedPatterns are names for many packages.
var reservedPatterns = []string{"all", "std", "cmd", "tool", "work"}

// declares holds the names that a unit declares.
func (u *unit) declares() map[string]bool {
	names := map[string]bool{}
	for _, f := range u.files {
		for _, id := range f.uses.declared {
			names[id.Name] = true
		}
	}
	return names
}

// misnamed tells whether a package is called otherwise than its path lets one think, where that was relied upon.
func (r *leanRun) misnamed() bool {
	for path := range r.lacking {
		real := r.listing.packages[path].name
		if r.source {
			real = r.listing.sources[path].name
		}
		if guess, sure := r.name(path); !sure && guess != real {
			return true
		}
	}
	return false
}

// check type-checks the units, and hands them over in the form of the other loader.
func (r *leanRun) check() (*loaded, error) {
	c := &leanChecker{leanRun: r, imported: map[string]importedPackage{}}
	if err := c.independent(); err != nil {
		return nil, err
	}
	if err := c.inWaves(); err != nil {
		return nil, err
	}
	l := &loaded{fset: r.fset, texts: map[string][]byte{}}
	for _, u := range r.units {
		if err := c.unit(u); err != nil {
			return nil, err
		}
		if !u.known { // here, where nothing else is being read or checked
			if err := c.apart(u); err != nil {
				return nil, err
			}
		}
		p := &packages.Package{
			ID: u.id(), PkgPath: u.path, Name: u.name, Dir: u.dir, ForTest: u.forTest, IgnoredFiles: u.ignored,
			Module: &packages.Module{Path: u.module.path, Main: true, Dir: u.module.root, GoVersion: u.module.goVersion},
			Types:  u.pkg, TypesInfo: u.info, TypeErrors: u.wrong,
		}
		for _, f := range u.files {
			p.GoFiles = append(p.GoFiles, f.path)
			p.Syntax = append(p.Syntax, f.tree)
			l.texts[f.path] = f.text
		}
		p.CompiledGoFiles = p.GoFiles
		l.packages = append(l.packages, p)
	}
	l.inputs = r.inputs()
	return l, nil
}
