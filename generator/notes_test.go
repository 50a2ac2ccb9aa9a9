package generator

import (
	"slices"
	"strings"
	"testing"
)

// This file is about what is said of settings that are allowed and may surprise.

func TestNotesOnTakeover(t *testing.T) {
	t.Parallel()
	root := tree(t, "go.mod: module m\n\ngo 1.26\n", `a.go: package m

import "context"

//idem:wrap
//idem:takeover rerun maxattempts 4
type I interface {
	//idem:key id
	//idem:takeover hold
	Hold(ctx context.Context, id string) error
	//idem:key id
	//idem:takeover hold
	//idem:detach
	Detached(ctx context.Context, id string) error
	//idem:key id
	//idem:takeover hold maxattempts 3
	Attempts(ctx context.Context, id string) error
	//idem:key id
	//idem:takeover rerun maxattempts 3
	//idem:tx
	Tx(ctx context.Context, id string) error
	//idem:key id
	//idem:tx
	Inherits(ctx context.Context, id string) error
	//idem:key id
	//idem:errors unknown error
	Classified(ctx context.Context, id string) error
}

//idem:wrap
//idem:errors unknown context.Canceled
type J interface {
	//idem:key id
	Classified(ctx context.Context, id string) error
}

//idem:wrap
type K interface {
	//idem:key id
	Plain(ctx context.Context, id string) error
}
`)
	want := []string{ // the beginnings of all notes
		"I.Attempts holds: each caller that hangs up", "I.Hold holds: each caller that hangs up",
		"an error that is marked neither", "maxattempts of I.Attempts counts nothing: under hold",
		"maxattempts of I.Tx counts nothing: under a transaction",
	}
	_, said, r := outcome(t, root, Options{Patterns: []string{"."}})
	if len(said) > 0 {
		t.Errorf("said %v", said)
	}
	if !slices.EqualFunc(r.Notes, want, strings.HasPrefix) {
		t.Errorf("noted %q, want %q", r.Notes, want)
	}
	for _, n := range r.Notes {
		if strings.HasPrefix(n, "an error that") && !strings.HasSuffix(n, ": m.K.Plain") {
			t.Errorf("methods whose errors have classes are not: %s", n)
		}
		if strings.HasPrefix(n, "I.Hold") && !strings.Contains(n, "detach") {
			t.Errorf("what mends it is left out: %s", n)
		}
	}
}
