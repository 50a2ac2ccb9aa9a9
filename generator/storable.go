package generator

import (
	"go/token"
	"go/types"

	"github.com/idemgen/idemgen/idem/shape"
	"github.com/idemgen/idemgen/internal/gotypes"
)

// This file is the verdict on the types of results. The rules are those the runtime has, see package shape.

// problem is one thing that is wrong with the type of a result or a parameter. Path and Reason together are a sentence:
// "Plan.Steps[].Run is a function, which json can't write".
type problem struct {
	Path     string     // the type's name, then fields, [] for elements; empty: the type as a whole
	Type     types.Type // what stands there
	Pos      token.Pos  // of the innermost field on the path, if there is one
	Severity Severity
	Code     string
	Reason   string // what is wrong, and what would come back instead
	Mend     string // what to do about it
}

// storable lists what a result of type t would lose in its storage as json; names in paths are as package pkg writes them. What
// depends on type parameters is left to the constructor of the wrapper.
func storable(t types.Type, pkg *types.Package) (problems []problem) {
	for _, p := range shape.Storable(gotypes.Of(t, pkg)) {
		severity, code := Error, codeResult
		if p.Warning {
			severity, code = Warning, codeResultNil
		}
		problems = append(problems, newProblem(p, severity, code))
	}
	return problems
}

func newProblem(p shape.Problem, s Severity, code string) problem {
	return problem{p.Path, gotypes.Type(p.Type), token.Pos(p.Pos), s, code, p.Reason, p.Mend}
}
