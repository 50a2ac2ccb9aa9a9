package generator

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
)

// This file reads the methods of a wrapped interface: which of its declarations speaks for each, what that says, and what the
// interfaces around it say for all their methods.

// method reads one; list holds its declarations by place.
func (r *reader) method(s *source, d *typeDecl, fn *types.Func, list []occurrence) *method {
	o := r.speaker(s, d, fn, list)
	m := &method{Name: fn.Name(), Sig: fn.Signature(), Context: -1}
	if !fn.Exported() {
		m.Pkg = fn.Pkg()
	}
	m.Pos = r.position(fn.Pos())
	if o.fn != nil {
		m.Sig, m.Pos = o.fn.Signature(), r.position(o.fn.Pos())
	}
	if o.via != nil && (fn.Pkg() == nil || fn.Pkg().Path() != s.PkgPath) {
		m.Via, m.Pos = types.ExprString(o.via), r.position(o.via.Pos())
	}
	m.Context, m.Contexts = contextOf(m.Sig, s.Types)
	m.Unclear = r.unclear(m.Name, list)
	if o.decl != nil {
		m.Notes = o.decl.notes
		m.Doc = docLines(o.decl.field.Doc)
		r.declared[m] = o.decl
		r.places(m, o.decl.field.Type.(*ast.FuncType))
	}
	m.Says = r.says(o)
	if said := r.saidOn(s, d, fn, list); len(said) > 0 {
		m.Notes = r.notesOf(s, d, m, said)
		if _, keyed := note(m.Notes, "key"); keyed {
			m.nameParams()
		}
		for _, n := range m.Notes {
			m.Says[n.Word] = n
		}
	}
	if n, ok := note(m.Notes, "key"); ok {
		m.Keyed, m.KeyPos = true, n.Pos
		if n.Method != "" {
			m.placesOn(n)
		}
		r.keyed(s, d, m, o)
	}
	return m
}

// speaker is the declaration whose annotations count: the only one that has any. Several are an error unless they agree.
func (r *reader) speaker(s *source, d *typeDecl, fn *types.Func, list []occurrence) (speaker occurrence) {
	for _, o := range list {
		switch {
		case speaker.fn == nil:
			speaker = o
		case o.decl != nil && o.decl == speaker.decl:
		case o.decl == nil || len(o.decl.notes) == 0:
			if silent(speaker) && !hasNames(speaker.fn) && hasNames(o.fn) {
				speaker = o // expressions that stand elsewhere need names
			}
		case silent(speaker):
			speaker = o
		default:
			r.agree(s, d.name+"."+fn.Name(), speaker, o)
		}
	}
	return speaker
}

// silent tells whether a declaration has no annotations.
func silent(o occurrence) bool { return o.decl == nil || len(o.decl.notes) == 0 }

// hasNames tells whether the parameters of fn have names.
func hasNames(fn *types.Func) bool {
	params := fn.Signature().Params()
	return params.Len() > 0 && params.At(0).Name() != ""
}

// agree reports the first thing that two declarations of one method say differently.
func (r *reader) agree(s *source, name string, a, b occurrence) {
	first, second := r.says(a), r.says(b)
	for _, pair := range [][2]map[string]annotation{{first, second}, {second, first}} {
		key, keyed := pair[0]["key"]
		skip, skipped := pair[1]["skip"]
		if keyed && skipped {
			if comparePlaces(key.Pos, skip.Pos) > 0 {
				key, skip = skip, key
			}
			r.report.errorf(s.Dir, skip.Pos, codeTwoMeanings, "`%s` is declared twice, here with `%s` and at %s with `%s`; delete one of them", name, skip.text(),
				r.report.place(key.Pos), key.text())
			return
		}
	}
	for _, w := range words {
		x, inFirst := first[w.name]
		y, inSecond := second[w.name]
		switch {
		case w.name == "errors" && inFirst && inSecond: // which are several lines
		case inFirst && inSecond && x.Arg != y.Arg:
			if comparePlaces(x.Pos, y.Pos) > 0 {
				x, y = y, x
			}
			r.report.errorf(s.Dir, y.Pos, codeTwoMeanings, "`%s` is declared twice, with another `%s` at %s; annotate both alike, or one of them", name, y.text(), r.report.place(x.Pos))
			return
		case inFirst != inSecond:
			if inFirst {
				y = x
			}
			r.report.errorf(s.Dir, y.Pos, codeTwoMeanings, "`%s` is declared twice, and only here with `%s`; annotate both alike, or one of them", name, y.text())
			return
		}
	}
	r.agreeOnErrors(s, name, a, b)
}

// says is what holds for a method: what stands on it, else on the interface it is declared in, else on those that embed that.
func (r *reader) says(o occurrence) map[string]annotation {
	said := map[string]annotation{}
	inherit := func(d *typeDecl) {
		if d == nil {
			return
		}
		for _, n := range d.notes {
			if w, _ := lookup(n.Word); w.on&onMethod != 0 && n.Word != "skip" {
				said[n.Word] = n
			}
		}
	}
	for _, l := range o.way {
		inherit(r.decls[r.declaredAt(l.name)])
	}
	if o.decl != nil {
		inherit(o.decl.decl)
		for _, n := range o.decl.notes {
			said[n.Word] = n
		}
	}
	return said
}

// places notes where the types of the parameters and results stand.
func (r *reader) places(m *method, t *ast.FuncType) {
	list := func(fields *ast.FieldList) (at []token.Position) {
		if fields == nil {
			return nil
		}
		for _, f := range fields.List {
			for range max(1, len(f.Names)) {
				at = append(at, r.position(f.Type.Pos()))
			}
		}
		return at
	}
	m.Params, m.Returns = list(t.Params), list(t.Results)
}

// keyed reads what only keyed methods have.
func (r *reader) keyed(s *source, d *typeDecl, m *method, o occurrence) {
	name := d.name + "." + m.Name
	m.Op = s.PkgPath + "." + name
	if n, ok := m.Says["op"]; ok && n.Arg != "" {
		m.Op = r.operation(s, n)
	}
	for _, word := range []string{"policy", "stale", "ttl", "takeover", "tx", "detach"} {
		if n, ok := m.Says[word]; ok {
			if wrong := m.Settings.set(n); wrong != nil {
				r.report.errorf(s.Dir, wrong.at, wrong.code, "%s", wrong.text)
			}
		}
	}
	results := m.Sig.Results()
	for i := range results.Len() - 1 {
		m.Results = append(m.Results, results.At(i).Type())
	}
	m.CheckResults = dependent(m)
	e := r.environment(s, d, m, o)
	if n := m.Says["key"]; n.Arg != "" {
		r.key(e(n), m)
	}
	if n, ok := m.Says["scope"]; ok && n.Arg != "" {
		r.scope(e(n), m)
	}
	r.fingerprint(e(m.Says["fingerprint"]), m)
	r.errorRules(e, m, o)
	if n, ok := m.Says["codec"]; ok {
		_, own := note(m.Notes, "codec")
		r.codec(e(n).outside(), m, own)
	}
	m.storedUnlessSaid()
	r.upcasts(e, m)
}

// dependent tells whether a result depends on a type parameter.
func dependent(m *method) bool { return slices.ContainsFunc(m.Results, generic) }

// operation reads the name of an operation.
func (r *reader) operation(s *source, n annotation) string {
	words := fields(n.Arg)
	switch {
	case len(words) > 1:
		r.report.errorf(s.Dir, n.at(words[1].at), codeBadValue, "unexpected `%s` after the name, which has no blanks; delete it", words[1].text)
	case len(n.Arg) > maxOperation:
		r.report.errorf(s.Dir, n.at(0), codeBadValue, "the name has %d bytes, and at most %d can be stored; write a shorter one", len(n.Arg), maxOperation)
	}
	return words[0].text
}

// maxOperation is how long a stored name can be.
const maxOperation = 1024

// environment is where the method's annotations are evaluated, each in the file it stands in.
func (r *reader) environment(s *source, d *typeDecl, m *method, o occurrence) func(annotation) *environment {
	home := s.PkgPath
	if r.out != nil {
		home = r.out.path
	}
	return func(n annotation) *environment {
		typeArgs := r.typeArgs(m, o, n)
		file := r.files[n.Pos.Filename]
		in := s
		holds := func(candidate *source) bool { return candidate != nil && slices.Contains(candidate.files, file) }
		if declares := r.byTypes[o.fn.Pkg()]; holds(declares) {
			in = declares
		} else if !holds(s) {
			if i := slices.IndexFunc(r.sources, holds); i >= 0 {
				in = r.sources[i]
			}
		}
		return &environment{
			r: r, s: s, home: home, method: d.name + "." + m.Name, note: n, in: in, file: file, sig: m.Sig, typeArgs: typeArgs,
			nameless: m.Nameless,
		}
	}
}

// typeArgs are what the type parameters stand for that n sees: those of the interface that it stands on, or that declares the method.
func (r *reader) typeArgs(m *method, o occurrence, n annotation) map[string]types.Type {
	all := map[string]types.Type{}
	at := slices.IndexFunc(o.way, func(l level) bool {
		decl := r.decls[r.declaredAt(l.name)]
		return decl != nil && (slices.Contains(decl.on, n) || slices.Contains(decl.notes, n))
	})
	if innermost := len(o.way) - 1; n.Method == "" && (at < 0 || at == innermost) {
		at = innermost
		// A type defined from an instance (type Ints Box[int]) no longer knows what it was an instance of: there the signatures have
		// to tell. Everywhere else the type arguments do.
		all = matchTypeParams(o.fn.Origin().Signature(), m.Sig)
	}
	if at > 0 {
		maps.Copy(all, o.way[at].args)
	}
	if at == 0 {
		for _, t := range typeParams(o.way[0].name.Type()) {
			if _, ok := all[t.Obj().Name()]; !ok {
				all[t.Obj().Name()] = t
			}
		}
	}
	return all
}
