package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/generator"
	"github.com/idemgen/idemgen/templates"
)

// This file completes command lines. The scripts that shells load know nothing: on each tab they ask "idemgen __complete WORDS…", which
// goes by the table of commands, so that they are never out of date.

// completeWord is what scripts call; it is in no usage.
const completeWord = "__complete"

func setupCompletion(*flags) action {
	return func(_ context.Context, args []string, stdout, _ io.Writer) error {
		if len(args) != 1 || !slices.Contains(shells(), args[0]) {
			return usageError{"completion takes one shell, as in: idemgen completion bash (or " + strings.Join(shells()[1:], ", ") + ")"}
		}
		fmt.Fprint(stdout, templates.Completion(args[0]))
		return nil
	}
}

func shells() []string { return []string{"bash", "zsh", "fish", "powershell"} }

const completionAbout = `Print a script that completes idemgen's commands, flags, codes and folders. To load it:

  bash        source <(idemgen completion bash)
  zsh         source <(idemgen completion zsh)
  fish        idemgen completion fish | source
  powershell  idemgen completion powershell | Out-String | Invoke-Expression`

// candidate is one thing that the word could become.
type candidate struct{ word, text string }

// complete prints the candidates for the last of the words, one a line with what it means behind a tab; a line with nothing but a colon
// asks the shell to add folders.
func complete(words []string, stdout io.Writer) {
	list, folders := candidates(words)
	for _, c := range list {
		fmt.Fprintf(stdout, "%s\t%s\n", c.word, c.text)
	}
	if folders {
		fmt.Fprintln(stdout, ":")
	}
}

func candidates(words []string) (list []candidate, folders bool) {
	if len(words) == 0 {
		words = []string{""}
	}
	words = joined(words)
	before, typed := words[:len(words)-1], words[len(words)-1]
	c := commands()[0]
	if len(before) > 0 && isWord(before[0]) {
		var ok bool
		if c, ok = commandOf(before[0]); !ok {
			return nil, false
		}
		before = before[1:]
	}
	if len(c.subs) > 0 && len(before) > 0 && isWord(before[0]) {
		var ok bool
		if c, ok = c.sub(before[0]); !ok {
			return nil, false
		}
		before = before[1:]
	}
	f := newFlags(c.name)
	c.setup(f)
	switch t, wanted := f.wanting(before); {
	case wanted:
		for _, v := range t.values {
			list = append(list, candidate{word: v})
		}
		folders = t.value == "DIR" || t.value == "FILE"
	case strings.HasPrefix(typed, "-"):
		for _, t := range append(f.list, flagText{name: "h", text: "print how it is used"}) {
			list = append(list, candidate{"-" + t.name, t.text})
		}
	default:
		list, folders = c.argument(len(before) == 0)
	}
	return slices.DeleteFunc(list, func(c candidate) bool {
		return len(c.word) < len(typed) || !strings.EqualFold(c.word[:len(typed)], typed)
	}), folders
}

// joined takes out the equals signs that some shells make words of.
func joined(words []string) []string {
	if words[len(words)-1] == "=" {
		words = append(slices.Clone(words), "")
	}
	return slices.DeleteFunc(slices.Clone(words), func(w string) bool { return w == "=" })
}

// wanting is the flag that the next word is the value of.
func (f *flags) wanting(before []string) (flagText, bool) {
	if len(before) == 0 {
		return flagText{}, false
	}
	name := strings.TrimLeft(before[len(before)-1], "-")
	for _, t := range f.list {
		if t.name == name && t.value != "" && name != before[len(before)-1] {
			return t, true
		}
	}
	return flagText{}, false
}

// argument is what can stand where an argument does.
func (c command) argument(first bool) (list []candidate, folders bool) {
	switch {
	case c.args == "":
		return nil, false
	case len(c.subs) > 0:
		return c.subWords(), false
	case c.words != nil:
		return c.words(), false
	case c.name == "" && first:
		return commandWords(), true
	default:
		return nil, true
	}
}

func codeWords() (list []candidate) {
	for _, c := range generator.Codes() {
		list = append(list, candidate{c.ID, c.Title})
	}
	return list
}

func commandWords() (list []candidate) {
	for _, c := range commands()[1:] {
		list = append(list, candidate{c.name, c.summary})
	}
	return list
}

func shellWords() (list []candidate) {
	for _, s := range shells() {
		list = append(list, candidate{word: s})
	}
	return list
}
