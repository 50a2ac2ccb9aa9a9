package generator

import (
	"go/types"
	"path/filepath"
	"strings"

	"github.com/idemgen/idemgen/templates"
)

// This file is about -tests: a test file beside each output, in which what its keyed methods return is stored and read again. An existing
// one is kept up to date without being asked for; whoever deletes it has no such tests any more.

// roundTripPath is the test file of the output at path; empty: interfaces of test files have none.
func roundTripPath(path string) string {
	base := strings.TrimSuffix(filepath.Base(path), ".go")
	if strings.HasSuffix(base, "_test") {
		return ""
	}
	return filepath.Join(filepath.Dir(path), "idem_gen_roundtrip"+strings.TrimPrefix(base, "idem_gen")+"_test.go")
}

// constrainedBy is the source file that an output is called after, whose constraints it stands under; empty: it is called after none.
func constrainedBy(output string) string {
	base, ok := strings.CutPrefix(output, "idem_gen_")
	if !ok {
		return ""
	}
	if rest, ok := strings.CutPrefix(base, "roundtrip_"); ok && strings.HasSuffix(rest, "_test.go") {
		return strings.TrimSuffix(rest, "_test.go") + ".go"
	}
	return base
}

// roundTrips is the text of the tests for o, whose code has been named n; nil: there is nothing to test.
func roundTrips(o *output, n *naming) ([]byte, error) {
	file := templates.RoundTrips{Package: o.PkgName, Path: o.PkgPath, Constraint: o.Constraint}
	taken := reserved.with(takenBy(o), o.Imported)
	for i, w := range o.Wrappers {
		for j, m := range w.Methods {
			name := w.method(m)
			_, lossy := note(m.Notes, "lossy")
			switch {
			case !m.Keyed || len(m.Results) == 0:
			case len(w.TypeParams) > 0:
				file.LeftOut = append(file.LeftOut, name+", whose results depend on type arguments")
			case lossy:
				file.LeftOut = append(file.LeftOut, name+", which is lossy on purpose")
			default:
				test := upperInitial(w.Named.Name()) + upperInitial(m.Name) + "RoundTrip"
				one := templates.RoundTrip{
					Test: taken.pick("Test" + test), Fuzz: taken.pick("Fuzz" + test), Method: name, Operation: n.wrappers[i].methods[j].operation,
				}
				if w.holds() {
					one.Ctor = w.Ctor
				}
				o.Taken[one.Test], o.Taken[one.Fuzz] = w.Pos, w.Pos
				file.Tests = append(file.Tests, one)
			}
		}
	}
	if len(file.Tests) == 0 {
		return nil, nil
	}
	file.Imports = nameImports(map[string]*types.Package{
		"testing": types.NewPackage("testing", "testing"), templates.TestingPath: types.NewPackage(templates.TestingPath, "idemtest"),
	}, o.PkgPath, reserved.with(takenBy(o), listed("t", "f"))) // what other files import by a name is theirs alone
	return file.Render()
}
