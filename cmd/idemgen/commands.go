package main

import (
	"context"
	"io"
	"strings"
)

// This file is the table of commands. Usage texts and shell completion are made from it and from the flags that each command sets up,
// so a new command or flag is a row here or a line in its own setup, and nothing else.

// command is one thing that idemgen does.
type command struct {
	name    string             // what is typed; empty: generating, which needs no word
	args    string             // the arguments, as its usage shows them
	summary string             // one line, without a full stop
	about   string             // what its usage says above the flags
	words   func() []candidate // what its arguments can be, for completion; nil: packages or folders
	setup   func(*flags) action
	subs    []command // what it does, by a second word; its own setup is then for nothing but saying so
}

// action runs a command whose flags have been read. A wrong command line is a usageError.
type action func(ctx context.Context, args []string, stdout, stderr io.Writer) error

// commands are all of them, in the order of the usage. Generating is the first.
func commands() []command {
	return []command{
		{
			args:    "[packages]",
			summary: "write the wrappers of annotated interfaces",
			about: `Idemgen writes wrappers for the interfaces of the packages (default: the one in the working directory) that are annotated with
//idem:wrap, into a file idem_gen.go beside them. Packages are named as for the go command: ., ./..., ./pay, example.com/shop/pay.`,
			setup: setupGenerate,
		},
		{
			name: "init", args: "[folder]",
			summary: "write a first annotated interface, and the migration for its table",
			about:   initAbout,
			setup:   setupInit,
		},
		{
			name: "vet", args: "[packages]",
			summary: "find code that takes the wrappers' protection away",
			about: `It looks at the code around the wrappers: keyed methods called past their wrapper, keys made anew for every attempt, calls that are
cut off from their caller's context, and calls inside somebody else's transaction. The go command can use idemgen for that as well, as in
go vet -vettool=$(which idemgen) ./...; docs/vet.md has the rules.`,
			setup: setupVet,
		},
		{
			name: "claims", args: "VERB",
			summary: "look at claims in a database, and decide what became of unknown ones",
			about:   claimsAbout,
			setup:   setupClaims,
			subs:    claimsVerbs(),
		},
		{
			name: "explain", args: "[IDEMnnn]",
			summary: "say what a diagnostic means, with an example and how to mend it",
			about:   "Without a code it lists all codes. IDEM015, idem15 and 15 are the same code.",
			words:   codeWords,
			setup: func(*flags) action {
				return func(_ context.Context, args []string, stdout, _ io.Writer) error { return explain(args, stdout) }
			},
		},
		{
			name: "completion", args: "SHELL",
			summary: "print a script that completes command lines, for bash, zsh, fish or powershell",
			about:   completionAbout,
			words:   shellWords,
			setup:   setupCompletion,
		},
		{
			name:    "version",
			summary: "print the version",
			setup:   setupVersion,
		},
		{
			name: "help", args: "[command]",
			summary: "print this, or how a command is used",
			words:   commandWords,
			setup: func(*flags) action {
				return func(_ context.Context, args []string, stdout, _ io.Writer) error { return help(args, stdout) }
			},
		},
	}
}

// commandNames are the words of the commands that have one.
func commandNames() (names []string) {
	for _, c := range commands()[1:] {
		names = append(names, c.name)
	}
	return names
}

// commandOf finds a command by its word.
func commandOf(word string) (command, bool) {
	for _, c := range commands() {
		if c.name == word {
			return c, true
		}
	}
	return command{}, false
}

// sub finds what a command does by its second word.
func (c command) sub(word string) (command, bool) {
	for _, s := range c.subs {
		if s.name == c.name+" "+word {
			return s, true
		}
	}
	return command{}, false
}

// subWords are the second words of a command.
func (c command) subWords() (list []candidate) {
	for _, s := range c.subs {
		list = append(list, candidate{strings.TrimPrefix(s.name, c.name+" "), s.summary})
	}
	return list
}

// isWord tells a command from a package: a path has a dot or a slash in it.
func isWord(arg string) bool {
	return arg != "" && !strings.HasPrefix(arg, "-") && !strings.ContainsAny(arg, `./\`)
}
