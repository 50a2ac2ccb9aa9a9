package generator

import (
	"go/types"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/idemgen/idemgen/internal/spelling"
)

// This file is about methods that an interface gets by embedding one that can't be annotated, say because it is generated: what the
// //idem:on of the interfaces around them say, what their parameters are called there, and what is wrong with such an annotation.

// saidOn lists what the interfaces on the way to a method's declarations say of it, the outermost first.
func (r *reader) saidOn(s *source, d *typeDecl, fn *types.Func, list []occurrence) (said []annotation) {
	for _, o := range list {
		for _, l := range o.way {
			decl := r.decls[r.declaredAt(l.name)]
			if decl == nil || o.decl != nil && o.decl.decl == decl {
				continue
			}
			for _, n := range decl.on {
				if n.Method != fn.Name() || !sees(l.name, fn) {
					continue
				}
				first, twice := sameSubject(said, n)
				switch {
				case !twice:
					said = append(said, n)
				case first.Arg != n.Arg:
					r.report.errorf(s.Dir, first.Pos, codeTwoMeanings, "`%s` of `%s.%s` differs from the one at %s; keep one of them",
						n.text(), d.name, fn.Name(), r.report.place(n.Pos))
				}
			}
		}
	}
	return said
}

// sameSubject is the annotation among notes that is about what n is about.
func sameSubject(notes []annotation, n annotation) (annotation, bool) {
	i := slices.IndexFunc(notes, func(other annotation) bool { return other.subject() == n.subject() })
	if i < 0 {
		return annotation{}, false
	}
	return notes[i], true
}

// sees tells whether the name of fn, as it stands in the package of t, is fn's.
func sees(t *types.TypeName, fn *types.Func) bool { return fn.Exported() || t.Pkg() == fn.Pkg() }

// notesOf are the annotations of a method: those of its declaration, then those that other interfaces have for it.
func (r *reader) notesOf(s *source, d *typeDecl, m *method, said []annotation) []annotation {
	declared, notes := m.Notes, slices.Clip(m.Notes)
	for _, n := range said {
		first, twice := sameSubject(declared, n)
		switch {
		case !twice:
			notes = append(notes, n)
		case first.Arg != n.Arg:
			r.report.errorf(s.Dir, n.Pos, codeTwoMeanings, "`%s.%s` has another `%s` where it is declared, at %s; delete one of them",
				d.name, m.Name, first.text(), r.report.place(first.Pos))
		}
	}
	return notes
}

// nameParams gives the parameters names that have none, for expressions that stand elsewhere: a context is ctx, the only other one is req,
// and else the number of a parameter names it, as arg2.
func (m *method) nameParams() {
	params := m.Sig.Params()
	taken, others := names{}, 0
	for i := range params.Len() {
		taken[params.At(i).Name()] = true
		if i != m.Context {
			others++
		}
	}
	var vars []*types.Var
	for i := range params.Len() {
		p := params.At(i)
		if p.Name() != "" && p.Name() != "_" {
			vars = append(vars, p)
			continue
		}
		name := "arg" + strconv.Itoa(i+1)
		switch {
		case i == m.Context && !taken["ctx"]:
			name = "ctx"
		case i != m.Context && others == 1 && !taken["req"]:
			name = "req"
		}
		vars = append(vars, types.NewParam(p.Pos(), p.Pkg(), name, p.Type()))
		if m.Nameless == nil {
			m.Nameless = map[int]bool{}
		}
		m.Nameless[i] = true
	}
	if m.Nameless != nil {
		m.Sig = types.NewSignatureType(m.Sig.Recv(), nil, nil, types.NewTuple(vars...), m.Sig.Results(), m.Sig.Variadic())
	}
}

// unclear tells whether an on that has been refused may be about the method.
func (r *reader) unclear(name string, list []occurrence) bool {
	for _, o := range list {
		for _, l := range o.way {
			decl := r.decls[r.declaredAt(l.name)]
			if decl == nil || o.decl != nil && o.decl.decl == decl {
				continue
			}
			if decl.unclear.any(name) || decl.meant["on"] {
				return true
			}
		}
	}
	return false
}

// resultMend is what to do about a result of a method whose types are somebody else's; empty: the types themselves can be mended.
func (m *method) resultMend() string {
	if key, _ := note(m.Notes, "key"); key.Method == "" {
		return ""
	}
	return "store it with a codec of your own: `//idem:codec IDENT`"
}

// placesOn says where to complain of a method that has its key from an on: of results at its name, of parameters at the word behind it.
func (m *method) placesOn(key annotation) {
	m.Params, m.Returns = nil, nil
	for range m.Sig.Params().Len() {
		m.Params = append(m.Params, key.Pos)
	}
	for range m.Sig.Results().Len() {
		m.Returns = append(m.Returns, key.About)
	}
}

// embedding is an interface with //idem:on, and all its methods by name.
type embedding struct {
	decl    *typeDecl
	name    *types.TypeName
	methods map[string][]occurrence
}

// embeddings are those that d is made of, itself included.
func (r *reader) embeddings(d *typeDecl, declared map[string][]occurrence) (list []*embedding) {
	for _, id := range slices.Sorted(maps.Keys(declared)) {
		for _, o := range declared[id] {
			for _, l := range o.way {
				decl := r.decls[r.declaredAt(l.name)]
				if decl == nil || len(decl.on) == 0 {
					continue
				}
				i := slices.IndexFunc(list, func(e *embedding) bool { return e.decl == decl })
				if i < 0 {
					i = len(list)
					list = append(list, &embedding{decl, l.name, map[string][]occurrence{}})
				}
				list[i].methods[o.fn.Name()] = append(list[i].methods[o.fn.Name()], o)
			}
		}
	}
	if len(declared) == 0 {
		list = append(list, &embedding{decl: d})
	}
	return list
}

// onMethods reports each on, of the interfaces that d is made of, that is about no method it could be about.
func (r *reader) onMethods(s *source, d *typeDecl, declared map[string][]occurrence) {
	for _, e := range r.embeddings(d, declared) {
		own := func(o occurrence) bool { return o.decl != nil && o.decl.decl == e.decl }
		for _, n := range e.decl.on {
			list := e.methods[n.Method]
			switch {
			case len(list) == 0:
				near := closest(n.Method, slices.Sorted(maps.Keys(e.methods)))
				e.decl.unclear = e.decl.unclear.with(near)
				hint := "; write the name of a method of an interface that it embeds"
				if near != "" {
					hint = "; did you mean `" + near + "`?"
				}
				r.report.errorf(s.Dir, n.About, codeNoSuchMethod, "`%s` has no method `%s`%s", e.decl.name, n.Method, hint)
			case slices.ContainsFunc(list, own):
				for _, o := range list {
					if own(o) {
						o.decl.meant = o.decl.meant.with(n.Word)
					}
				}
				r.report.errorf(s.Dir, n.About, codeWrongPlace, "`%s` is declared in `%s` itself; annotate it there, without `on %s`",
					n.Method, e.decl.name, n.Method)
			case !slices.ContainsFunc(list, func(o occurrence) bool { return sees(e.name, o.fn) }):
				r.report.errorf(s.Dir, n.About, codeNoEffect, "`%s` is not exported by package %s, so it is always forwarded; delete this line",
					n.Method, list[0].fn.Pkg().Path())
			}
		}
	}
}

// closest is the candidate that name is a misspelling of, in whatever case; empty: there is none.
func closest(name string, candidates []string) (best string) {
	slips := 2 + len(name)/5
	for _, c := range candidates {
		if d := spelling.Slips(strings.ToLower(name), strings.ToLower(c)); d < slips && d < len(c) {
			best, slips = c, d
		}
	}
	return best
}
