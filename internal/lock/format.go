package lock

import (
	"fmt"
	"strings"
)

// This file writes the text: a block for each interface and operation, sorted, one fact a line, and nothing that counts or sums up
// what is in other blocks, so that two branches that change different operations merge.

// version is the format's. A reader refuses what is newer.
const version = 1

const head = `# Made by idemgen: what the keyed methods of this module store, and how. Review a change like a migration of data;
# after a merge conflict take either side and run idemgen. https://github.com/idemgen/idemgen/blob/main/docs/lock.md
version 1
`

// Format is the file's text.
func Format(f *File) []byte {
	f.Sort()
	var b strings.Builder
	b.WriteString(head)
	for _, i := range f.Interfaces {
		fmt.Fprintf(&b, "\ninterface %s %s\n", i.Folder, i.Name)
		for _, name := range i.Forwards {
			fmt.Fprintf(&b, "\tforwards %s\n", name)
		}
	}
	for _, o := range f.Operations {
		fmt.Fprintf(&b, "\noperation %s\n", o.Name)
		for _, line := range o.lines() {
			b.WriteString("\t" + line + "\n")
		}
	}
	return []byte(b.String())
}

// lines are the facts of one operation.
func (o *Operation) lines() []string {
	lines := []string{"method " + o.Folder + " " + o.Method}
	add := func(word string, values ...string) {
		for _, v := range values {
			lines = append(lines, word+" "+v)
		}
	}
	addFacts := func(prefix string, list []fact) {
		for _, f := range list {
			lines = append(lines, prefix+f.path+" "+f.text)
		}
	}
	add("parameter", o.Parameters...)
	add("key", o.Key...)
	if o.Scope != "" {
		add("scope", o.Scope)
	}
	add("ttl", o.TTL)
	if o.Kept != "" {
		add("kept", o.Kept)
	}
	for _, a := range o.Arguments {
		addFacts("argument ", facts(a.Name, a.Layout))
	}
	add("codec", o.Codec)
	if o.Result.Layout != nil {
		if o.Result.Hash != "" {
			add("shape", o.Result.Hash)
		}
		addFacts("", facts("result", o.Result.Layout))
	}
	add("secret", o.Secrets...)
	add("reads", o.Reads...)
	for _, u := range o.Upcasts {
		for _, hash := range u.Reads {
			add("upcast", u.Hash+" reads "+hash)
		}
		addFacts("upcast ", facts(u.Hash, u.Layout))
	}
	for _, e := range o.Errors {
		addFacts("final ", facts(e.Code, e.Layout))
	}
	return lines
}
