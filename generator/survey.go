package generator

import (
	"fmt"
	"go/token"
	"go/types"
	"maps"
	"math"

	"github.com/dave/jennifer/jen"

	"github.com/idemgen/idemgen/templates"
)

// This file finds out what the code of a wrapper will mention before anything is named, by writing all of it once for nothing. It is also
// where a type that can't be written in the output's package is refused.

// survey is what the code of one wrapper mentions.
type survey struct {
	whole  named
	bodies []named // of each method, as wrapper.Methods; nothing where it is forwarded
}

func surveyAll(o *output) (all []survey, ds []Diagnostic) {
	for _, w := range o.Wrappers {
		s, problems := surveyWrapper(o, w)
		all = append(all, s)
		ds = append(ds, problems...)
	}
	return all, ds
}

func surveyWrapper(o *output, w *wrapper) (s survey, ds []Diagnostic) {
	s.whole = newNamed()
	write := func(pos token.Position, what string, f func(*writer)) named {
		wr := &writer{home: o.PkgPath, hidden: o.Taken, typeParams: map[*types.TypeParam]string{}, named: newNamed()}
		for _, t := range w.TypeParams {
			wr.typeParams[t] = "_"
		}
		f(wr)
		if wr.problem != "" {
			ds = append(ds, diagnostic(pos, codeOutOfReach, fmt.Sprintf("%s can't be written in package %s: %s", what, o.PkgPath, wr.mended())))
		}
		s.whole.add(wr.named)
		return wr.named
	}
	name := w.Named.Name()
	write(w.Pos, name, func(wr *writer) {
		wr.object(w.Named)
		for _, t := range w.Seals {
			wr.object(t)
		}
		for _, t := range w.TypeParams {
			wr.typ(t.Constraint())
		}
	})
	for _, m := range w.Methods {
		write(m.Pos, "the signature of "+name+"."+m.Name, func(wr *writer) { wr.signature(m.Sig) })
		body := newNamed()
		if m.Keyed {
			body.add(write(m.Pos, "the wrapper of "+name+"."+m.Name, func(wr *writer) {
				for _, word := range m.predeclared() {
					wr.object(types.Universe.Lookup(word))
				}
			}))
			for _, t := range m.Results {
				body.add(write(m.Pos, "a result of "+name+"."+m.Name, func(wr *writer) { wr.typ(t) }))
			}
			for _, e := range m.expressions() {
				body.add(write(e.Pos, "the expression "+e.Text, func(wr *writer) {
					nowhere := make([]string, m.Sig.Params().Len())
					wr.expr(e, nowhere)
					wr.guards([]*expr{e}, nowhere)
				}))
			}
		}
		if m.Keyed && m.Settings.Recover != "" {
			body.add(write(m.Pos, "the answer of "+m.Settings.Recover, func(wr *writer) { wr.typ(types.Typ[types.Bool]) }))
		}
		for _, u := range m.Upcasts {
			body.add(write(u.Func.Pos, "`"+u.Func.Text+"`", func(wr *writer) { wr.upcast(u, len(m.Results) > 1) }))
		}
		for _, rule := range m.Errors {
			write(rule.Pos, "`"+rule.Text+"`", func(wr *writer) { wr.errorRule(rule) })
		}
		if k := m.Codec; k != nil {
			write(k.Pos, "`"+k.Text+"`", func(wr *writer) { wr.codec(k, jen.Id("_")) })
		}
		if m.Keyed && m.Stored == storedProto {
			write(m.Pos, "codec proto", func(wr *writer) { wr.protoCodec(jen.Id("_")) })
		}
		s.bodies = append(s.bodies, body)
	}
	return s, ds
}

// predeclared are the names that the shapes say by themselves, beside that of error, which is in the signature.
func (m *method) predeclared() (words []string) {
	if m.Scope != nil || m.Settings.NoRenew || m.Settings.Detach {
		words = append(words, "true")
	}
	if m.contextKind() == contextExtended {
		words = append(words, "bool", "error")
	}
	return words
}

// expressions are all of the method's, in the order of their evaluation.
func (m *method) expressions() []*expr {
	all := append([]*expr(nil), m.Keys...)
	if m.Scope != nil {
		all = append(all, m.Scope)
	}
	for _, a := range m.Fingerprint {
		if a.Expr != nil {
			all = append(all, a.Expr)
		}
	}
	return all
}

func (n named) add(other named) {
	maps.Copy(n.packages, other.packages)
	maps.Copy(n.plain, other.plain)
}

// packagesOf are the packages that the output names: those of types and expressions, and what the shapes themselves need.
func packagesOf(o *output, surveys []survey) map[string]*types.Package {
	all := map[string]*types.Package{templates.RuntimePath: types.NewPackage(templates.RuntimePath, "idem")}
	for i, w := range o.Wrappers {
		maps.Copy(all, surveys[i].whole.packages)
		for _, m := range w.Methods {
			if m.Keyed {
				all[templates.ContextPath] = types.NewPackage(templates.ContextPath, "context")
			}
			if m.Keyed && (m.Settings.durations() || m.contextKind() == contextExtended) {
				all[templates.TimePath] = types.NewPackage(templates.TimePath, "time")
			}
		}
	}
	return all
}

// durations reports whether a setting has to be written with constants of package time.
func (s settings) durations() bool {
	return s.MaxWait != nil || s.Lease != nil || s.TTL != nil && *s.TTL != math.MaxInt64
}

// contextKind is how the method's context parameter can take the context that carries the claim.
type contextKind uint8

const (
	contextPlain    contextKind = iota // it takes any context.Context
	contextExtended                    // it is an interface with more methods: it gets the caller's, with the claim's in front
	contextConcrete                    // it is another type: the method gets the caller's, without the claim
)

func (m *method) contextKind() contextKind {
	t := types.Unalias(m.Sig.Params().At(m.Context).Type())
	if _, ok := t.(*types.TypeParam); ok || !types.IsInterface(t) {
		return contextConcrete
	}
	if t.Underlying().(*types.Interface).NumMethods() == 4 { // it is assignable to context.Context, so these are the four
		return contextPlain
	}
	return contextExtended
}
