// Package generator turns annotated Go interfaces into typed wrappers that run each keyed method at most once per
// idempotency key. It is a pipeline of plain stages, each in a file of its own:
//
//	scan → load → read → check → lock → name → emit → write
//
// Where nothing has changed since an earlier run, it ends after the first.
package generator

import (
	"context"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// Options is what a run is asked to do.
type Options struct {
	Dir      string   // working directory; empty: the process's
	Patterns []string // packages, as the go command takes them; empty: "."
	Tags     string   // build tags, comma-separated
	Out      string   // write the wrappers into the package in this directory instead of beside their interfaces
	Tests    bool     // write round-trip tests as well, where none are there yet
	Write    bool     // write what changed; else only find out
	Load     Load     // how packages are loaded; the answer is the same
	Cache    string   // folder to remember answers in, for runs after which nothing has changed; empty: none
	Accept   bool     // accept what idem.lock says stored outcomes would not survive

	// For tests:
	loader loader // instead of what Load says
}

// Load is a way to load packages. All give the same answer.
type Load string

// The ways to load packages.
const (
	LoadLean   Load = ""       // the packages that are annotated, and of others what has to be known
	LoadSource Load = "source" // the same without compiled packages, for an empty build cache, where LoadLean finds that out by itself
	LoadWhole  Load = "whole"  // everything through the go command's own packages driver: slower, and what LoadLean is tested against
)

// File is one file the run stands for.
type File struct {
	Path    string // relative to Options.Dir, unless the full name is shorter
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
// file can't be written). A cancelled context stops the go command and is such an error; nothing is written then.
func Run(ctx context.Context, o Options) (*Result, error) {
	for range runsInARow {
		if r, err := run(ctx, o); !errors.Is(err, errMeanwhile) {
			return r, err
		}
	}
	return nil, errMeanwhile
}

// run is one run. It is errMeanwhile when another has written outputs since the scan (meanwhile.go).
func run(ctx context.Context, o Options) (*Result, error) {
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return nil, err
	}
	rep := newReport(dir)

	// Scan (scan.go): read bytes to find the folders with annotations, and idemgen's own old output.
	found, err := scan(ctx, dir, o)
	if err != nil {
		return nil, goFailed(err)
	}

	// Remember (remember.go): an earlier run may have seen just this, and then its answer is this one's.
	memory := recall(o, dir, found)
	if known := memory.answer(); known != nil {
		return known, nil
	}
	read := &reader{}
	var inputs []string
	if len(found.folders) > 0 {
		// Load (load.go): parse and type-check those, old output left out. Errors are sorted out in broken.go.
		program, err := load(ctx, o, found, rep)
		if err != nil {
			return nil, goFailed(err)
		}

		// Read (read.go, method.go): annotations (annotation.go, attach.go), declarations (embed.go), values (settings.go) and
		// expressions (key.go, expression.go) become the model (model.go).
		if read, err = readAll(ctx, o, program, found); err != nil {
			return nil, err
		}

		// Check (check.go, reach.go, verdict.go): the rules, one function each.
		read.check()
		if inputs = program.inputs; inputs != nil {
			inputs = append(slices.Clone(inputs), lockPaths(found)...)
		}
	}

	// Lock (lock.go, lockentry.go, lockchange.go): what stored rows would not survive is refused until it is accepted.
	if o.Write {
		release, err := exclusive(ctx, lockPaths(found))
		if err != nil {
			return nil, err
		}
		defer release()
	}
	locks, err := read.locks(rep, o, found)
	if err != nil {
		return nil, err
	}

	// Name (names.go) and emit (outputs.go, emit.go): one text for each output file, in memory.
	files, err := read.emit(rep, o, found)
	if err != nil {
		return nil, err
	}
	files = append(files, read.lockFiles(rep, o, locks, found)...)
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	if err := read.leftOver(rep, o, found); err != nil {
		return nil, err
	}

	// Write (write.go): all that changed, or nothing.
	if found.outrun() {
		return nil, errMeanwhile
	}
	if o.Write {
		if err := write(files); err != nil {
			return nil, err
		}
	}
	for i := range files {
		files[i].Path = relative(dir, files[i].Path)
	}
	result := &Result{
		Files: files, Diagnostics: sortDiagnostics(rep.found), Notes: slices.Sorted(maps.Keys(rep.notes)),
	}
	memory.keep(result, inputs, o.Write)
	return result, nil
}

// readAll reads everything that was loaded, on behalf of the package that the wrappers go to.
func readAll(ctx context.Context, o Options, p *program, f *found) (*reader, error) {
	var out *destination
	if f.out != "" {
		var err error
		if out, err = p.destinationOf(f.out); err != nil {
			return nil, err
		}
	}
	r := read(p, out)
	return r, r.importCycles(ctx, o, f)
}
