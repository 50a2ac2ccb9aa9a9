package main

import (
	"strings"
	"testing"
)

// wrongUsage has the command lines that can't be understood, and a part of what is said of each.
var wrongUsage = map[string]string{
	"inti":                  "unknown command inti",
	"explian":               "did you mean explain?",
	"pay":                   "./pay",
	"./... pay":             "pay is no package",
	"./... explain":         "explain is no package",
	"./... -check":          "the flag -check stands after an argument; put it in front of ./...",
	"-chekc":                "there is no flag -chekc; did you mean -check?",
	"-frobnicate":           "idemgen -h lists the flags",
	"-check=maybe":          "maybe",
	"-C":                    "idemgen -h lists the flags",
	"explain A1 B2":         "explain takes one code",
	"explain -nope 15":      "idemgen explain -h lists the flags",
	"version ./...":         "version takes no arguments",
	"-check version":        "write idemgen version first",
	"-json -diff ./...":     "-json",
	"help a b":              "help takes one command",
	"-- -check":             "-check is neither a flag nor a package",
	"help nothing":          "unknown command nothing",
	"explain IDEM015 -json": "the flag -json stands after an argument",
	"claims":                "idemgen claims list",
	"claims lits":           "did you mean list?",
	"claims frobnicate":     "it knows list, show, complete, not-happened, hold, release, stats, audit, sweep",
	"claims list ab":        "claims list takes no arguments",
	"claims list -stat":     "did you mean -state?",
	"claims show a -json":   "the flag -json stands after an argument",
	"claims show a b":       "name one claim",
	"help claims nothing":   "idemgen claims does not know nothing",
}

func TestWrongUsageIsExplained(t *testing.T) {
	t.Parallel()
	for line, want := range wrongUsage {
		var stdout, stderr strings.Builder
		code := run(t.Context(), strings.Fields(line), &stdout, &stderr)
		if code != exitUsage || stdout.Len() > 0 || !strings.Contains(stderr.String(), want) || strings.Count(stderr.String(), "\n") != 1 {
			t.Errorf("idemgen %s: exit %d, stdout %q, stderr %q; want one line with %q", line, code, stdout.String(), stderr.String(), want)
		}
	}
	if code := run(t.Context(), []string{""}, &strings.Builder{}, &strings.Builder{}); code != exitUsage {
		t.Errorf("an empty argument: exit %d", code)
	}
}

func TestCommandsAreDescribed(t *testing.T) {
	t.Parallel()
	whole := usage()
	all := commands()
	for _, c := range all {
		all = append(all, c.subs...)
	}
	for _, c := range all {
		if c.summary == "" || strings.HasSuffix(c.summary, ".") {
			t.Errorf("%s: the summary is %q", c.name, c.summary)
		}
		if _, of, sub := strings.Cut(c.name, " "); sub {
			if parent, _ := commandOf(strings.TrimSuffix(c.name, " "+of)); !strings.Contains(parent.usage(), "\n  idemgen "+c.name) {
				t.Errorf("the usage of %s does not list %s", parent.name, c.name)
			}
		} else if c.name != "" && !strings.Contains(whole, "\n  idemgen "+c.name) {
			t.Errorf("the usage does not list %s", c.name)
		}
		f := newFlags(c.name)
		c.setup(f)
		if n := 0; len(f.list) != n {
			for _, flag := range f.list {
				if flag.text == "" || f.set.Lookup(flag.name) == nil {
					t.Errorf("%s -%s is not described", c.name, flag.name)
				}
			}
		}
		for line := range strings.Lines(c.usage()) {
			if strings.TrimRight(line, " \n") != strings.TrimSuffix(line, "\n") {
				t.Errorf("the usage of %q has a line that ends in a blank: %q", c.name, line)
			}
		}
	}
}

func TestNearest(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]string{"chekc": "check", "jsn": "json", "ceck": "check", "x": "", "zzzzz": "", "tag": "tags"} {
		if got, _ := nearest(typed, []string{"C", "n", "out", "check", "json", "tags"}); got != want {
			t.Errorf("nearest(%q) = %q, want %q", typed, got, want)
		}
	}
}
