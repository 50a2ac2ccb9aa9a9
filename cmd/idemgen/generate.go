package main

import (
	"context"
	"io"

	"github.com/idemgen/idemgen/generator"
)

// This file is the command that generates.

// wish is what a command line asks of it.
type wish struct {
	options generator.Options
	check   bool
	diff    bool
	list    bool // -n
	json    bool
	cache   string
	load    string
}

func setupGenerate(f *flags) action {
	w := wish{cache: "on", load: "lean"}
	f.text(&w.options.Dir, "C", "DIR", "change to DIR before anything else")
	f.text(&w.options.Out, "out", "DIR", "write the wrappers into the package in DIR instead of beside their interfaces")
	f.text(&w.options.Tags, "tags", "LIST", "build tags, comma-separated")
	f.on(&w.options.Tests, "tests", "write tests of what the keyed methods store as well, into idem_gen_roundtrip_test.go; once there, they are kept up to date")
	f.on(&w.check, "check", "write nothing; say which files are out of date, and exit 1 if any is")
	f.on(&w.options.Accept, "accept", "record changes that stored outcomes do not survive in idem.lock (not with -check)")
	f.on(&w.diff, "diff", "write nothing; print what would change as a unified diff, and exit 1 if anything would")
	f.on(&w.list, "n", "write nothing; print the names of the files that would be written")
	f.on(&w.json, "json", "print everything as JSON to standard output, one object a line (not with -diff)")
	f.text(&w.cache, "cache", "HOW", "on: when nothing has changed since an earlier run, give its answer; off: find it anew", "on", "off")
	f.text(&w.load, "load", "HOW", "how packages are loaded: lean, source (for an empty build cache) or whole (slow); all give the same answer", "lean", "source", "whole")
	return func(ctx context.Context, args []string, stdout, stderr io.Writer) error {
		if w.json && w.diff {
			return usageError{"-json can't be used with -diff; leave one of them out"}
		}
		if err := w.settle(); err != nil {
			return err
		}
		if w.check && w.options.Accept {
			return usageError{"-accept can't be used with -check; leave one of them out"}
		}
		w.options.Patterns = args
		w.options.Write = !w.check && !w.diff && !w.list
		result, err := generator.Run(ctx, w.options)
		if w.json {
			return reportJSON(w, result, err, stdout)
		}
		if err != nil {
			return err
		}
		return report(w, result, stdout, stderr)
	}
}
