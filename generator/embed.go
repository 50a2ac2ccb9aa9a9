package generator

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// This file answers where the methods of an interface are declared: in its own body, in what it embeds, behind aliases, in the
// interface it is defined from, in other packages. Annotations stand on declarations, so this is where they are looked up.

// occurrence is one declaration of a method that an interface has.
type occurrence struct {
	fn   *types.Func
	decl *methodDecl // nil: its package was not loaded from source, or says nothing
	way  []level     // the interfaces on the way to it, the wrapped one first
	via  ast.Expr    // the type in the wrapped interface's declaration that it came by; nil: it stands there itself
}

// level is one of them.
type level struct {
	name *types.TypeName
	args map[string]types.Type // what its type parameters stand for
}

// occurrences finds the declarations of all methods of the interface that d declares, by the method's id, each list by place.
func (p *program) occurrences(s *source, d *typeDecl) map[string][]occurrence {
	w := embedWalk{p: p, home: s.PkgPath, found: map[string][]occurrence{}}
	object, ok := s.TypesInfo.Defs[d.spec.Name].(*types.TypeName)
	if !ok {
		return w.found
	}
	way := occurrence{way: []level{{name: object}}}
	body, literal := ast.Unparen(d.spec.Type).(*ast.InterfaceType)
	if !literal {
		way.via = d.spec.Type
	}
	if alias, ok := object.Type().(*types.Alias); ok {
		w.visit(alias.Rhs(), way, body)
	} else {
		w.visit(object.Type().Underlying(), way, body)
	}
	for _, list := range w.found {
		slices.SortStableFunc(list, func(a, b occurrence) int {
			return cmp.Or(comparePackages(s.PkgPath, a.fn, b.fn), comparePlaces(p.position(a.fn.Pos()), p.position(b.fn.Pos())))
		})
	}
	return w.found
}

// comparePackages puts home first. Where the folders of the others are differs from one machine to the next.
func comparePackages(home string, a, b types.Object) int {
	path := func(o types.Object) string {
		if o.Pkg() == nil || o.Pkg().Path() == home {
			return ""
		}
		return o.Pkg().Path()
	}
	return cmp.Compare(path(a), path(b))
}

func comparePlaces(a, b token.Position) int {
	return cmp.Or(cmp.Compare(a.Filename, b.Filename), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
}

type embedWalk struct {
	p     *program
	home  string // the wrapped interface's package
	found map[string][]occurrence
}

// visit goes through t. body is its syntax as long as that is part of the wrapped interface's declaration.
func (w embedWalk) visit(t types.Type, way occurrence, body *ast.InterfaceType) {
	if len(way.way) > 100 {
		return // a cycle, which the type checker has reported
	}
	switch t := t.(type) {
	case *types.Alias:
		way.way = append(slices.Clip(way.way), level{t.Obj(), bindings(t.Origin().TypeParams(), t.TypeArgs())})
		w.visit(t.Rhs(), way, nil)
	case *types.Named:
		way.way = append(slices.Clip(way.way), level{t.Obj(), bindings(t.Origin().TypeParams(), t.TypeArgs())})
		w.visit(t.Underlying(), way, nil)
	case *types.Interface:
		for m := range t.ExplicitMethods() {
			way.fn, way.decl = m, w.declaration(m)
			w.found[m.Id()] = append(w.found[m.Id()], way)
		}
		parts := embeddedIn(body)
		for i := range t.NumEmbeddeds() {
			next, inner := way, (*ast.InterfaceType)(nil)
			if i < len(parts) {
				if inner, _ = ast.Unparen(parts[i]).(*ast.InterfaceType); inner == nil {
					next.via = parts[i]
				}
			}
			w.visit(t.EmbeddedType(i), next, inner)
		}
	}
}

// declaration finds the syntax of m. That of another package counts only where its file has annotations: whether it is there without
// them depends on what else was asked for, and the output must not.
func (w embedWalk) declaration(m *types.Func) *methodDecl {
	decl := w.p.methods[w.p.declaredAt(m)]
	if decl == nil || m.Pkg() != nil && m.Pkg().Path() != w.home && !mentionsAnnotation(decl.file.text) {
		return nil
	}
	return decl
}

// bindings are what the type parameters of a declaration stand for, by name.
func bindings(params *types.TypeParamList, args *types.TypeList) map[string]types.Type {
	bound := map[string]types.Type{}
	for i := range min(params.Len(), args.Len()) {
		bound[params.At(i).Obj().Name()] = args.At(i)
	}
	return bound
}

// embeddedIn lists the embedded types of an interface's body in order.
func embeddedIn(body *ast.InterfaceType) (parts []ast.Expr) {
	if body == nil {
		return nil
	}
	for _, field := range body.Methods.List {
		if len(field.Names) == 0 {
			parts = append(parts, field.Type)
		}
	}
	return parts
}

// spot finds a declaration again by its line: what comes from export data has no better place, and variants of a package have
// objects of their own for the same line.
type spot struct {
	file string
	line int
	name string
}

func (p *program) declaredAt(o types.Object) spot {
	at := p.position(o.Pos())
	return spot{at.Filename, at.Line, o.Name()}
}

// index makes declarations findable by their spot.
func (p *program) index() {
	p.methods, p.decls = map[spot]*methodDecl{}, map[spot]*typeDecl{}
	at := func(name *ast.Ident) spot {
		pos := p.position(name.Pos())
		return spot{pos.Filename, pos.Line, name.Name}
	}
	for _, s := range p.sources {
		for _, f := range s.files {
			for _, d := range f.decls {
				if d.spec != nil {
					p.decls[at(d.spec.Name)] = d
				}
				for _, m := range d.methods {
					p.methods[at(m.field.Names[0])] = m
				}
			}
		}
	}
}

// wrapped calls f for each interface that the patterns ask to wrap.
func (p *program) wrapped(f func(*source, *sourceFile, *typeDecl, annotation)) {
	for _, s := range p.sources {
		if !s.asked {
			continue
		}
		for _, file := range s.own {
			for _, d := range file.decls {
				if n, ok := note(d.notes, "wrap"); ok && d.spec != nil {
					f(s, file, d, n)
				}
			}
		}
	}
}

// annotatedElsewhere lists the packages that were not loaded from source and declare annotated parts of wrapped interfaces.
func (p *program) annotatedElsewhere() (more []elsewhere) {
	annotated := map[string]bool{}
	look := func(o types.Object) {
		if o.Pkg() == nil || p.byTypes[o.Pkg()] != nil {
			return
		}
		name := p.position(o.Pos()).Filename
		if p.files[name] != nil {
			return // it was, for another variant of its package
		}
		if _, known := annotated[name]; !known {
			text, err := os.ReadFile(name) // the standard library's names can't be read, and need not be
			annotated[name] = err == nil && mentionsAnnotation(text)
		}
		if annotated[name] {
			more = append(more, elsewhere{strings.TrimSuffix(o.Pkg().Path(), "_test"), filepath.Dir(name)})
		}
	}
	p.wrapped(func(s *source, _ *sourceFile, d *typeDecl, _ annotation) {
		for _, list := range p.occurrences(s, d) {
			for _, o := range list {
				look(o.fn)
				for _, l := range o.way {
					look(l.name)
				}
			}
		}
	})
	slices.SortFunc(more, func(a, b elsewhere) int { return strings.Compare(a.path, b.path) })
	return slices.Compact(more)
}
