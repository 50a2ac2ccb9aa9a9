package generator

import (
	"go/token"
	"go/types"
	"strings"

	"github.com/idemgen/idemgen/internal/spelling"
)

// This file reads what key, scope and fingerprint say: their keywords, and the expressions of everything else. A parameter named like a
// keyword wins.

// hasParam tells whether the method has a parameter of that name.
func (e *environment) hasParam(name string) bool {
	for p := range e.sig.Params().Variables() {
		if p.Name() == name {
			return true
		}
	}
	return false
}

// keyword tells whether the whole argument is the keyword, but for a comment behind it.
func (e *environment) keyword(word string) bool {
	arg, _, _ := strings.Cut(e.note.Arg, "//")
	return strings.TrimSpace(arg) == word && !e.hasParam(word)
}

// key reads //idem:key.
func (r *reader) key(e *environment, m *method) {
	if e.keyword("context") {
		m.KeyFromContext = true
		return
	}
	m.Keys = e.read(0)
	constant, uses, fits := true, false, true
	for _, x := range m.Keys {
		fits = e.kind(x) && fits
		constant = constant && x.Constant
		for _, ref := range x.Refs {
			uses = uses || ref.Param >= 0
		}
	}
	switch {
	case len(m.Keys) == 0 || !fits:
	case constant:
		r.report.warnf(m.Keys[0].Pos, codeConstantKey, "the key of `%s` is constant, so the method runs once for all calls; name a parameter in it", e.method)
	case !uses:
		r.report.notef("the key of %s uses none of its parameters", e.method)
	}
}

// kind decides how x becomes a key, if it can.
func (e *environment) kind(x *expr) bool {
	if x.Kind = keyKindOf(x.Type); x.Kind != keyNone {
		return true
	}
	hint := "; use a string, an integer, an encoding.TextMarshaler, a fmt.Stringer or a [16]byte"
	if p, ok := x.Type.Underlying().(*types.Pointer); ok && keyKindOf(p.Elem()) != keyNone {
		hint = "; write *" + x.Text
	}
	e.fail(x.Pos, codeKeyType, "`%s` has type %s, which can't be a key%s", x.Text, e.typeString(x.Type), hint)
	return false
}

func (e *environment) typeString(t types.Type) string {
	return types.TypeString(t, types.RelativeTo(e.in.Types))
}

// scope reads //idem:scope.
func (r *reader) scope(e *environment, m *method) {
	if e.keyword("none") {
		return
	}
	parts, _ := split(e.note.Arg, 0)
	if len(parts) > 1 {
		comma := strings.IndexByte(e.note.Arg[parts[0].at+len(parts[0].text):], ',') + parts[0].at + len(parts[0].text)
		e.fail(e.note.at(comma), codeSyntax, "a scope is one expression; delete the others")
		return
	}
	if list := e.read(0); len(list) == 1 {
		m.Scope = list[0]
		e.kind(m.Scope)
	}
}

// fingerprint reads //idem:fingerprint; without one, all parameters count.
func (r *reader) fingerprint(e *environment, m *method) {
	arg := e.note.Arg
	words := fields(arg)
	switch {
	case e.keyword("none"):
		return
	case len(words) > 0 && words[0].text == "except" && !e.hasParam("except"):
		e.except(m, words)
		return
	case e.misspelled(words, "except"):
		e.fail(e.note.at(words[0].at), codeBadValue, "unknown word `%s`; did you mean `except`?", words[0].text)
		return
	case arg == "" || e.keyword("all"):
		for i := range e.sig.Params().Len() {
			e.addParam(m, i)
		}
		return
	}
	seen := map[string]bool{}
	for _, x := range e.read(0) {
		if seen[x.Written] {
			e.fail(x.Pos, codeTwice, "`%s` is given twice; delete it here", x.Written)
		}
		seen[x.Written] = true
		if i, ok := x.parameter(); ok {
			if i == m.Context {
				e.fail(x.Pos, codeParameter, "a context is no part of the fingerprint; delete it")
				continue
			}
			m.Fingerprint = append(m.Fingerprint, fingerprintArg{Name: x.Written, Param: i})
			continue
		}
		m.Fingerprint = append(m.Fingerprint, fingerprintArg{Name: x.Written, Param: -1, Expr: x})
	}
}

// misspelled tells whether two words follow each other, which no expression does, of which the first is nearly the keyword.
func (e *environment) misspelled(words []field, keyword string) bool {
	return len(words) > 1 && token.IsIdentifier(words[0].text) && token.IsIdentifier(strings.TrimRight(words[1].text, ",")) &&
		!e.hasParam(words[0].text) && spelling.Slips(words[0].text, keyword) <= slips(keyword)
}

// parameter is the index of the parameter that e is, if it is one and nothing else.
func (e *expr) parameter() (int, bool) {
	if len(e.Refs) == 1 && e.Refs[0].Param >= 0 && e.Refs[0].span == (span{0, len(e.Text)}) {
		return e.Refs[0].Param, true
	}
	return 0, false
}

// except leaves out the parameters that are named.
func (e *environment) except(m *method, words []field) {
	if len(words) == 1 {
		e.fail(e.note.at(words[0].at), codeBadValue, "`except` needs the names of parameters; write them behind it")
		return
	}
	list := e.read(words[1].at)
	out, wrong := map[int]bool{}, list == nil
	for _, x := range list {
		i, ok := x.parameter()
		switch {
		case !ok:
			e.fail(x.Pos, codeBadValue, "only whole parameters can be left out; name what counts instead, as in `//idem:fingerprint EXPR, …`")
		case out[i]:
			e.fail(x.Pos, codeTwice, "`%s` is given twice; delete it here", x.Text)
		case i == m.Context || transaction(e.sig.Params().At(i).Type()):
			e.fail(x.Pos, codeNoEffect, "`%s` is no part of the fingerprint anyway; delete it", x.Text)
		}
		out[i], wrong = true, wrong || !ok
	}
	for i := range e.sig.Params().Len() {
		if !out[i] && !wrong {
			e.addParam(m, i)
		}
	}
}

// addParam adds a parameter, unless it is a context or a transaction.
func (e *environment) addParam(m *method, i int) {
	p := e.sig.Params().At(i)
	if i == m.Context || transaction(p.Type()) {
		return
	}
	m.Fingerprint = append(m.Fingerprint, fingerprintArg{Name: m.parameterName(i), Param: i})
}
