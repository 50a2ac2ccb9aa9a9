package lab

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"testing"

	"golang.org/x/tools/go/packages"

	"github.com/idemgen/idemgen/idem/shape"
	"github.com/idemgen/idemgen/internal/gotypes"
	"github.com/idemgen/idemgen/lab/catalogue"
	"github.com/idemgen/idemgen/lab/specimen"
)

const seed = 20260101

// TestVerdictsMatchReality stores values of every type of the catalogue and reads them back: what the generator says of the type,
// what the runtime says of it, and what became of the values must agree.
func TestVerdictsMatchReality(t *testing.T) {
	t.Parallel()
	const pattern = "github.com/idemgen/idemgen/lab/catalogue"
	all := catalogue.All()
	checked := instances(load(t, packages.Config{}, pattern))
	if len(checked) != len(all) {
		t.Fatalf("%d types in the source, %d at run time", len(checked), len(all))
	}
	if len(all) < 150 {
		t.Errorf("only %d types", len(all))
	}
	tally := specimen.NewTally()
	for i, s := range all {
		name := types.TypeString(checked[i], (*types.Package).Name)
		for _, fault := range tally.Compare(name, shape.Storable(gotypes.Of(checked[i], nil)), s.Report(seed)) {
			t.Error(fault)
		}
	}
	t.Log(tally)
}

// load type-checks packages from source.
func load(t *testing.T, c packages.Config, patterns ...string) *packages.Package {
	t.Helper()
	c.Mode = packages.NeedName | packages.NeedFiles | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports
	loaded, err := packages.Load(&c, patterns...)
	if err != nil {
		t.Fatal(err)
	}
	if len(loaded) != 1 || len(loaded[0].Errors) > 0 {
		t.Fatalf("%d packages: %v", len(loaded), loaded[0].Errors)
	}
	return loaded[0]
}

// instances are the types that specimen.Of and Trusted are called for, by file name, in the order of their calls.
func instances(p *packages.Package) (found []types.Type) {
	slices.SortFunc(p.Syntax, func(a, b *ast.File) int {
		return cmp.Compare(p.Fset.File(a.Pos()).Name(), p.Fset.File(b.Pos()).Name())
	})
	for _, f := range p.Syntax {
		at := map[token.Pos]types.Type{}
		for id, instance := range p.TypesInfo.Instances {
			if id.Pos() >= f.FileStart && id.Pos() < f.FileEnd && (id.Name == "Of" || id.Name == "Trusted") {
				at[id.Pos()] = instance.TypeArgs.At(0)
			}
		}
		for _, pos := range slices.Sorted(maps.Keys(at)) {
			found = append(found, at[pos])
		}
	}
	return found
}
