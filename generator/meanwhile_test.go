package generator

import (
	"context"
	"strings"
	"testing"
)

// overtaken is a loader that another run overtakes: before it loads, or after.
type overtaken struct {
	loader
	before  bool
	another func()
}

func (o *overtaken) load(ctx context.Context, q request) (*loaded, error) {
	if o.before {
		o.another()
	}
	l, err := o.loader.load(ctx, q)
	if !o.before {
		o.another()
	}
	return l, err
}

func TestARunThatIsOvertakenGivesTheAnswerOfTheOther(t *testing.T) {
	t.Parallel()
	for _, how := range []Load{LoadLean, LoadWhole} {
		for _, before := range []bool{true, false} {
			root := tree(t, "go.mod: module m\n\ngo 1.26\n", "a/a.go: package a"+importContext+keyed("Store"))
			o := Options{Dir: root, Patterns: []string{"./..."}, Write: true, Tests: true}
			runs := 0
			mine := o
			mine.loader = &overtaken{loader: loaderFor(Options{Load: how}), before: before, another: func() {
				runs++
				if _, err := Run(t.Context(), o); err != nil {
					t.Error(err)
				}
			}}
			got := answer(Run(t.Context(), mine))
			if want := answer(Run(t.Context(), o)); got != want || strings.Contains(got, "changed true") || runs != 2 {
				t.Errorf("%q, before it loads: %t: after %d runs\n%s\nwant\n%s", how, before, runs, got, want)
			}
		}
	}
}

// Where others write without end, a run says so.
func TestARunThatIsAlwaysOvertakenIsAnError(t *testing.T) {
	t.Parallel()
	root := tree(t, "go.mod: module m\n\ngo 1.26\n", "a/a.go: package a"+importContext+keyed("Store"))
	runs := 0
	_, err := Run(t.Context(), Options{Dir: root, Patterns: []string{"./..."}, loader: &overtaken{loader: &lean{}, another: func() {
		put(t, root, "a/"+outputNames[runs%2], header+"\n\npackage a\n")
		remove(t, root, "a/"+outputNames[(runs+1)%2])
		runs++
	}}})
	if err != errMeanwhile || runs != runsInARow {
		t.Errorf("after %d runs: %v", runs, err)
	}
}
