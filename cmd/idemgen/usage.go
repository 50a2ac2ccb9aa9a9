package main

import (
	"fmt"
	"io"
	"strings"
)

// This file is what idemgen says about itself.

// usageError is a command line that can't be understood.
type usageError struct{ text string }

func (e usageError) Error() string { return e.text }

// help prints the usage of the whole command, or of one of its words.
func help(args []string, stdout io.Writer) error {
	switch len(args) {
	case 0:
		fmt.Fprint(stdout, usage())
		return nil
	case 1:
		c, ok := commandOf(args[0])
		if !ok || c.name == "" {
			return usageError{unknownCommand(args[0])}
		}
		fmt.Fprint(stdout, c.usage())
		return nil
	case 2:
		if c, ok := commandOf(args[0]); ok && len(c.subs) > 0 {
			sub, ok := c.sub(args[1])
			if !ok {
				return usageError{unknownVerb(c, args[1])}
			}
			fmt.Fprint(stdout, sub.usage())
			return nil
		}
		fallthrough
	default:
		return usageError{"help takes one command, as in: idemgen help explain"}
	}
}

// usage is the text of idemgen -h.
func usage() string {
	var b strings.Builder
	all := commands()
	fmt.Fprint(&b, all[0].usage())
	b.WriteString("\nOther commands (a package in a directory of that name is written ./version; idemgen COMMAND -h says more):\n\n")
	for _, c := range all[1:] {
		fmt.Fprintf(&b, "  %-28s %s\n", strings.TrimSpace("idemgen "+c.name+" "+c.args), c.summary)
	}
	b.WriteString(`
Diagnostics go to standard error as path:line:col: error|warning: text [IDEMnnn]. Exit: 0 done (warnings included), 1 errors or
files out of date, 2 wrong usage.
`)
	return b.String()
}

// usage says how one command is typed.
func (c command) usage() string {
	var b strings.Builder
	f := newFlags(c.name)
	c.setup(f)
	line := []string{"usage: idemgen"}
	if c.name != "" {
		line = append(line, c.name)
	}
	if len(f.list) > 0 {
		line = append(line, "[flags]")
	}
	if c.args != "" {
		line = append(line, c.args)
	}
	b.WriteString(strings.Join(line, " ") + "\n\n")
	if c.about != "" {
		b.WriteString(c.about + "\n\n")
	} else {
		b.WriteString(strings.ToUpper(c.summary[:1]) + c.summary[1:] + ".\n\n")
	}
	for _, s := range c.subs {
		fmt.Fprintf(&b, "  %-36s %s\n", strings.TrimSpace("idemgen "+s.name+" "+s.args), s.summary)
	}
	if len(c.subs) > 0 {
		b.WriteByte('\n')
	}
	f.list = append(f.list, flagText{name: "h", text: "print this"})
	width := 0
	for _, t := range f.list {
		width = max(width, len(t.head()))
	}
	for _, t := range f.list {
		fmt.Fprintf(&b, "  %-*s  %s\n", width, t.head(), t.text)
	}
	return b.String()
}

// head is the flag with its value.
func (t flagText) head() string { return strings.TrimSpace("-" + t.name + " " + t.value) }

// unknownVerb says what a command could do instead.
func unknownVerb(c command, word string) string {
	if isAddress(word) {
		return addressText
	}
	var words []string
	for _, s := range c.subWords() {
		words = append(words, s.word)
	}
	text := "idemgen " + c.name + " does not know " + word
	if near, ok := nearest(word, words); ok {
		return text + "; did you mean " + near + "?"
	}
	return text + "; it knows " + strings.Join(words, ", ")
}

// unknownCommand says what could have been meant.
func unknownCommand(word string) string {
	if isAddress(word) {
		return addressText
	}
	text := "unknown command " + word
	if near, ok := nearest(word, commandNames()); ok {
		text += "; did you mean " + near + "?"
	}
	return text + " (a package in a directory of that name is written ./" + word + "; idemgen -h lists the commands)"
}
