package generator

import (
	"cmp"
	"fmt"
	"go/token"
	"go/types"
	"reflect"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/idem/shape"
	"github.com/idemgen/idemgen/internal/gotypes"
)

// This file turns the verdicts on types into diagnostics: one for each type that is written, however much is wrong with it.

// resultsSurvive wants results that a replay gives back as they were.
func (c *checker) resultsSurvive(w *wrapper, m *method) {
	lossy, accepted := note(m.Notes, "lossy")
	if m.Stored == storedProto {
		return // which messagesCanBeStored looks at
	}
	lost, unknown := c.errorsSurvive(m)
	if m.Stored == storedOwn && (m.Codec == nil || !m.Codec.JSON) {
		if accepted && m.Codec != nil && !lost && !unknown {
			c.errorf(lossy.Pos, codeNoEffect, "`idem:lossy` has no effect: the results of `%s` are stored by `%s`, about which nothing is known; delete it",
				w.method(m), m.Codec.Text)
		}
		return
	}
	if accepted {
		m.CheckResults = false
	}
	for at, indexes := range byPlace(m.Returns[:len(m.Results)]) {
		var problems []problem
		for _, i := range indexes {
			if unknown = unknown || generic(m.Results[i]); c.brokenWithin(m.Results[i], at) {
				unknown = true
				continue
			}
			problems = append(problems, storable(m.Results[i], c.made.Source)...)
			if why := unreadable(m.Results[i]); accepted && why != "" {
				c.errorf(at, codeResult, "result %d of keyed method `%s` %s: `//idem:lossy` can't accept that, because no replay could ever be given; %s",
					i+1, w.method(m), why, cmp.Or(m.resultMend(), "return another type"))
			}
		}
		lost = lost || len(problems) > 0
		if !accepted {
			c.verdict(at, problems, fmt.Sprintf("%s of keyed method `%s`", numbered("result", indexes), w.method(m)), m.resultMend())
		}
	}
	if accepted && !lost && !unknown {
		c.errorf(lossy.Pos, codeNoEffect, "`idem:lossy` has no effect, because the results of `%s` survive storage%s; delete it", w.method(m), map[bool]string{true: ", and so do its errors"}[m.storesErrors()])
	}
}

// unreadable says why no value of t, or none but nil, can be stored and read again; empty: some can.
func unreadable(t types.Type) string {
	seen := map[types.Type]bool{}
	var within func(t types.Type) string
	within = func(t types.Type) string {
		s := gotypes.Of(t, nil)
		if _, writes := s.Method(shape.MarshalJSON); writes || seen[t] {
			return ""
		} else if _, writes := s.Method(shape.MarshalText); writes {
			return ""
		}
		seen[t] = true
		switch u := t.Underlying().(type) {
		case *types.Chan:
			return "a channel"
		case *types.Signature:
			return "a function"
		case *types.Basic:
			if u.Info()&types.IsComplex != 0 {
				return "a complex number"
			}
		case *types.Array:
			if u.Len() > 0 {
				return within(u.Elem())
			}
		case *types.Struct:
			for i := range u.NumFields() {
				tag := reflect.StructTag(u.Tag(i)).Get("json")
				if f := u.Field(i); f.Exported() && !f.Embedded() && tag != "-" && !strings.Contains(tag, ",omit") {
					if why := within(f.Type()); why != "" {
						return why
					}
				}
			}
		}
		return ""
	}
	if i, ok := t.Underlying().(*types.Interface); ok && i.NumMethods() > 0 && !types.Identical(t, types.Universe.Lookup("error").Type()) && !generic(t) {
		return "is an interface, whose values json can't read back"
	}
	why := within(types.Unalias(t))
	if why == "" {
		return ""
	}
	verb := "is "
	switch t.Underlying().(type) {
	case *types.Struct, *types.Array:
		verb = "holds "
	}
	return verb + why + ", which json can't write"
}

// parametersCount wants parameters that can be compared between calls.
func (c *checker) parametersCount(w *wrapper, m *method) {
	places := map[token.Position][]int{}
	for i, a := range m.Fingerprint {
		if a.Param < 0 {
			if !c.brokenWithin(a.Expr.Type, a.Expr.Pos) {
				c.verdict(a.Expr.Pos, fingerprintable(a.Expr.Type, c.made.Source), fmt.Sprintf("`%s` in the fingerprint of `%s`", a.Expr.Text, w.method(m)), "")
			}
			continue
		}
		at := m.Params[a.Param]
		places[at] = append(places[at], i)
	}
	for at, args := range places {
		var problems []problem
		var names []string
		var ts []types.Type
		for _, i := range args {
			a := m.Fingerprint[i]
			p := m.Sig.Params().At(a.Param)
			t, name := p.Type(), cmp.Or(strings.Trim(p.Name(), "_"), a.Name)
			if !c.brokenWithin(t, at) {
				for _, p := range fingerprintable(t, c.made.Source) {
					if strings.HasPrefix(p.Path, "[") {
						p.Path = name + p.Path // the type has no name to begin with
					}
					problems = append(problems, p)
				}
				names, ts = append(names, name), append(ts, t)
			}
		}
		if len(names) == 0 {
			continue
		}
		what := fmt.Sprintf("parameter%s %s of keyed method `%s`", map[bool]string{true: "s"}[len(names) > 1], list(names), w.method(m))
		c.verdict(at, problems, what, mendParameters(names, ts))
	}
}

// byPlace groups indexes by what they hold: several results may share one type expression.
func byPlace(places []token.Position) map[token.Position][]int {
	groups := map[token.Position][]int{}
	for i, at := range places {
		groups[at] = append(groups[at], i)
	}
	return groups
}

func numbered(what string, indexes []int) string {
	numbers := make([]string, len(indexes))
	for i, n := range indexes {
		numbers[i] = fmt.Sprint(n + 1)
	}
	if len(numbers) > 1 {
		what += "s"
	}
	return what + " " + strings.Join(numbers, ", ")
}

// verdict reports problems as one diagnostic: the errors among them, or else the warnings.
func (c *checker) verdict(at token.Position, problems []problem, what, mend string) {
	severity := Error
	if !slices.ContainsFunc(problems, func(p problem) bool { return p.Severity == Error }) {
		severity = Warning
	}
	problems = slices.DeleteFunc(problems, func(p problem) bool { return p.Severity != severity })
	if len(problems) == 0 {
		return
	}
	text := what + ": " + c.faults(problems, mend)
	if severity == Error {
		c.errorf(at, problems[0].Code, "%s", text)
	} else {
		c.report.warnf(at, problems[0].Code, "%s", text)
	}
}

// So many faults of one type are told, and so many places with the same fault. What is left is told when these are mended.
const (
	mostFaults = 3
	mostPlaces = 5
)

// faults says what is wrong with what, or where in it, and what to do: mend, or for each fault what its rule says. Places with the same
// fault share a sentence.
func (c *checker) faults(problems []problem, mend string) string {
	var order []string
	places := map[string][]string{}
	mends := map[string]string{}
	for _, p := range problems {
		if places[p.Reason] == nil {
			order = append(order, p.Reason)
			mends[p.Reason] = c.mend(p)
		}
		if place := c.where(p); !slices.Contains(places[p.Reason], place) {
			places[p.Reason] = append(places[p.Reason], place)
		}
	}
	var told []string
	for _, reason := range order[:min(len(order), mostFaults)] {
		text := places[reason][0] + " " + reason
		if others := places[reason][1:]; len(others) > 0 {
			if more := len(others) - mostPlaces; more > 0 {
				others = append(others[:mostPlaces:mostPlaces], fmt.Sprint(more, " more"))
			}
			text += "; the same goes for " + enumerate(others)
		}
		if mend == "" {
			text += "; " + mends[reason]
		}
		told = append(told, text)
	}
	if mend != "" {
		told = append(told, mend)
	}
	text := strings.Join(told, "; ")
	if len(order) > mostFaults {
		text = fmt.Sprintf("%d faults, the first %d: ", len(order), mostFaults) + text
	}
	return text
}

// brokenWithin reports the errors in the declarations that t is made of; at is where t is written.
func (c *checker) brokenWithin(t types.Type, at token.Position) bool {
	if !incomplete(t, true) {
		return false
	}
	before := len(c.report.found)
	contains(t, true, func(t types.Type) bool {
		if n, ok := t.(*types.Named); ok && incomplete(n.Underlying(), false) {
			c.errorsOf(c.made.source, n.Obj())
		}
		return false
	})
	if len(c.report.found) == before {
		c.errorf(at, codeBrokenType, "a part of the type %s does not compile; mend that first", types.TypeString(t, types.RelativeTo(c.made.Source)))
	}
	return true
}
