package generator

import (
	"go/types"

	"github.com/idemgen/idemgen/idem/shape"
	"github.com/idemgen/idemgen/internal/gotypes"
)

// This file is the verdict on the types of parameters. The rules are those the runtime has, see package shape.

// fingerprintable lists what keeps arguments of type t from being compared with a duplicate's. What an interface holds, and
// whether pointers lead in a circle, only shows at run time.
func fingerprintable(t types.Type) (problems []problem) {
	for _, p := range shape.Comparable(gotypes.Of(t, nil)) {
		problems = append(problems, problem{p.Path, Error, codeParameter, p.Reason, p.Mend})
	}
	return problems
}
