package generator

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"
)

// This file decides which errors of a package matter. Syntax errors always do; all others only where an annotated interface
// needs the broken part. What is broken elsewhere is the compiler's to report, and mostly broken because there is no output yet.

// triage reports what keeps a package from being read at all, and takes it out of the run.
func (p *program) triage(f *found) {
	for _, s := range p.sources {
		if !s.asked {
			continue
		}
		bad := false
		for _, e := range s.Errors {
			switch at, ok := errorPlace(e.Pos); {
			case e.Kind == packages.ParseError && ok:
				p.report.errorf(s.Dir, at, codeBrokenSource, "%s; mend this first", e.Msg)
				bad = true
			case e.Kind == packages.TypeError && ok && strings.Contains(e.Msg, "; expected package "):
				p.report.errorf(s.Dir, at, codePackage, "one folder, two packages (%s); move one of them", e.Msg)
				bad = true
			}
		}
		if s.Types == nil || s.TypesInfo == nil || len(s.Syntax) == 0 {
			if !bad && len(s.Errors) > 0 && len(s.IgnoredFiles) == 0 {
				p.report.errorf(s.Dir, p.firstAnnotated(f, s), codePackage, "the package can't be loaded (%s); mend that first", firstLine(s.Errors[0].Msg))
			}
			bad = true
		}
		s.asked = !bad
	}
	for _, path := range f.annotated {
		if p.files[path] == nil && !p.report.failed[filepath.Dir(path)] {
			p.report.notef("%s was not looked at: its build constraints exclude it here", relative(p.report.dir, path))
		}
	}
}

// firstAnnotated is a place for what is true of the whole package.
func (p *program) firstAnnotated(f *found, s *source) token.Position {
	i := slices.IndexFunc(f.annotated, func(path string) bool { return sameFolder(filepath.Dir(path), s.Dir) })
	if i < 0 {
		return token.Position{Filename: s.Dir, Line: 1, Column: 1}
	}
	return token.Position{Filename: f.annotated[i], Line: 1, Column: 1}
}

var placed = regexp.MustCompile(`^(.+):(\d+):(\d+)$`)

// errorPlace reads file:line:col.
func errorPlace(s string) (token.Position, bool) {
	m := placed.FindStringSubmatch(s)
	if m == nil {
		return token.Position{}, false
	}
	line, _ := strconv.Atoi(m[2])
	col, _ := strconv.Atoi(m[3])
	return token.Position{Filename: m[1], Line: line, Column: col}, true
}

// firstLine leaves out what repeats the message for other places.
func firstLine(msg string) string {
	line, _, _ := strings.Cut(msg, "\n")
	return line
}

// doesNotCompile reports the errors in the declarations that an interface is made of.
func (r *reader) doesNotCompile(s *source, d *typeDecl, declared map[string][]occurrence) bool {
	before := len(r.report.found)
	r.errorsIn(s, s, d.spec)
	invalid := false
	for _, list := range declared {
		for _, o := range list {
			for _, l := range o.way {
				if other := r.decls[r.declaredAt(l.name)]; other != nil {
					r.errorsIn(s, r.byTypes[l.name.Pkg()], other.spec)
				}
			}
			if o.decl != nil && o.decl.decl.spec != nil {
				r.errorsIn(s, r.byTypes[o.fn.Pkg()], o.decl.decl.spec)
			}
			invalid = invalid || incomplete(o.fn.Type(), false)
		}
	}
	if len(r.report.found) > before {
		r.broken[s.Dir] = true
	}
	if invalid && len(r.report.found) == before {
		r.report.errorf(s.Dir, r.position(d.spec.Name.Pos()), codeBrokenType, "`%s` uses a type that does not compile; mend that first", d.name)
	}
	return len(r.report.found) > before
}

// errorsIn reports the errors of package in within node, on behalf of s.
func (r *reader) errorsIn(s, in *source, node ast.Node) {
	if in == nil {
		return
	}
	imports := r.brokenImports(in, node)
	for _, used := range imports {
		r.report.errorf(s.Dir, r.position(used.spec.Pos()), codeBrokenImport, "`%s` can't be imported: %s", importPath(used.spec), used.reason)
	}
	for _, e := range in.TypeErrors {
		if e.Pos < node.Pos() || e.Pos >= node.End() || strings.HasPrefix(e.Msg, "\t") {
			continue
		}
		if slices.ContainsFunc(imports, func(u brokenImport) bool { return u.used == e.Pos }) {
			continue // it is undefined because its package is
		}
		r.report.errorf(s.Dir, r.position(e.Pos), codeBrokenType, "%s%s", firstLine(e.Msg), r.generatedHint(s, e.Msg))
	}
}

// errorsOf reports the errors in the declaration of o, on behalf of s, and tells whether there are any.
func (r *reader) errorsOf(s *source, o types.Object) bool {
	before := len(r.report.found)
	if in := r.byTypes[o.Pkg()]; in != nil {
		if node := in.declaration(o.Pos()); node != nil {
			r.errorsIn(s, in, node)
		}
	}
	return len(r.report.found) > before
}

// generatedHint explains the one cycle that people walk into.
func (r *reader) generatedHint(s *source, msg string) string {
	const usual = "; mend this first"
	name, ok := strings.CutPrefix(msg, "undefined: ")
	if !ok {
		return usual
	}
	for _, f := range s.files {
		for _, d := range f.decls {
			if n, wrapped := note(d.notes, "wrap"); wrapped && d.spec != nil {
				if wrapperName(d.name, n.Arg) == name {
					return fmt.Sprintf(", which is generated from `%s` and can't be used to make it; use the interface", d.name)
				}
			}
		}
	}
	return usual
}

// brokenImport is an import that can't be used and is.
type brokenImport struct {
	spec   *ast.ImportSpec
	used   token.Pos
	reason string
}

// brokenImports finds the unusable imports that node refers to.
func (r *reader) brokenImports(s *source, node ast.Node) (list []brokenImport) {
	i := slices.IndexFunc(s.files, func(f *sourceFile) bool { return f.tree.FileStart <= node.Pos() && node.Pos() < f.tree.FileEnd })
	if i < 0 {
		return nil
	}
	bad := map[*ast.ImportSpec]string{}
	for _, spec := range s.files[i].tree.Imports {
		if reason := r.importError(s, spec); reason != "" {
			bad[spec] = reason
		}
	}
	if len(bad) == 0 {
		return nil
	}
	ast.Inspect(node, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if id, ok := sel.X.(*ast.Ident); ok {
			for spec, reason := range bad {
				if r.importedAs(s, spec, id) {
					list = append(list, brokenImport{spec, id.Pos(), reason})
				}
			}
		}
		return true
	})
	return list
}

// importedAs tells whether id is the name of the import.
func (r *reader) importedAs(s *source, spec *ast.ImportSpec, id *ast.Ident) bool {
	if name, ok := s.TypesInfo.Uses[id].(*types.PkgName); ok {
		return name.Pos() == spec.Pos() || name.Pos() == spec.Path.Pos()
	}
	if s.TypesInfo.Uses[id] != nil {
		return false
	}
	if spec.Name != nil {
		return spec.Name.Name == id.Name
	}
	return slices.Contains(assumedNames(importPath(spec)), id.Name)
}

// assumedNames are what a package of that path may be called: its last element, without a version, and without the "go" that
// people put around it.
func assumedNames(importPath string) []string {
	dir, base := path.Split(importPath)
	if isVersion(base) && dir != "" {
		base = path.Base(dir)
	}
	base, _, _ = strings.Cut(base, ".")
	plain := strings.TrimSuffix(strings.TrimSuffix(strings.TrimPrefix(base, "go-"), "-go"), "_go")
	names := []string{base, plain}
	for _, n := range names[:2] {
		names = append(names, strings.ReplaceAll(n, "-", ""), strings.ReplaceAll(n, "-", "_"))
	}
	return names
}

// isVersion tells whether a path's element is one, such as v2.
func isVersion(element string) bool {
	digits, ok := strings.CutPrefix(element, "v")
	return ok && digits != "" && strings.Trim(digits, "0123456789") == ""
}

func importPath(spec *ast.ImportSpec) string {
	path, _ := strconv.Unquote(spec.Path.Value)
	return path
}

// importError says why an import can't be used; empty: it can.
func (r *reader) importError(s *source, spec *ast.ImportSpec) string {
	for _, e := range s.TypeErrors {
		if e.Pos == spec.Path.Pos() && strings.HasPrefix(e.Msg, "could not import") {
			if strings.Contains(e.Msg, "invalid package name") {
				return "no package of that path is available; correct it, or run go get"
			}
			return firstLine(e.Msg) + "; mend that first"
		}
	}
	if !importable(importPath(spec), s.PkgPath) {
		return "it is internal to another tree; use another package"
	}
	if name := s.TypesInfo.PkgNameOf(spec); name != nil && name.Imported().Name() == "main" {
		return "it is a program; move what you need into a package"
	}
	at := r.position(spec.Path.Pos())
	for _, e := range s.Errors {
		if e.Kind != packages.ListError {
			continue
		}
		if place, ok := errorPlace(e.Pos); ok && place.Line == at.Line && filepath.Base(place.Filename) == filepath.Base(at.Filename) {
			return firstLine(e.Msg) + "; mend that first"
		}
		if _, stack, ok := strings.Cut(e.Msg, "import cycle not allowed: import stack: ["); ok {
			if cycle := strings.Fields(strings.Trim(stack, "]")); len(cycle) > 1 && cycle[1] == importPath(spec) {
				return "import cycle; take one of its imports out"
			}
		}
	}
	return ""
}
