package gotypes_test

import (
	"go/ast"
	"go/types"
	"reflect"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"

	"github.com/idemgen/idemgen/idem/shape"
	"github.com/idemgen/idemgen/internal/gotypes"
)

// checkedTypes loads this package's own source and finds the type of each sample, in order.
func checkedTypes(t *testing.T) []types.Type {
	t.Helper()
	mode := packages.NeedName | packages.NeedFiles | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports
	loaded, err := packages.Load(&packages.Config{Mode: mode, Tests: true}, ".")
	if err != nil {
		t.Fatal(err)
	}
	var found []types.Type
	for _, p := range loaded {
		for _, file := range p.Syntax {
			if !strings.HasSuffix(p.Fset.File(file.FileStart).Name(), "samples_test.go") {
				continue
			}
			ast.Inspect(file, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok {
					return true
				}
				fun := call.Fun
				if i, ok := fun.(*ast.IndexExpr); ok {
					fun = i.X
				}
				if id, ok := fun.(*ast.Ident); ok && slices.Contains([]string{"whole", "altered", "mended", "lossy"}, id.Name) {
					found = append(found, p.TypesInfo.Instances[id].TypeArgs.At(0))
				}
				return true
			})
		}
	}
	if len(found) != len(samples) {
		t.Fatalf("%d samples in the source, %d in the program", len(found), len(samples))
	}
	return found
}

func TestVerdictAgreesWithWhatJSONDoes(t *testing.T) {
	t.Parallel()
	if len(samples) < 150 {
		t.Fatalf("only %d samples", len(samples))
	}
	for _, s := range samples {
		t.Run(s.typ.String(), func(t *testing.T) {
			t.Parallel()
			problems := shape.Storable(shape.Of(s.typ))
			if got := verdictOf(problems); got != s.want {
				t.Errorf("verdict %d, want %d: %v", got, s.want, problems)
			}
			if survives := s.survives(t); survives != (s.want == fine || s.mayCome) {
				t.Errorf("values survive: %t; problems: %v", survives, problems)
			}
		})
	}
}

func TestSourceAndReflectionAgree(t *testing.T) {
	t.Parallel()
	checked := checkedTypes(t)
	for i, s := range samples {
		t.Run(s.typ.String(), func(t *testing.T) {
			source, reflected := gotypes.Of(checked[i], nil), shape.Of(s.typ)
			if a, b := source.Name(), reflected.Name(); a != b {
				t.Errorf("name %s, by reflection %s", a, b)
			}
			if a, b := respelled(shape.Storable(source)), respelled(shape.Storable(reflected)); !reflect.DeepEqual(a, b) {
				t.Errorf("storable: source\n\t%v\nreflection\n\t%v", a, b)
			}
			if a, b := respelled(shape.Comparable(source)), respelled(shape.Comparable(reflected)); !reflect.DeepEqual(a, b) {
				t.Errorf("comparable: source\n\t%v\nreflection\n\t%v", a, b)
			}
			if a, b := shape.Schema(source), shape.Schema(reflected); a != b {
				t.Errorf("schema %s, by reflection %s", a, b)
			}
		})
	}
}

// respelled writes type arguments as reflection does, types by name, and no positions, which only sources have.
func respelled(problems []shape.Problem) []shape.Problem {
	for i := range problems {
		problems[i].Rule += " " + problems[i].Type.Name()
		problems[i].Type, problems[i].Pos = nil, 0
		problems[i].Path = strings.NewReplacer(", ", ",", "any", "interface {}").Replace(problems[i].Path)
	}
	return problems
}
