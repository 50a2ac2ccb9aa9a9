package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"
)

// This file turns the events of go test -json back into the lines a person expects, and counts on the way.

// event is what go test -json says (see go doc test2json).
type event struct {
	Action  string
	Package string
	Test    string
	Output  string
	Key     string // of an attribute, which is how a test says what people want to see although it passed
	Value   string
}

// tally is what was seen so far.
type tally struct {
	out                               io.Writer
	passed, failed, skipped, packages int
	printed                           map[string][]string // package and test → what it printed, until its end is known
	failedIn                          map[string]bool     // packages with a failed test
}

func newTally(out io.Writer) *tally {
	return &tally{out: out, printed: map[string][]string{}, failedIn: map[string]bool{}}
}

// read takes events until the end. A line that is no event is passed on as it is.
func (t *tally) read(r io.Reader) error {
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadBytes('\n')
		var e event
		if len(line) > 0 && json.Unmarshal(line, &e) == nil {
			t.take(e)
		} else {
			t.out.Write(line)
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (t *tally) take(e event) {
	name := e.Package + " " + e.Test
	switch e.Action {
	case "output", "build-output":
		if e.Test == "" {
			t.line(e.Output)
		} else {
			t.printed[name] = append(t.printed[name], e.Output)
		}
	case "attr":
		fmt.Fprintf(t.out, "%s: %s: %s\n", e.Test, e.Key, e.Value)
	case "pass", "fail", "skip":
		t.end(e, name)
	}
}

// end counts a test or package that has ended. What a test printed is shown when it failed or was skipped. A package
// that failed although no test of it did (it does not compile, say) counts as one failure.
func (t *tally) end(e event, name string) {
	if e.Test == "" {
		t.packages++
		if e.Action == "fail" && !t.failedIn[e.Package] {
			t.failed++
		}
		return
	}
	switch e.Action {
	case "pass":
		t.passed++
	case "fail":
		t.failed++
		t.failedIn[e.Package] = true
	case "skip":
		t.skipped++
	}
	if e.Action != "pass" {
		for _, s := range t.printed[name] {
			if !strings.HasPrefix(s, "=== ") {
				fmt.Fprint(t.out, s)
			}
		}
	}
	delete(t.printed, name)
}

// line shows a line of a package as a whole, but for the verdict that go test repeats.
func (t *tally) line(s string) {
	if s != "PASS\n" && s != "FAIL\n" {
		fmt.Fprint(t.out, s)
	}
}

// summary is the closing word. A test that never ended (its package crashed or ran into its time limit) counts as
// failed.
func (t *tally) summary(took time.Duration) {
	for name, lines := range t.printed {
		t.failed++
		fmt.Fprintf(t.out, "--- NO END: %s\n%s", name, strings.Join(lines, ""))
	}
	fmt.Fprintf(t.out, "%d packages, %d tests skipped, %.0f seconds\n", t.packages, t.skipped, took.Seconds())
	fmt.Fprintf(t.out, "%d passed, %d failed\n", t.passed, t.failed)
}
