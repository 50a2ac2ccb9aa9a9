package main

import (
	"encoding/json"
	"fmt"
	"io"
	"runtime/debug"

	"github.com/idemgen/idemgen/generator"
)

// This file prints what a run found.

// leftOver is the warning of an output whose annotations are gone. To -check that is out of date like any other: the wrapper still
// compiles and is used, and nothing that is annotated from now on reaches it.
const leftOver = "IDEM073"

// report prints, and gives the exit code.
func report(c command, r *generator.Result, stdout, stderr io.Writer) int {
	code := exitDone
	for _, d := range r.Diagnostics {
		if d.Severity == generator.Error || c.check && d.Code == leftOver {
			code = exitFail
		}
		if c.json {
			line, _ := json.Marshal(d) // strings and numbers: it can't fail
			fmt.Fprintf(stdout, "%s\n", line)
		} else {
			fmt.Fprintln(stderr, d)
		}
	}
	for _, n := range r.Notes {
		fmt.Fprintln(stderr, "note: "+n)
	}
	for _, f := range r.Files {
		if !f.Changed() {
			continue
		}
		if c.list {
			fmt.Fprintln(stdout, f.Path)
		}
		if c.diff {
			fmt.Fprint(stdout, unified(f.Path, f.Old, f.Content))
			code = exitFail
		}
		if c.check {
			fmt.Fprintln(stderr, f.Path+": out of date; run idemgen")
			code = exitFail
		}
	}
	return code
}

// explain prints what a code means.
func explain(code string, stdout, stderr io.Writer) int {
	c, ok := generator.Explain(code)
	if !ok {
		fmt.Fprintf(stderr, "idemgen: there is no diagnostic %s\n", code)
		return exitUsage
	}
	fmt.Fprintf(stdout, "%s: %s\n\n%s\n\nTo mend it: %s\n", c.ID, c.Title, c.Cause, c.Mend)
	return exitDone
}

// version is the module's version as the go command recorded it, and the toolchain's.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "idemgen (unknown version)"
	}
	text := "idemgen " + info.Main.Version
	if info.Main.Version == "" {
		text = "idemgen (devel)"
	}
	return text + " " + info.GoVersion
}
