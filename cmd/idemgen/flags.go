package main

import (
	"flag"
	"io"
)

// This file collects the flags of a command, with what its usage and completion say of them.

// flags are those of one command, in the order they were named.
type flags struct {
	set  *flag.FlagSet
	list []flagText
}

// flagText is what people read of a flag.
type flagText struct {
	name   string
	value  string   // what its value is called; empty: it takes none
	values []string // what its value can be, where that is a list
	text   string
}

func newFlags(name string) *flags {
	f := &flags{set: flag.NewFlagSet(name, flag.ContinueOnError)}
	f.set.SetOutput(io.Discard)
	return f
}

// on names a flag that is given or not.
func (f *flags) on(p *bool, name, text string) {
	f.set.BoolVar(p, name, *p, "")
	f.list = append(f.list, flagText{name: name, text: text})
}

// number names a flag with a number.
func (f *flags) number(p *int, name, value, text string) {
	f.set.IntVar(p, name, *p, "")
	f.list = append(f.list, flagText{name: name, value: value, text: text})
}

// given reports whether a flag was on the command line.
func (f *flags) given(name string) (given bool) {
	f.set.Visit(func(g *flag.Flag) { given = given || g.Name == name })
	return given
}

// text names a flag with a value. Completion offers folders where the value is called DIR, else the values.
func (f *flags) text(p *string, name, value, text string, values ...string) {
	f.set.StringVar(p, name, *p, "")
	f.list = append(f.list, flagText{name, value, values, text})
}
