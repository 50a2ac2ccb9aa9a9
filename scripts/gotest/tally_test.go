package main

import (
	"strings"
	"testing"
	"time"
)

func TestTally(t *testing.T) {
	t.Parallel()
	const pkg = `"Package":"p"`
	for _, tc := range []struct {
		name                    string
		events                  []string
		passed, failed, skipped int
		shows, hides            string
	}{
		{
			name: "a passing test is counted and what it printed is not shown",
			events: []string{
				`{"Action":"output",` + pkg + `,"Test":"TestA","Output":"noise\n"}`,
				`{"Action":"pass",` + pkg + `,"Test":"TestA"}`,
				`{"Action":"output",` + pkg + `,"Output":"ok  \tp\t0.1s\n"}`,
				`{"Action":"pass",` + pkg + `}`,
			},
			passed: 1, shows: "ok  \tp\t0.1s\n", hides: "noise",
		},
		{
			name: "an attribute of a passing test is shown",
			events: []string{
				`{"Action":"attr",` + pkg + `,"Test":"TestA","Key":"figures","Value":"3 of 4"}`,
				`{"Action":"pass",` + pkg + `,"Test":"TestA"}`,
			},
			passed: 1, shows: "TestA: figures: 3 of 4\n",
		},
		{
			name: "a failing test shows what it printed",
			events: []string{
				`{"Action":"output",` + pkg + `,"Test":"TestA","Output":"=== RUN   TestA\n"}`,
				`{"Action":"output",` + pkg + `,"Test":"TestA","Output":"why it failed\n"}`,
				`{"Action":"fail",` + pkg + `,"Test":"TestA"}`,
			},
			failed: 1, shows: "why it failed\n", hides: "=== RUN",
		},
		{
			name: "a skipped test shows why",
			events: []string{
				`{"Action":"output",` + pkg + `,"Test":"TestA","Output":"why it was skipped\n"}`,
				`{"Action":"skip",` + pkg + `,"Test":"TestA"}`,
			},
			skipped: 1, shows: "why it was skipped\n",
		},
		{
			name:   "a test without an end has failed",
			events: []string{`{"Action":"output",` + pkg + `,"Test":"TestA","Output":"=== RUN   TestA\n"}`},
			failed: 1, shows: "NO END: p TestA",
		},
		{
			name:   "a package that fails without a failing test counts once",
			events: []string{`{"Action":"fail",` + pkg + `}`},
			failed: 1,
		},
		{
			name: "a build error and a line that is no event are shown",
			events: []string{
				`{"ImportPath":"p","Action":"build-output","Output":"x.go:1:1: oops\n"}`,
				`go: something else`,
			},
			shows: "x.go:1:1: oops\ngo: something else",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var out strings.Builder
			tally := newTally(&out)
			if err := tally.read(strings.NewReader(strings.Join(tc.events, "\n"))); err != nil {
				t.Fatal(err)
			}
			tally.summary(time.Second)
			if tally.passed != tc.passed || tally.failed != tc.failed || tally.skipped != tc.skipped {
				t.Errorf("counted %d, %d, %d; want %d, %d, %d",
					tally.passed, tally.failed, tally.skipped, tc.passed, tc.failed, tc.skipped)
			}
			if !strings.Contains(out.String(), tc.shows) {
				t.Errorf("does not show %q:\n%s", tc.shows, out.String())
			}
			if tc.hides != "" && strings.Contains(out.String(), tc.hides) {
				t.Errorf("shows %q:\n%s", tc.hides, out.String())
			}
		})
	}
}
