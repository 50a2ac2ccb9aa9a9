// Command idemgen writes idempotent wrappers for annotated Go interfaces. See -h.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/idemgen/idemgen/internal/claims"
)

// The exit codes.
const (
	exitDone  = 0 // done, warnings included
	exitFail  = 1 // there are errors, or files are out of date
	exitUsage = 2
)

// errFailed ends a command with exit 1 after it has said why.
var errFailed = errors.New("failed")

func main() {
	if isVetTool(os.Args[1:]) {
		vetTool()
	}
	spareCollector()
	// An interrupt ends the run between two steps, never in the middle of writing files.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

func run(ctx context.Context, argv []string, stdout, stderr io.Writer) int {
	err := dispatch(ctx, argv, stdout, stderr)
	var wrong usageError
	var unclear claims.UsageError
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &wrong):
		fmt.Fprintf(stderr, "idemgen: %s\n", wrong.text)
		return exitUsage
	case errors.As(err, &unclear):
		fmt.Fprintf(stderr, "idemgen: %s\n", unclear.Text)
		return exitUsage
	case !errors.Is(err, errFailed):
		fmt.Fprintf(stderr, "idemgen: %v\n", err)
	}
	return exitFail
}

// dispatch finds the command that is meant, reads its flags, and runs it.
func dispatch(ctx context.Context, argv []string, stdout, stderr io.Writer) error {
	if len(argv) > 0 && argv[0] == completeWord {
		complete(argv[1:], stdout)
		return nil
	}
	c := commands()[0]
	if len(argv) > 0 && isWord(argv[0]) {
		var ok bool
		if c, ok = commandOf(argv[0]); !ok {
			return usageError{unknownCommand(argv[0])}
		}
		argv = argv[1:]
	}
	if len(c.subs) > 0 && len(argv) > 0 && !strings.HasPrefix(argv[0], "-") {
		sub, ok := c.sub(argv[0])
		if !ok {
			return usageError{unknownVerb(c, argv[0])}
		}
		c, argv = sub, argv[1:]
	}
	f := newFlags(c.name)
	act := c.setup(f)
	switch err := f.set.Parse(argv); {
	case errors.Is(err, flag.ErrHelp) && c.name == "":
		return help(nil, stdout)
	case errors.Is(err, flag.ErrHelp):
		return help(strings.Fields(c.name), stdout)
	case err != nil:
		return usageError{wrongFlag(c, f, err)}
	}
	if err := c.checkArgs(f); err != nil {
		return err
	}
	if c := f.set.Lookup("C"); c != nil && c.Value.String() != "" {
		if info, err := os.Stat(c.Value.String()); err != nil || !info.IsDir() {
			return fmt.Errorf("there is no folder %s; give -C one that is there", c.Value)
		}
	}
	return act(ctx, f.set.Args(), stdout, stderr)
}

// checkArgs refuses arguments that are something else in the wrong place.
func (c command) checkArgs(f *flags) error {
	for _, name := range []string{"state", "older", "limit", "after", "op", "result", "codec", "shape", "ttl", "C"} {
		if v := f.set.Lookup(name); v != nil && isAddress(v.Value.String()) {
			return usageError{addressText}
		}
	}
	for i, a := range f.set.Args() {
		_, word := commandOf(a)
		switch {
		case isAddress(a):
			return usageError{addressText}
		case c.args == "":
			return usageError{c.name + " takes no arguments; leave " + a + " out"}
		case a == "":
			return usageError{"an argument is empty; leave it out"}
		case strings.HasPrefix(a, "-") && i == 0:
			return usageError{a + " is neither a flag nor a package; a folder of that name is written ./" + a}
		case strings.HasPrefix(a, "-"):
			return usageError{fmt.Sprintf("the flag %s stands after an argument; put it in front of %s", a, f.set.Arg(0))}
		case c.name == "" && word && i == 0:
			return usageError{fmt.Sprintf("the flags of %s go after it: write idemgen %s first", a, a)}
		case c.name == "" && isWord(a):
			return usageError{fmt.Sprintf("%s is no package; one in a directory of that name is written ./%s", a, a)}
		}
	}
	return nil
}

// addressText stands for a word that is a database's address, in the wrong place: it may hold a password.
const addressText = "a database's address is in the wrong place, and is not shown; it goes behind -db of a verb of idemgen claims, or into IDEMGEN_DATABASE_URL"

// isAddress reports whether a text looks like a database's address, or quotes one.
func isAddress(text string) bool {
	return strings.Contains(text, "://") || strings.Contains(strings.ToLower(text), "password=")
}

// wrongFlag says what is wrong with a flag, and which was meant or where they are listed.
func wrongFlag(c command, f *flags, err error) string {
	text := err.Error()
	if isAddress(text) {
		return addressText
	}
	if name, unknown := strings.CutPrefix(text, "flag provided but not defined: -"); unknown {
		var names []string
		for _, t := range f.list {
			names = append(names, t.name)
		}
		text = "there is no flag -" + name
		if near, ok := nearest(name, names); ok {
			return text + "; did you mean -" + near + "?"
		}
	}
	return text + "; " + strings.TrimSpace("idemgen "+c.name) + " -h lists the flags"
}
