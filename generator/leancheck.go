package generator

import (
	"errors"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/go/gcexportdata"
)

// This file type-checks the units of lean.go, from the packages that import nothing of them upwards.

type leanChecker struct {
	*leanRun
	imported map[string]importedPackage // from export data
	packages map[string]*types.Package  // all packages that export data speaks of

	one sync.Mutex // for all of these, and what packages are called, where units are checked side by side
}

type importedPackage struct {
	*types.Package
	err error
}

// independent is an error when a compiled package depends on one that is checked from source: their types would be different.
func (c *leanChecker) independent() error {
	c.packages = map[string]*types.Package{}
	if c.lean.source {
		return nil
	}
	for path := range c.lacking {
		for _, dep := range c.listing.packages[path].deps {
			if c.sources[dep] != nil {
				return unsure{path, "it depends on " + dep}
			}
		}
	}
	return nil
}

// unit checks one.
func (c *leanChecker) unit(u *unit) error {
	if u.pkg != nil {
		return nil
	}
	if u.busy {
		return unsure{u.dir, "import cycle"}
	}
	u.busy = true
	defer func() { u.busy = false }()
	u.pkg = types.NewPackage(u.path, u.name)
	u.info = &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Implicits: map[ast.Node]types.Object{}, Instances: map[*ast.Ident]types.Instance{}, Scopes: map[ast.Node]*types.Scope{},
		Selections: map[*ast.SelectorExpr]*types.Selection{}, FileVersions: map[*ast.File]string{},
	}
	if u.known {
		c.one.Lock()
		defer c.one.Unlock()
		c.names(u)
		return nil
	}
	if !u.asked {
		u.info = nil
	}
	var trees []*ast.File
	selected := map[string]bool{}
	for _, f := range u.files {
		trees = append(trees, f.tree)
		maps.Copy(selected, f.uses.selected)
	}
	placeholders := map[string]*types.Package{}
	var failed error
	config := types.Config{
		Importer:         unitImporter{c, u, placeholders},
		IgnoreFuncBodies: true,
		FakeImportC:      u.distant,
		Sizes:            types.SizesFor("gc", c.listing.context.GOARCH),
		Error: func(err error) {
			var wrong types.Error
			if !errors.As(err, &wrong) || !harmless(wrong, selected) {
				failed = unsure{u.dir, err.Error()}
				return
			}
			u.wrong = append(u.wrong, wrong)
		},
	}
	if v := u.module.goVersion; v != "" {
		config.GoVersion = "go" + v
	}
	err := types.NewChecker(&config, c.fset, u.pkg, u.info).Files(trees)
	if err != nil && len(u.wrong) == 0 && failed == nil {
		failed = unsure{u.dir, err.Error()} // a go line that is too new
	}
	c.withoutPlaceholders(u.pkg, placeholders)
	return failed
}

// harmless tells of an error that the other loader finds as well: a name that is nowhere, mostly because it is generated. All others may
// come of what was left out.
func harmless(e types.Error, selected map[string]bool) bool {
	name, ok := strings.CutPrefix(e.Msg, "undefined: ")
	return ok && token.IsIdentifier(name) && !selected[name]
}

// withoutPlaceholders takes packages that were never loaded out of pkg's imports.
func (c *leanChecker) withoutPlaceholders(pkg *types.Package, placeholders map[string]*types.Package) {
	var list []*types.Package
	for _, p := range pkg.Imports() {
		if placeholders[p.Path()] != p {
			list = append(list, p)
		}
	}
	pkg.SetImports(list)
}

// names declares what u's files declare, and the names they import by, without any types.
func (c *leanChecker) names(u *unit) {
	scope := u.pkg.Scope()
	for _, f := range u.files {
		for _, id := range f.uses.declared {
			scope.Insert(types.NewTypeName(id.Pos(), u.pkg, id.Name, types.Typ[types.Invalid]))
		}
		file := types.NewScope(scope, f.tree.FileStart, f.tree.FileEnd, f.path)
		for _, i := range c.imports(f, nil, false) {
			if i.name != "." && i.name != "_" {
				file.Insert(types.NewPkgName(f.tree.Package, u.pkg, i.name, types.NewPackage(i.path, i.name)))
			}
		}
	}
}

// unitImporter finds the packages that one unit imports.
type unitImporter struct {
	c            *leanChecker
	u            *unit
	placeholders map[string]*types.Package
}

// Import is for the type checker. A package that is not needed is represented by an empty one.
func (i unitImporter) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if to, mapped := i.u.imports[path]; mapped {
		path = to
	}
	if s := i.c.source(i.u, path); s != nil {
		err := i.c.unit(s)
		return s.pkg, err
	}
	i.c.one.Lock()
	defer i.c.one.Unlock()
	if p := i.c.imported[path]; p.Package != nil || p.err != nil {
		return p.Package, p.err
	}
	if e, known := i.c.listing.packages[path]; known && !i.c.lean.source {
		p, err := i.c.read(path, e.file)
		i.c.imported[path] = importedPackage{p, err}
		return p, err
	}
	name, _ := i.c.name(path)
	p := types.NewPackage(path, name)
	p.MarkComplete()
	i.placeholders[path] = p
	return p, nil
}

// source is the unit that u gets when it imports path; external tests get the variant of what they test.
func (c *leanChecker) source(u *unit, path string) *unit {
	if u.forTest == path && u.path != path {
		for _, variant := range c.units {
			if variant.path == path && variant.forTest == path {
				return variant
			}
		}
	}
	return c.sources[path]
}

// apart is an error when a test's imports lead to the package that it tests, in the variant without tests: the go command would build them
// again, with the tests.
func (c *leanChecker) apart(u *unit) error {
	plain := c.sources[u.forTest]
	if u.forTest == "" || plain == nil || plain.pkg == nil || c.source(u, u.forTest) == plain && u.path != u.forTest {
		return nil
	}
	seen := map[*types.Package]bool{}
	var reaches func(p *types.Package) bool
	reaches = func(p *types.Package) bool {
		if seen[p] {
			return false
		}
		seen[p] = true
		return p == plain.pkg || slices.ContainsFunc(p.Imports(), reaches)
	}
	if reaches(u.pkg) {
		return unsure{u.dir, "its tests import what imports it"}
	}
	return nil
}

// read reads export data.
func (c *leanChecker) read(path, file string) (*types.Package, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	//lint:ignore SA1019 export data comes in archives until Go 1.29, and this reads both forms
	r, err := gcexportdata.NewReader(f)
	if err != nil {
		return nil, err
	}
	return gcexportdata.Read(r, c.fset, c.packages, path)
}
