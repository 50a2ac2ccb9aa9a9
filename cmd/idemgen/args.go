package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/idemgen/idemgen/generator"
)

// This file turns the command line into a value, so that it can be tested without a process.

const usage = `usage: idemgen [flags] [packages]

Idemgen writes wrappers for the interfaces of the packages (default: the one in the working directory) that are annotated
with //idem:wrap, into a file idem_gen.go beside them. Packages are named as for the go command: ., ./..., ./pay, example.com/shop/pay.

  -C DIR     change to DIR before anything else
  -out DIR   write the wrappers into the package in DIR instead of beside their interfaces
  -tags LIST build tags, comma-separated
  -check     write nothing; say which files are out of date, and exit 1 if any is
  -diff      write nothing; print what would change as a unified diff, and exit 1 if anything would
  -n         write nothing; print the names of the files that would be written
  -json      print diagnostics to standard output, one JSON object a line (not with -diff or -n)
  -h         print this

Other commands (a package in a directory of that name is written ./version):

  idemgen explain IDEMnnn   say what a diagnostic means, and how to mend it
  idemgen version           print the version

Diagnostics go to standard error as path:line:col: error|warning: text [IDEMnnn]. Exit: 0 done (warnings included), 1 errors or
files out of date, 2 wrong usage.
`

// command is what a command line asks for: one of the first three, or a run.
type command struct {
	help    bool
	version bool
	explain string // a diagnostic's code

	options generator.Options
	check   bool
	diff    bool
	list    bool // -n
	json    bool
}

func parse(argv []string) (command, error) {
	var c command
	fs := flag.NewFlagSet("idemgen", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.StringVar(&c.options.Dir, "C", "", "")
	fs.StringVar(&c.options.Out, "out", "", "")
	fs.StringVar(&c.options.Tags, "tags", "", "")
	fs.BoolVar(&c.check, "check", false, "")
	fs.BoolVar(&c.diff, "diff", false, "")
	fs.BoolVar(&c.list, "n", false, "")
	fs.BoolVar(&c.json, "json", false, "")
	switch err := fs.Parse(argv); {
	case errors.Is(err, flag.ErrHelp):
		return command{help: true}, nil
	case err != nil:
		return command{}, err
	}
	args := fs.Args()
	if len(args) > 0 && isWord(args[0]) {
		return parseWord(args, fs.NFlag())
	}
	for _, a := range args {
		switch {
		case a == "":
			return command{}, errors.New("a package can't be the empty string")
		case strings.HasPrefix(a, "-"):
			return command{}, fmt.Errorf("the flag %s stands after a package; flags go first", a)
		case isWord(a):
			return command{}, fmt.Errorf("%s is no package; one in a directory of that name is written ./%s", a, a)
		}
	}
	if c.json && (c.diff || c.list) {
		return command{}, errors.New("-json can't be used with -diff or -n")
	}
	c.options.Patterns = args
	c.options.Write = !c.check && !c.diff && !c.list
	return c, nil
}

// isWord tells a subcommand from a package: a path has a dot or a slash in it.
func isWord(arg string) bool {
	return arg != "" && !strings.HasPrefix(arg, "-") && !strings.ContainsAny(arg, `./\`)
}

func parseWord(args []string, flags int) (command, error) {
	word, rest := args[0], args[1:]
	switch {
	case word != "version" && word != "explain" && word != "help":
		return command{}, fmt.Errorf("unknown command %s; a package in a directory of that name is written ./%s", word, word)
	case flags > 0:
		return command{}, fmt.Errorf("%s takes no flags", word)
	case word == "explain" && len(rest) == 1:
		return command{explain: strings.ToUpper(rest[0])}, nil
	case word == "explain":
		return command{}, errors.New("explain takes one code, such as IDEM001")
	case len(rest) > 0:
		return command{}, fmt.Errorf("%s takes no arguments", word)
	default:
		return command{version: word == "version", help: word == "help"}, nil
	}
}
