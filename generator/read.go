package generator

import (
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// This file makes the model of each annotated interface from its types, its annotations and its doc comments.

// reader reads the packages of one run.
type reader struct {
	*program
	out    *destination // where the wrappers go; nil: beside their interfaces
	used   map[*typeDecl]bool
	broken map[string]bool // folders where an interface does not compile
	made   []*made
	told   map[string]bool // what is said once

	origin   map[*wrapper]*typeDecl
	declared map[*method]*methodDecl
	names    map[string]token.Position // generated so far, by package path and name
	tagless  tagless
	judged   map[judged]bool
}

// judged is a final error of one output, and of a line that may be about several methods.
type judged struct {
	made *made
	at   token.Position
}

// made is an output file, and the source it stands for.
type made struct {
	output
	source *source
}

// read makes the outputs of all packages.
func read(p *program, out *destination) *reader {
	r := &reader{
		program: p, out: out, used: map[*typeDecl]bool{}, broken: map[string]bool{},
		origin: map[*wrapper]*typeDecl{}, declared: map[*method]*methodDecl{}, names: map[string]token.Position{}, tagless: tagless{},
		told: map[string]bool{}, judged: map[judged]bool{},
	}
	for _, s := range p.sources {
		if s.asked {
			for _, f := range s.files {
				for _, flaw := range f.flaws {
					p.report.errorf(s.Dir, flaw.at, flaw.code, "%s", flaw.text)
				}
			}
		}
	}
	p.wrapped(func(s *source, f *sourceFile, d *typeDecl, n annotation) {
		if w := r.wrapper(s, d, n); w != nil {
			r.add(s, f, w)
		}
	})
	r.unused()
	return r
}

// add puts w into the output it belongs to.
func (r *reader) add(s *source, f *sourceFile, w *wrapper) {
	name, constraint, problem := outputName(s, f)
	if problem == "" {
		problem = r.refuse(s, f)
	}
	if problem != "" {
		r.report.errorf(s.Dir, w.Pos, codeOutput, "%s", problem)
		return
	}
	o := output{
		Path: filepath.Join(s.Dir, name), PkgName: s.Name, PkgPath: s.PkgPath, Source: s.Types, Constraint: constraint,
	}
	if r.out != nil {
		o.Path, o.PkgName, o.PkgPath = filepath.Join(r.out.dir, name), r.out.name, r.out.path
	}
	i := slices.IndexFunc(r.made, func(m *made) bool { return m.Path == o.Path })
	if i < 0 {
		i = len(r.made)
		o.Taken, o.Imported = r.taken(s)
		r.made = append(r.made, &made{output: o, source: s})
	}
	r.made[i].Wrappers = append(r.made[i].Wrappers, w)
}

// taken is what the output's package declares and imports. Outputs of one package share it, because each adds the names it invents.
func (r *reader) taken(s *source) (map[string]token.Position, map[string]bool) {
	if r.out != nil {
		return r.out.taken, r.out.imported
	}
	for _, m := range r.made {
		if m.PkgPath == s.PkgPath {
			return m.Taken, m.Imported
		}
	}
	taken, imported := map[string]token.Position{}, map[string]bool{}
	for _, variant := range r.sources {
		if variant.PkgPath == s.PkgPath && variant.Types != nil {
			r.namesIn(variant, taken, imported)
		}
	}
	return taken, imported
}

// namesIn adds the names that a package declares, and those that its files import packages by.
func (p *program) namesIn(s *source, taken map[string]token.Position, imported map[string]bool) {
	scope := s.Types.Scope()
	for _, name := range scope.Names() {
		if _, known := taken[name]; !known {
			taken[name] = p.position(scope.Lookup(name).Pos())
		}
	}
	for _, f := range s.files {
		for _, name := range s.scopeOf(f.tree).Names() {
			imported[name] = true
		}
	}
}

// wrapper reads one interface; nil: it is refused as a whole, and nothing more is said of it.
func (r *reader) wrapper(s *source, d *typeDecl, n annotation) *wrapper {
	declared := r.occurrences(s, d)
	r.use(s, d, declared)
	object, ok := s.TypesInfo.Defs[d.spec.Name].(*types.TypeName)
	if !ok {
		return nil
	}
	iface, ok := types.Unalias(object.Type()).Underlying().(*types.Interface)
	if ok && !iface.IsMethodSet() {
		r.report.errorf(s.Dir, n.Pos, codeConstraint, "`%s` is a constraint, not an interface a value can have; move its methods into one of their own, and wrap that", d.name)
		return nil
	}
	if r.doesNotCompile(s, d, declared) || !ok {
		return nil
	}
	r.onMethods(s, d, declared)
	w := &wrapper{
		Pos: n.Pos, Named: object, TypeParams: typeParams(object.Type()), Doc: docLines(d.doc), Notes: d.notes,
	}
	r.origin[w] = d
	w.Name, w.Ctor = r.nameOf(s, d, n)
	_, w.SkipRest = note(d.notes, "skip")
	w.Asked = map[string]bool{}
	for fn := range iface.Methods() {
		m := r.method(s, d, fn, declared[fn.Id()])
		w.Methods = append(w.Methods, m)
		if words := fields(m.Says["takeover"].Arg); len(words) > 1 && words[0].text == "recover" {
			w.Asked[words[1].text] = true
		}
	}
	r.seal(s, w)
	return w
}

// use remembers what an interface is made of, so that annotations on it count, and reports what is wrong with them where nobody asked
// for their package.
func (r *reader) use(s *source, d *typeDecl, declared map[string][]occurrence) {
	use := func(d *typeDecl) {
		if d == nil || r.used[d] {
			return
		}
		r.used[d] = true
		if d.spec == nil {
			return
		}
		first, last := r.position(d.spec.Pos()).Line, r.position(d.spec.End()).Line
		if d.doc != nil {
			first = r.position(d.doc.Pos()).Line
		}
		for _, flaw := range d.file.flaws {
			if first <= flaw.at.Line && flaw.at.Line <= last {
				r.report.errorf(s.Dir, flaw.at, flaw.code, "%s", flaw.text)
			}
		}
	}
	use(d)
	for _, list := range declared {
		for _, o := range list {
			if o.decl != nil {
				use(o.decl.decl)
			}
			for _, l := range o.way {
				use(r.decls[r.declaredAt(l.name)])
			}
		}
	}
}

func typeParams(t types.Type) []*types.TypeParam {
	generic, ok := t.(interface{ TypeParams() *types.TypeParamList })
	if !ok {
		return nil
	}
	return slices.Collect(generic.TypeParams().TypeParams())
}

// nameOf are the names of the wrapper's type and constructor.
func (r *reader) nameOf(s *source, d *typeDecl, n annotation) (name, ctor string) {
	words := fields(n.Arg)
	if len(words) > 1 {
		r.report.errorf(s.Dir, n.at(words[1].at), codeBadValue, "unexpected `%s` after the name; delete it", words[1].text)
	}
	if len(words) > 0 && (!token.IsIdentifier(words[0].text) || reserved[words[0].text]) {
		r.report.errorf(s.Dir, n.at(0), codeBadValue, "`%s` is not a Go identifier that a type can have; write one, or nothing", words[0].text)
	}
	name = wrapperName(d.name, n.Arg)
	if token.IsExported(name) {
		return name, "New" + name
	}
	return name, "new" + upperFirst(name)
}

// wrapperName is the name of the wrapper of an interface, given what its //idem:wrap says.
func wrapperName(iface, said string) string {
	if words := fields(said); len(words) > 0 {
		return words[0].text
	}
	if token.IsExported(iface) {
		return "Idempotent" + iface
	}
	return "idempotent" + upperFirst(iface)
}

func upperFirst(name string) string {
	r, n := utf8.DecodeRuneInString(name)
	return string(unicode.ToUpper(r)) + name[n:]
}

// docLines is a doc comment without slashes and directives.
func docLines(doc *ast.CommentGroup) []string {
	text := strings.TrimRight(doc.Text(), "\n")
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

// unused warns of annotations that are attached to an interface nobody wraps.
func (r *reader) unused() {
	for _, s := range r.sources {
		if !s.asked || r.broken[s.Dir] { // what embeds it may be what does not compile
			continue
		}
		for _, f := range s.files {
			for _, d := range f.decls {
				if r.used[d] || d.refused {
					continue
				}
				notes := slices.Concat(d.notes, d.on)
				for _, n := range notes[:min(1, len(notes))] {
					r.report.warnf(n.Pos, codeNotWrapped, "`%s` has no effect, because `%s` has no `//idem:wrap`; write that above it", n.text(), d.name)
				}
				for _, m := range d.methods {
					if len(m.notes) == 0 {
						continue
					}
					n, ok := note(m.notes, "key")
					if !ok {
						n = m.notes[0]
					}
					r.report.warnf(n.Pos, codeNotWrapped, "`%s` of `%s` has no effect, because `%s` has no `//idem:wrap`, and nothing that has one embeds it; write `//idem:wrap` above it",
						n.text(), m.field.Names[0].Name, d.name)
				}
			}
		}
	}
}
