package generator

import (
	"go/token"
	"regexp"
	"strings"
)

// This file reads //idem:on METHOD ANNOTATION, by which an interface says something of a method that it gets by embedding another. What it
// says is kept as an annotation of that method; foreign.go looks for the method.

// on attaches what n says to d.
func (a *attacher) on(d *typeDecl, n annotation) {
	said, w, ok := a.about(n)
	if !ok {
		d.unclear = d.unclear.with(said.Method) // whatever it was meant to say
		return
	}
	var before []annotation
	for _, other := range d.on {
		if other.Method == said.Method {
			before = append(before, other)
		}
	}
	if after := a.add(before, said, w, onMethod); len(after) > len(before) {
		d.on = append(d.on, said)
	}
}

// about takes the argument of an on apart: the method, and the annotation for it.
func (a *attacher) about(n annotation) (said annotation, w word, ok bool) {
	words := fields(n.Arg)
	switch {
	case len(words) == 0:
		a.flaw(n.Pos, codeBadValue, "`idem:on` needs a method and an annotation for it; write them as in `//idem:on METHOD key EXPR`")
		return said, w, false
	case !token.IsIdentifier(words[0].text):
		a.flaw(n.at(0), codeBadValue, "%s", notOneMethod(words[0].text))
		return said, w, false
	case len(words) == 1:
		a.flaw(n.at(0), codeBadValue, "%s", lonely(words[0].text))
		if _, known := lookup(words[0].text); !known {
			said.Method = words[0].text
		}
		return said, w, false
	}
	method, second := words[0].text, words[1]
	a.subjects[line{n.Pos.Filename, n.Pos.Line}] = method
	said = annotation{
		Word: second.text, Arg: strings.TrimLeft(n.Arg[second.at+len(second.text):], " \t"), Pos: n.at(second.at),
		Method: method, About: n.at(0),
	}
	said.gap = len(n.Arg) - len(said.Arg) - second.at
	w, known := lookup(second.text)
	_, isWord := lookup(method)
	swapped := isWord && token.IsIdentifier(second.text) && (len(words) > 2 || method == "skip")
	plain := strings.TrimPrefix(strings.TrimPrefix(second.text, "//"), "idem:")
	_, prefixed := lookup(plain)
	switch {
	case known && w.on&onMethod == 0:
		a.flaw(said.Pos, codeWrongPlace, "`idem:%s` belongs on %s, not on a method; delete it, or move it there", w.name, w.belongs())
	case known:
		return said, w, true
	case prefixed:
		a.flaw(said.Pos, codeUnknownWord, "the word stands alone here; write `//idem:on %s %s`", method, plain)
	case swapped:
		a.flaw(said.About, codeBadValue, "the method comes first; write `//idem:on %s %s`", second.text, method)
		said.Method = second.text
	case isWord:
		a.flaw(said.About, codeBadValue, "`idem:on` lacks the method; write `//idem:on METHOD %s`", n.Arg)
		said.Method = ""
	default:
		hint := "; write one that may stand on a method, as `key`"
		if near, ok := nearest(second.text, 1+len(second.text)/5); ok {
			hint = "; did you mean `idem:on " + method + " " + near + "`?"
		}
		a.flaw(said.Pos, codeUnknownWord, "unknown annotation `%s` for a method%s", second.text, hint)
	}
	return said, w, false
}

// notOneMethod is about something in the place of a method's name.
func notOneMethod(name string) string {
	plain := strings.TrimRight(name, ":;,=")
	last := plain[strings.LastIndexByte(plain, '.')+1:]
	before, _, called := strings.Cut(name, "(")
	first, _, several := strings.Cut(plain, ",")
	switch {
	case name == "*":
		return "`idem:on` is about one method; write `//idem:skip *` to forward all that have no key"
	case several && token.IsIdentifier(first):
		return "`idem:on` is about one method; write a line for each: `" + first + "`"
	case called && token.IsIdentifier(before):
		return "the method is named alone; write `" + before + "`"
	case token.IsIdentifier(last):
		return "the method is named alone; write `" + last + "`"
	default:
		return "`" + name + "` is no method's name; write `//idem:on METHOD key EXPR`"
	}
}

// lonely is about an on with a single word.
func lonely(name string) string {
	if w, known := lookup(name); known && w.on&onMethod != 0 {
		return "`idem:on` lacks the method; write `//idem:on METHOD " + name + "`"
	}
	return "`idem:on " + name + "` lacks the annotation; write `//idem:on " + name + " key EXPR`, or `//idem:on " + name + " skip`"
}

// adviceForm is an annotation as messages recommend it.
var adviceForm = regexp.MustCompile("`//idem:([a-z]+)")

// onForm is text with what it recommends to write as it has to be written of the method in an on.
func onForm(text, method string) string {
	return adviceForm.ReplaceAllStringFunc(text, func(form string) string {
		name := strings.TrimPrefix(form, "`"+prefix)
		if w, known := lookup(name); !known || w.on&onMethod == 0 {
			return form
		}
		return "`" + prefix + "on " + method + " " + name
	})
}
