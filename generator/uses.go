package generator

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// This file finds out which imports of a file its declarations and annotations use. What only function bodies use need not be loaded.
// An import whose name can't be told from its path is kept wherever it may be meant.

// uses is what a file names.
type uses struct {
	selected map[string]bool // names before a dot, outside of function bodies: packages among others
	params   map[string]bool // names of parameters, which go before packages in annotations
	declared []*ast.Ident    // at package level
	inside   bool            // an annotation stands in a function's body, of which nothing is known then
}

// usesOf looks through the declarations and annotations of a file.
func usesOf(f *unitFile) *uses {
	u := &uses{selected: map[string]bool{}, params: map[string]bool{}}
	var bodies []*ast.BlockStmt
	ast.Inspect(f.tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt:
			bodies = append(bodies, n)
			return false
		case *ast.FuncType:
			for _, field := range n.Params.List {
				for _, name := range field.Names {
					u.params[name.Name] = true
				}
			}
		case *ast.SelectorExpr:
			if id, ok := n.X.(*ast.Ident); ok {
				u.selected[id.Name] = true
			}
		}
		return true
	})
	for _, d := range f.tree.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil && d.Name.Name != "init" && d.Name.Name != "_" {
				u.declared = append(u.declared, d.Name)
			}
		case *ast.GenDecl:
			u.group(d)
		}
	}
	for _, group := range f.tree.Comments {
		for _, c := range group.List {
			u.comment(c, bodies)
		}
	}
	return u
}

var (
	beforeDot    = regexp.MustCompile(`([\pL_][\pL\d_]*)\s*\.`)
	noExpression = regexp.MustCompile(`^//idem:(op|lossy)\b`)
)

// comment notes what an annotation names.
func (u *uses) comment(c *ast.Comment, bodies []*ast.BlockStmt) {
	if !mentionsAnnotation([]byte(c.Text)) {
		return
	}
	if slices.ContainsFunc(bodies, func(b *ast.BlockStmt) bool { return b.Pos() <= c.Pos() && c.Pos() < b.End() }) {
		_, is := parseAnnotation(c.Text, token.Position{})
		_, _, meant := lookalike(c.Text, true)
		u.inside = u.inside || is || meant
	}
	if !noExpression.MatchString(c.Text) {
		for _, m := range beforeDot.FindAllStringSubmatch(c.Text, -1) {
			u.selected[m[1]] = true
		}
	}
}

func (u *uses) group(d *ast.GenDecl) {
	for _, spec := range d.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			u.declared = append(u.declared, spec.Name)
		case *ast.ValueSpec:
			u.declared = append(u.declared, spec.Names...)
		}
	}
	u.declared = slices.DeleteFunc(u.declared, func(id *ast.Ident) bool { return id.Name == "_" })
}

// imported is one import of a file, as far as it is known without loading it.
type imported struct {
	path   string
	name   string // by which the file knows it: certain, or guessed
	sure   bool   // the name is certain
	needed bool
}

// imports tells which imports of f are needed; declares holds what its package declares. With all, those whose name is a guess are.
func (n *namer) imports(f *unitFile, declares map[string]bool, all bool) (list []imported) {
	matched := map[string]bool{}
	for _, spec := range f.tree.Imports {
		i := imported{path: importPath(spec)}
		switch {
		case spec.Name != nil:
			i.name, i.sure = spec.Name.Name, true
			i.needed = i.name == "." || f.uses.selected[i.name]
		default:
			i.name, i.sure = n.name(i.path)
			i.needed = f.uses.selected[i.name] || all && !i.sure
			if !i.sure {
				i.needed = i.needed || slices.ContainsFunc(assumedNames(i.path), func(s string) bool { return f.uses.selected[s] })
			}
		}
		if i.needed {
			matched[i.name] = true
			if !i.sure {
				for _, s := range assumedNames(i.path) {
					matched[s] = true
				}
			}
		}
		list = append(list, i)
	}
	for name := range f.uses.selected {
		if !matched[name] && !declares[name] && !f.uses.params[name] { // one of those whose name is a guess may be called that
			for i := range list {
				list[i].needed = list[i].needed || !list[i].sure
			}
		}
	}
	return list
}

// namer knows what packages are called.
type namer struct {
	workspace *workspace
	names     map[string]string // by import path; empty: nobody knows
	looked    []string          // the folders that were looked into for them
}

// name is what the package of an import path is called. Of the standard library the path tells, and of the modules that are worked on
// their files.
func (n *namer) name(importPath string) (name string, sure bool) {
	if name, known := n.names[importPath]; known {
		return name, name != ""
	}
	if folder, ok := n.workspace.find(importPath); ok {
		n.looked = append(n.looked, folder)
		if name := packageName(folder); name != "" {
			n.names[importPath] = name
			return name, true
		}
	}
	first, _, _ := strings.Cut(importPath, "/")
	guess := guessedName(importPath)
	return guess, !strings.Contains(first, ".") && !slices.ContainsFunc(n.workspace.modules, func(m workModule) bool {
		return within(importPath, m.path)
	}) && !slices.ContainsFunc(n.workspace.others, func(m string) bool { return within(importPath, m) })
}

// guessedName is the first of the assumed names that can be a name.
func guessedName(importPath string) string {
	for _, name := range assumedNames(importPath) {
		if token.IsIdentifier(name) {
			return name
		}
	}
	return "?" + importPath // no identifier, so that it is in nobody's way
}

// packageName is what the files of a folder say; empty: they don't agree, or there are none.
func packageName(dir string) (name string) {
	names, _ := goFiles(dir)
	for _, file := range names {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		tree, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, file), nil, parser.PackageClauseOnly)
		switch {
		case err != nil || name != "" && name != tree.Name.Name:
			return ""
		default:
			name = tree.Name.Name
		}
	}
	return name
}
