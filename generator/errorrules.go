package generator

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/templates"
)

// This file reads //idem:errors: which errors of a method are final, which say nothing about its effect, and which prove that there was
// none. What stands on the method decides before what its interface says, and that before what an interface around it says; within one doc
// comment it is the order of writing.

// errorClasses are the classes, each with the functions of package idem that make a rule of it.
var errorClasses = map[string]string{"final": "Final", "unknown": "Unknown", "release": "Release"}

const knownClasses = "final, unknown, release"

// errorNotes lists what is said of the method's errors, the nearest doc comment first.
func (r *reader) errorNotes(m *method, o occurrence) (levels [][]annotation) {
	add := func(notes []annotation) {
		level := slices.DeleteFunc(slices.Clone(notes), func(n annotation) bool { return n.Word != "errors" })
		if len(level) > 0 {
			levels = append(levels, level)
		}
	}
	var seen []*typeDecl
	add(m.Notes)
	if o.decl != nil {
		add(o.decl.decl.notes)
		seen = append(seen, o.decl.decl)
	}
	for _, l := range slices.Backward(o.way) {
		if d := r.decls[r.declaredAt(l.name)]; d != nil && !slices.Contains(seen, d) {
			seen = append(seen, d)
			add(d.notes)
		}
	}
	return levels
}

// agreeOnErrors reports the first line about errors that one of two declarations of a method has alone.
func (r *reader) agreeOnErrors(s *source, name string, a, b occurrence) {
	lines := func(o occurrence) []annotation {
		return slices.Concat(r.errorNotes(&method{Notes: o.decl.notes}, o)...)
	}
	first, second := lines(a), lines(b)
	for i := range max(len(first), len(second)) {
		switch {
		case i >= len(first):
			r.report.errorf(s.Dir, second[i].Pos, codeTwoMeanings, "`%s` is declared twice, and only here with `idem:%s`; annotate both alike, or one of them", name, second[i].subject())
		case i >= len(second):
			r.report.errorf(s.Dir, first[i].Pos, codeTwoMeanings, "`%s` is declared twice, and only here with `idem:%s`; annotate both alike, or one of them", name, first[i].subject())
		case first[i].Arg != second[i].Arg:
			x, y := first[i], second[i]
			if comparePlaces(x.Pos, y.Pos) > 0 {
				x, y = y, x
			}
			r.report.errorf(s.Dir, y.Pos, codeTwoMeanings, "`%s` is declared twice, with another `%s` at %s; annotate both alike, or one of them", name, y.text(), r.report.place(x.Pos))
		default:
			continue
		}
		return
	}
}

// errorRules reads the rules of a keyed method.
func (r *reader) errorRules(e func(annotation) *environment, m *method, o occurrence) {
	for _, level := range r.errorNotes(m, o) {
		var here []errorRule
		for _, n := range level {
			here = append(here, e(n).outside().errorRules(here)...)
		}
		for _, rule := range here {
			if !slices.ContainsFunc(m.Errors, rule.same) { // else a nearer doc comment has decided
				m.Errors = append(m.Errors, rule)
			}
		}
	}
}

// errorRules reads one line; before are the rules of the lines before it.
func (e *environment) errorRules(before []errorRule) (rules []errorRule) {
	words := fields(e.note.Arg)
	if len(words) == 0 {
		return nil // which has been refused before
	}
	class := words[0]
	switch {
	case errorClasses[class.text] == "":
		e.fail(e.note.at(class.at), codeBadValue, "unknown class `%s`; write one of %s", class.text, knownClasses)
		return nil
	case len(words) == 1:
		e.fail(e.note.at(class.at), codeBadValue, "`errors %s` needs the names of error variables or types; write them behind it", class.text)
		return nil
	}
	parts, gap := split(e.note.Arg, words[1].at)
	if gap >= 0 {
		e.fail(e.note.at(gap), codeSyntax, "a name is missing beside the comma; write it, or delete the comma")
		return nil
	}
	for _, p := range parts {
		rule, ok := e.errorRule(p)
		if rule.Class = class.text; !ok || e.decided(append(before, rules...), rule) {
			continue
		}
		if reason := rule.notAnOutcome(); reason != "" {
			e.fail(rule.Pos, codeErrorName, "`%s` %s", rule.Text, reason)
			continue
		}
		rules = append(rules, rule)
	}
	return rules
}

// decided tells whether an earlier rule of the same doc comment is about all that this one is about, which is reported.
func (e *environment) decided(before []errorRule, rule errorRule) bool {
	for _, b := range before {
		switch {
		case rule.same(b) && b.Class == rule.Class:
			e.fail(rule.Pos, codeTwice, "`%s` is given twice; delete it here", rule.Text)
		case rule.same(b):
			e.fail(rule.Pos, codeTwice, "`%s` is `%s` at %s already, and an error has one class; delete one of them", rule.Text, b.Class, e.r.report.place(b.Pos))
		case b.covers(rule):
			e.fail(b.Pos, codeNoEffect, "`%s` leaves nothing for `%s` to decide, which comes behind it; put `%s` last", b.Text, rule.Text, b.Text)
		default:
			continue
		}
		return true
	}
	return false
}

// same tells whether two rules are about the same errors.
func (a errorRule) same(b errorRule) bool {
	if a.Value != nil || b.Value != nil {
		return a.Value == b.Value
	}
	return types.Identical(a.Type, b.Type)
}

// covers tells whether every error that b is about is of a's type.
func (a errorRule) covers(b errorRule) bool {
	if a.Value != nil {
		return false
	}
	if i, ok := a.Type.Underlying().(*types.Interface); ok {
		return types.Implements(b.Type, i)
	}
	return types.Identical(a.Type, b.Type)
}

// errorRule reads one name.
func (e *environment) errorRule(p part) (rule errorRule, ok bool) {
	refuse := func(format string, args ...any) (errorRule, bool) {
		e.fail(e.note.at(p.at), codeErrorName, format, args...)
		return errorRule{}, false
	}
	x := e.parse(p)
	if x == nil {
		return rule, false
	}
	named, base := nameOf(x)
	if base == nil {
		return refuse("`%s` is no name; write a variable, as in `ErrDeclined`, or a type, as in `*DeclinedError`", p.text)
	}
	c := e.check(p, named)
	if c == nil {
		return rule, false
	}
	object, pointer := c.info.Uses[base], named != ast.Unparen(x)
	if _, isType := object.(*types.TypeName); isType && pointer {
		if c = e.check(p, x); c == nil {
			return rule, false
		}
	}
	rule = errorRule{Text: p.text, Pos: e.note.at(p.at), Type: c.info.Types[x].Type}
	switch o := object.(type) {
	case *types.Var, *types.Const:
		switch {
		case pointer:
			return refuse("`%s` is a variable, and no type: write `%s`", base.Name, strings.TrimLeft(p.text, "* "))
		case o.Parent() == nil:
			return refuse("`%s` is a field: declare a variable for it, and name that", p.text)
		}
		rule.Value, rule.Type = o, o.Type()
	case *types.TypeName:
	case *types.Func:
		return refuse("`%s` is a function: name a variable or a type, or have the method return idem.NoEffect(err) or idem.Unknown(err)", p.text)
	default:
		return refuse("`%s` is no error: name a variable or a type", p.text)
	}
	if reason := e.notAnError(rule, base, pointer); reason != "" {
		return refuse("`%s` %s", p.text, reason)
	}
	return rule, true
}

// nameOf finds the name in x (ErrX, pkg.ErrX, Type[Arg], each also behind a star), and its last identifier; nil: x is something else.
func nameOf(x ast.Expr) (name ast.Expr, base *ast.Ident) {
	name = ast.Unparen(x)
	if star, ok := name.(*ast.StarExpr); ok {
		name = ast.Unparen(star.X)
	}
	generic := name
	switch index := name.(type) {
	case *ast.IndexExpr:
		generic = ast.Unparen(index.X)
	case *ast.IndexListExpr:
		generic = ast.Unparen(index.X)
	}
	switch n := generic.(type) {
	case *ast.Ident:
		return name, n
	case *ast.SelectorExpr:
		if _, ok := n.X.(*ast.Ident); ok {
			return name, n.Sel
		}
	}
	return nil, nil
}

// notAnError says why errors can't be compared with the rule's value or type; empty: they can.
func (e *environment) notAnError(rule errorRule, base *ast.Ident, pointer bool) string {
	failure := types.Universe.Lookup("error").Type().Underlying().(*types.Interface)
	t := rule.Type
	if n, ok := types.Unalias(t).(*types.Named); ok && rule.Value == nil && n.TypeParams().Len() > n.TypeArgs().Len() {
		return "is generic: say of what, as in `" + base.Name + "[" + n.TypeParams().At(0).Obj().Name() + "]`"
	}
	if _, ok := types.Unalias(t).(*types.TypeParam); ok {
		return "is a type parameter, and could be any error: name a type (`error` stands for all)"
	}
	if types.Implements(t, failure) {
		return ""
	}
	switch {
	case rule.Value != nil:
		return "has type " + e.typeString(types.Default(t)) + ", which is no error; name a variable or a type that is one"
	case !pointer && types.Implements(types.NewPointer(t), failure):
		return "is no error, but its pointer is; write `*" + rule.Text + "`"
	case pointer && types.IsInterface(t.(*types.Pointer).Elem()):
		return "is a pointer to an interface: write `" + strings.TrimLeft(rule.Text, "* ") + "`"
	}
	return "is no error, as it has no method Error() string; name a variable or a type that is one"
}

// staticHint says what may be meant by a name that is unknown at package level.
func (e *environment) staticHint(name string, selected bool) string {
	if e.hasParam(name) {
		return ", as parameters have no meaning in what is settled once for all calls; name a variable or a type"
	}
	scope := e.in.Types.Scope()
	if selected {
		scope = e.in.scopeOf(e.file.tree)
	}
	names := scope.Names()
	if e.note.Word == "codec" && !selected {
		names = append(names, "json", "proto")
	}
	if near := closest(name, names); near != "" {
		return "; did you mean `" + near + "`?"
	}
	if selected {
		return "; import the package in this file (an import that only annotations need is kept by `var _ = " + name + ".NAME`)"
	}
	return "; declare it in package " + e.in.Name + ", or import it in this file"
}

// errorRule is the rule as code.
func (w *writer) errorRule(rule errorRule) (out templates.ErrorRule) {
	out.Class = errorClasses[rule.Class]
	if rule.Value == nil {
		out.Type = w.typ(rule.Type)
		return out
	}
	out.Value = w.object(rule.Value)
	if rule.Class == "final" {
		out.Code = rule.code()
	}
	return out
}
