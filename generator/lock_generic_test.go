package generator

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// This file is about idem.lock and what depends on type parameters.

// What depends on a type parameter has no upcast, and its operation's name follows from the method's: other ways on are named.
func TestLock_SaysOfGenericsWhatIsPossible(t *testing.T) {
	t.Parallel()
	const source = "package m" + importContext + `
type Box[T any] struct {
	Value T
	N     *int
}

//idem:wrap
type Boxes[T any] interface {
	//idem:key id
	Put(ctx context.Context, id string) (Box[T], error)

	//idem:key id
	Drop(ctx context.Context, id string) error
}
`
	root := tree(t, "go.mod: module m\n\ngo 1.26\n", "m.go: "+source)
	if r, err := Run(t.Context(), Options{Dir: root, Write: true}); err != nil || len(r.Diagnostics) > 0 {
		t.Fatal(err, r)
	}
	changed := strings.NewReplacer("*int", "int", "Drop", "Lose").Replace(source)
	if err := os.WriteFile(filepath.Join(root, "m.go"), []byte(changed), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := Run(t.Context(), Options{Dir: root})
	if err != nil || len(r.Diagnostics) != 2 {
		t.Fatal(err, r)
	}
	for i, want := range []string{"or read it in an UnmarshalJSON of the type", "or keep the names of the method, its interface and its package"} {
		if said := r.Diagnostics[i].Text; !strings.HasSuffix(said, want) {
			t.Errorf("%s; want %s", said, want)
		}
	}
}
