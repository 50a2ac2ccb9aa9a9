package main

import (
	"fmt"
	"io"
	"slices"

	"github.com/idemgen/idemgen/generator"
)

// This file prints what a run found, for people.

const (
	leftOver      = "IDEM073"
	operationGone = "IDEM084"
)

// outOfDate are the warnings that -check fails for. An output whose annotations are gone is out of date like any other: the wrapper still
// compiles and is used, and nothing that is annotated from now on reaches it. And what is gone from the source, but not from idem.lock,
// somebody has to accept.
var outOfDate = []string{leftOver, operationGone}

func report(w wish, r *generator.Result, stdout, stderr io.Writer) error {
	for _, d := range r.Diagnostics {
		fmt.Fprintln(stderr, d)
	}
	for _, n := range r.Notes {
		fmt.Fprintln(stderr, "note: "+n)
	}
	for _, f := range r.Files {
		if !f.Changed() {
			continue
		}
		if w.list {
			fmt.Fprintln(stdout, f.Path)
		}
		if w.diff {
			fmt.Fprint(stdout, unified(f.Path, f.Old, f.Content))
		}
		if w.check {
			fmt.Fprintln(stderr, f.Path+": out of date; run idemgen")
		}
	}
	return verdict(w, r)
}

// verdict is errFailed where there are errors or, when asked for that, something to change.
func verdict(w wish, r *generator.Result) error {
	for _, d := range r.Diagnostics {
		if d.Severity == generator.Error || w.check && slices.Contains(outOfDate, d.Code) {
			return errFailed
		}
	}
	for _, f := range r.Files {
		if f.Changed() && (w.check || w.diff) {
			return errFailed
		}
	}
	return nil
}
