package generator

import (
	"slices"
	"testing"
)

// A generic type whose instances go on without end is the compiler's to refuse; a run has to end all the same.
func TestRunEndsOnEndlessTypes(t *testing.T) {
	t.Parallel()
	root := tree(t, "go.mod: module m\n\ngo 1.26\n", `endless/e.go: package endless

import "context"

type P[T any] struct {
	V    T
	Next *P[P[T]]
	List []P[map[string]T]
}

//idem:wrap
type Store interface {
	//idem:key id
	Get(ctx context.Context, id string, with P[int]) (P[string], error)
}
`)
	files, said, _ := outcome(t, root, Options{Patterns: []string{"./endless"}})
	if !slices.Equal(files, []string{"endless/idem_gen.go"}) && len(said) == 0 {
		t.Errorf("files %v, said %v", files, said)
	}
}
