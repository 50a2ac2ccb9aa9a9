package generator

import (
	"fmt"
	"go/types"
	"slices"
	"strings"
)

// This file checks takeover by recover: the method that is named must be able to say of every call of the other whether it has happened.

// recoverFits wants a method of the interface, without a key, that takes what m takes, and returns what m returns with a bool before the
// error.
func (c *checker) recoverFits(w *wrapper, m *method) {
	s := m.Settings
	if s.Takeover == nil || *s.Takeover != "recover" || s.Recover == "" {
		return
	}
	i := slices.IndexFunc(w.Methods, func(other *method) bool { return other.Name == s.Recover })
	wanted := c.recoverSignature(m)
	switch {
	case i < 0:
		c.errorf(s.RecoverAt, codeRecover, "`%s` has no method `%s`%s", w.Named.Name(), s.Recover, c.otherMethod(w, s.Recover, wanted))
	case w.Methods[i] == m:
		c.errorf(s.RecoverAt, codeRecover, "`%s` can't tell of itself whether it has happened; name a method that looks: `%s`", m.Name, "Find"+m.Name+wanted)
	case w.Methods[i].Keyed:
		c.errorf(s.RecoverAt, codeRecover, "`%s` has a key itself, and would be claimed before it could look; name a method that only looks: `%s`", s.Recover,
			"Find"+m.Name+wanted)
	default:
		if reason := c.cannotRecover(m, w.Methods[i]); reason != "" {
			c.errorf(s.RecoverAt, codeRecover, "`%s` can't tell whether `%s` has happened: it %s; declare it as `%s`", s.Recover, m.Name, reason, s.Recover+wanted)
		}
	}
}

// otherMethod is what to do about a name that no method has.
func (c *checker) otherMethod(w *wrapper, name, wanted string) string {
	var names []string
	for _, m := range w.Methods {
		if !m.Keyed {
			names = append(names, m.Name)
		}
	}
	if near := closest(name, names); near != "" {
		return "; did you mean `" + near + "`?"
	}
	return "; declare it as `" + name + wanted + "`"
}

// recoverSignature is how a recover method of m is declared, without its name.
func (c *checker) recoverSignature(m *method) string {
	sig := types.NewSignatureType(nil, nil, nil, m.Sig.Params(), tupleOf(recoverResults(m)), m.Sig.Variadic())
	return strings.TrimPrefix(types.TypeString(sig, c.qualify), "func")
}

// recoverResults are the results of a recover method of m.
func recoverResults(m *method) []types.Type {
	return append(slices.Clone(m.Results), types.Typ[types.Bool], types.Universe.Lookup("error").Type())
}

// cannotRecover is the first thing that is wrong with the signature of a recover method; empty: nothing.
func (c *checker) cannotRecover(m, other *method) string {
	if text := c.firstDifference("parameter", tupleTypes(m.Sig.Params()), tupleTypes(other.Sig.Params())); text != "" {
		return text
	}
	if m.Sig.Variadic() != other.Sig.Variadic() {
		return map[bool]string{true: "is not variadic", false: "is variadic"}[m.Sig.Variadic()]
	}
	want, got := recoverResults(m), tupleTypes(other.Sig.Results())
	switch n := len(got); {
	case !endsInError(other.Sig):
		return "does not end in an error"
	case n > 1 && !types.Identical(got[n-2], types.Typ[types.Bool]) && types.Identical(got[n-2].Underlying(), types.Typ[types.Bool]):
		return "has `" + types.TypeString(got[n-2], c.qualify) + "` before its error, and not the predeclared bool"
	case n == 1 || !types.Identical(got[n-2], types.Typ[types.Bool]):
		return "has no bool before its error"
	default:
		return c.firstDifference("result", want, got)
	}
}

// qualify writes the names of packages as a declaration in the source's would.
func (c *checker) qualify(p *types.Package) string {
	if p == c.made.Source {
		return ""
	}
	return p.Name()
}

func tupleTypes(t *types.Tuple) (list []types.Type) {
	for v := range t.Variables() {
		list = append(list, v.Type())
	}
	return list
}

// firstDifference says in which one two lists of types differ.
func (c *checker) firstDifference(what string, want, got []types.Type) string {
	name := func(t types.Type) string { return types.TypeString(t, c.qualify) }
	for i := range min(len(want), len(got)) {
		if !types.Identical(want[i], got[i]) {
			return fmt.Sprintf("has the type `%s` for %s %d, and not `%s`", name(got[i]), what, i+1, name(want[i]))
		}
	}
	if len(want) != len(got) {
		return fmt.Sprintf("has %d %s%s, and not %d", len(got), what, map[bool]string{false: "s"}[len(got) == 1], len(want))
	}
	return ""
}
