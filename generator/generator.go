// Package generator turns annotated Go interfaces into typed wrappers that run each keyed method at most once per
// idempotency key. It is a pipeline of plain stages, each in a file of its own:
//
//	scan → load → read → check → name → emit → write
package generator

import "context"

// Options is what a run is asked to do.
type Options struct {
	Dir      string   // working directory; empty: the process's
	Patterns []string // packages, as the go command takes them; empty: "."
	Tags     string   // build tags, comma-separated
	Out      string   // write the wrappers into the package in this directory instead of beside their interfaces
	Write    bool     // write what changed; else only find out
}

// File is one file the run stands for.
type File struct {
	Path    string // relative to Options.Dir where it lies below it
	Content []byte // what it should hold
	Old     []byte // what it holds; nil: there is none
}

// Changed reports whether the file has to be written.
func (f File) Changed() bool { return f.Old == nil || string(f.Old) != string(f.Content) }

// Result is what a run found. Files of packages with an error are not in it.
type Result struct {
	Files       []File       // sorted by path
	Diagnostics []Diagnostic // sorted by file, line, column
	Notes       []string     // sorted; no diagnostics: they never change the exit
}

// Run generates. User mistakes are Diagnostics of the result; an error is something else that went wrong (the go command is missing, a
// file can't be written).
func Run(ctx context.Context, o Options) (*Result, error) {
	return nil, nil
}
