package generator

import (
	"go/types"
	"slices"

	"github.com/idemgen/idemgen/idem/shape"
	"github.com/idemgen/idemgen/internal/gotypes"
	"github.com/idemgen/idemgen/internal/lock"
	"github.com/idemgen/idemgen/templates"
)

// This file is about final errors, which are stored: which can't be, what of their data would get lost, and what idem.lock says of them.

// interruptions are variables that say of a call that it was interrupted.
var interruptions = map[string][]string{
	"context":             {"Canceled", "DeadlineExceeded"},
	templates.RuntimePath: {"ErrLeaseLost", "ErrClosed"},
}

// notAnOutcome says why a rule can't make errors outcomes; empty: it can, or is none that does.
func (a errorRule) notAnOutcome() string {
	switch {
	case a.Class != "final":
		return ""
	case a.Value != nil && a.Value.Pkg() != nil && slices.Contains(interruptions[a.Value.Pkg().Path()], a.Value.Name()):
		return "says that a call was interrupted, which is nobody's outcome; delete it"
	case a.Value == nil && types.IsInterface(a.Type) && !isError(a.Type):
		return "is an interface, of which nobody knows which type a replay has to give back; name the types, or `error` for all errors with their texts alone"
	}
	return ""
}

func isError(t types.Type) bool { return types.Identical(t, types.Universe.Lookup("error").Type()) }

// storedAsJSON tells whether errors of the rule are stored with data.
func (a errorRule) storedAsJSON() bool {
	return a.Class == "final" && a.Value == nil && !isError(a.Type)
}

// code is what final errors of the rule are stored under, with _ for what only the program knows.
func (a errorRule) code() string {
	if a.Value != nil {
		return a.Value.Pkg().Path() + "." + a.Value.Name()
	}
	return gotypes.TypeName(a.Type)
}

// lossy tells whether it is accepted that not everything survives.
func (m *method) lossy() bool {
	_, ok := note(m.Notes, "lossy")
	return ok
}

// errorsSurvive wants final errors whose data a replay gives back. It reports whether anything gets lost, or might, of what is accepted.
func (c *checker) errorsSurvive(m *method) (lost, unknown bool) {
	for _, rule := range m.Errors {
		if !rule.storedAsJSON() {
			continue
		}
		unknown = unknown || generic(rule.Type)
		if c.brokenWithin(rule.Type, rule.Pos) {
			unknown = true
			continue
		}
		var problems []problem
		for _, p := range shape.StorableError(gotypes.Of(rule.Type, c.made.Source)) {
			severity, code := Error, codeErrorData
			if p.Warning {
				severity, code = Warning, codeResultNil
			}
			problems = append(problems, newProblem(p, severity, code))
		}
		lost = lost || len(problems) > 0
		if said := (judged{c.made, rule.Pos}); len(problems) > 0 && !m.lossy() && !c.judged[said] { // one line may be about several methods
			c.judged[said] = true
			c.verdict(rule.Pos, problems, "final error `"+rule.Text+"`", "")
		}
	}
	return lost, unknown
}

// storesErrors tells whether errors of the method are stored with their data.
func (m *method) storesErrors() bool { return slices.ContainsFunc(m.Errors, errorRule.storedAsJSON) }

// lockErrors are the final errors of a method, as idem.lock has them.
func (m *method) lockErrors() (list []lock.StoredError) {
	for _, rule := range m.Errors {
		if rule.Class != "final" {
			continue
		}
		e := lock.StoredError{Code: rule.code()}
		switch {
		case rule.Value != nil:
			e.Layout = &shape.Layout{Form: lock.FormValue}
		case isError(rule.Type):
			e.Layout = &shape.Layout{Form: lock.FormText}
		default:
			e.Layout = shape.ErrorLayout(gotypes.Of(rule.Type, nil))
		}
		list = append(list, e)
	}
	return list
}
