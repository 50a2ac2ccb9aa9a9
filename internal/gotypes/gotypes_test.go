package gotypes_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"testing"

	"github.com/idemgen/idemgen/idem/shape"
	"github.com/idemgen/idemgen/internal/gotypes"
)

const source = `package shop

type step struct{ Run func() }
type Plan struct{ Steps []step }
type Box[T any] struct {
	Value T
	Next  *Box[T]
	note  int
}
type number = int64

func f[T any, K comparable, S ~[]T](
	bare T, list []T, mapped map[K]*T, shaped S, boxed Box[T], mixed struct{ A T; F func() }, hidden struct{ a T }, local Plan, alias number,
) {
}`

// parameters type-checks the source and returns the types of f's parameters by name.
func parameters(t *testing.T) (map[string]types.Type, *types.Package) {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "shop.go", source, 0)
	if err != nil {
		t.Fatal(err)
	}
	pkg, err := new(types.Config).Check("example.com/shop", fset, []*ast.File{file}, nil)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]types.Type{}
	for p := range pkg.Scope().Lookup("f").Type().(*types.Signature).Params().Variables() {
		found[p.Name()] = p.Type()
	}
	return found, pkg
}

func TestTypeParameters_AreLeftToTheInstance(t *testing.T) {
	t.Parallel()
	found, pkg := parameters(t)
	for name, want := range map[string]struct{ stored, compared []string }{
		"bare":   {},
		"list":   {},
		"mapped": {},
		"shaped": {},
		"boxed":  {[]string{"Box[T].note"}, []string{""}},
		"mixed":  {[]string{"F"}, []string{"F"}},
		"hidden": {[]string{"a"}, []string{""}},
		"local":  {[]string{"Plan.Steps[].Run"}, []string{"Plan.Steps[].Run"}},
		"alias":  {},
	} {
		typ := gotypes.Of(found[name], pkg)
		if got := paths(shape.Storable(typ)); !slices.Equal(got, want.stored) {
			t.Errorf("%s stored: problems at %q, want %q", name, got, want.stored)
		}
		if got := paths(shape.Comparable(typ)); !slices.Equal(got, want.compared) {
			t.Errorf("%s compared: problems at %q, want %q", name, got, want.compared)
		}
	}
}

func paths(problems []shape.Problem) (out []string) {
	for _, p := range problems {
		out = append(out, p.Path)
	}
	return out
}

func TestLabel_LeavesOutTheLocalPackage(t *testing.T) {
	t.Parallel()
	found, pkg := parameters(t)
	if got := gotypes.Of(found["local"], pkg).Label(); got != "Plan" {
		t.Errorf("got %s", got)
	}
	if got := gotypes.Of(found["local"], nil).Label(); got != "shop.Plan" {
		t.Errorf("got %s", got)
	}
}
