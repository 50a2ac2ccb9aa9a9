package generator

import (
	"go/types"
	"strings"

	"github.com/idemgen/idemgen/idem/shape"
	"github.com/idemgen/idemgen/internal/gotypes"
)

// This file is the verdict on the types of parameters. The rules are those the runtime has, see package shape.

// fingerprintable lists what keeps arguments of type t from being compared with a duplicate's; names in paths are as package pkg writes
// them. What an interface holds, and whether pointers lead in a circle, only shows at run time.
func fingerprintable(t types.Type, pkg *types.Package) (problems []problem) {
	for _, p := range shape.Comparable(gotypes.Of(t, pkg)) {
		problems = append(problems, newProblem(p, Error, codeParameter))
	}
	return problems
}

// getters are calls of a protobuf message's methods, as a fingerprint could name them: of the first fields, which mostly say what is
// asked for. Nil: t is no message.
func getters(name string, t types.Type) (calls []string) {
	message, ok := t.Underlying().(*types.Pointer)
	if !ok {
		return nil
	}
	fields, ok := message.Elem().Underlying().(*types.Struct)
	if _, is := gotypes.Of(message.Elem(), nil).Method(shape.ProtoMessage); !ok || !is {
		return nil
	}
	const most = 2
	for f := range fields.Fields() {
		getter, _, _ := types.LookupFieldOrMethod(t, true, f.Pkg(), "Get"+f.Name())
		if _, ok := getter.(*types.Func); ok && f.Exported() && len(calls) < most {
			calls = append(calls, name+".Get"+f.Name()+"()")
		}
	}
	return calls
}

// mendParameters is how to leave such parameters out, or to say what counts in them instead.
func mendParameters(names []string, ts []types.Type) string {
	mend := "leave it out of the fingerprint with `//idem:fingerprint except " + strings.Join(names, ", ") + "`"
	for i, t := range ts {
		if calls := getters(names[i], t); len(calls) > 0 {
			return "name what counts, say with `//idem:fingerprint " + strings.Join(calls, ", ") + "`, or " + mend
		}
	}
	return mend
}
