package generator

import (
	"bytes"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// This file says where in a type something is wrong, and what a person can do about it there.

// longestType is how long the type of a field may be to be shown beside it.
const longestType = 40

// where names the guilty part: its path and type, and where its field is declared, if that is in files of the user's.
func (c *checker) where(p problem) string {
	if p.Path == "" {
		return "it"
	}
	if strings.Trim(p.Path, "[]") == "" {
		return "each element (`" + types.TypeString(p.Type, c.qualifier) + "`)"
	}
	text := p.Path
	if t := types.TypeString(p.Type, c.qualifier); len(t) <= longestType && !strings.Contains(t, "{") {
		text += ": " + t
	}
	text = "`" + text + "`"
	if at, own := c.fieldPlace(p); own {
		text += " (" + c.report.place(at) + ")"
	}
	return text
}

// qualifier writes types as the package of the interface does.
func (c *checker) qualifier(p *types.Package) string {
	if p == c.made.Source {
		return ""
	}
	return p.Name()
}

// fieldPlace is where the guilty field stands; own: in a file of the module that is worked on.
func (c *checker) fieldPlace(p problem) (at token.Position, own bool) {
	if !p.Pos.IsValid() {
		return at, false
	}
	at = c.position(p.Pos)
	if !c.inModule(at.Filename) {
		return at, false
	}
	name := p.Path[strings.LastIndexByte(p.Path, '.')+1:]
	if at.Column <= 1 {
		at.Column = columnOf(at, strings.TrimRight(name, "[]"))
	}
	return at, true
}

// columnOf finds the name in its line: what comes from compiled packages has lines only.
func columnOf(at token.Position, name string) int {
	text, err := os.ReadFile(at.Filename)
	if err != nil {
		return at.Column
	}
	lines := bytes.Split(text, []byte("\n"))
	if at.Line < 1 || at.Line > len(lines) {
		return at.Column
	}
	found := regexp.MustCompile(`\b` + regexp.QuoteMeta(name) + `\b`).FindIndex(lines[at.Line-1])
	if found == nil {
		return at.Column
	}
	return found[0] + 1
}

// inModule tells whether a file belongs to the module of the interface, and not to one that is vendored in it.
func (c *checker) inModule(file string) bool {
	root := c.report.dir
	if m := c.made.source.Module; m != nil && m.Dir != "" {
		root = m.Dir
	}
	rel, err := filepath.Rel(root, file)
	return err == nil && filepath.IsLocal(rel) && !strings.HasPrefix(filepath.ToSlash(rel), "vendor/")
}

// mend is what to do about p. What is declared elsewhere can't be changed here.
func (c *checker) mend(p problem) string {
	if only := c.onlyImplementation(p.Type); only != "" {
		return "use `" + only + "`, its only implementation here"
	}
	if _, own := c.fieldPlace(p); own || p.Severity == Warning || strings.HasPrefix(p.Mend, "return ") || strings.HasPrefix(p.Mend, "use ") {
		return p.Mend
	}
	n, named := types.Unalias(p.Type).(*types.Named)
	if p.Pos.IsValid() || named && n.Obj().Pkg() != nil && !c.inModule(c.position(n.Obj().Pos()).Filename) {
		return "return a type of your own that holds what callers need"
	}
	return p.Mend
}

// onlyImplementation is the one type that has the methods of interface t, of those declared beside it or beside the annotated interface.
func (c *checker) onlyImplementation(t types.Type) (only string) {
	i, ok := t.Underlying().(*types.Interface)
	if !ok || i.NumMethods() == 0 || !i.IsMethodSet() || generic(t) || types.Identical(t, types.Universe.Lookup("error").Type()) {
		return ""
	}
	packages := []*types.Package{c.made.Source}
	if n, ok := types.Unalias(t).(*types.Named); ok && n.Obj().Pkg() != c.made.Source {
		packages = append(packages, n.Obj().Pkg())
	}
	for _, pkg := range packages {
		for _, name := range pkg.Scope().Names() {
			o, ok := pkg.Scope().Lookup(name).(*types.TypeName)
			if !ok || o.IsAlias() || pkg != c.made.Source && !o.Exported() {
				continue
			}
			found := implementing(o.Type(), i)
			switch {
			case found == nil:
			case only != "":
				return ""
			default:
				only = types.TypeString(found, c.qualifier)
			}
		}
	}
	return only
}

// implementing is t or a pointer to it, whichever has the methods; nil: neither.
func implementing(t types.Type, i *types.Interface) types.Type {
	n, ok := t.(*types.Named)
	if !ok || n.TypeParams() != nil || types.IsInterface(t) {
		return nil
	}
	for _, candidate := range []types.Type{t, types.NewPointer(t)} {
		if types.Implements(candidate, i) {
			return candidate
		}
	}
	return nil
}
