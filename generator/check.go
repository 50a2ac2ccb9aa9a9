package generator

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"time"
)

// This file holds the rules for wrapped interfaces, one small function each, in the order in which they are listed here. They look
// at the model; what they say of values is in verdict.go.

// checker applies the rules to one output.
type checker struct {
	*reader
	made *made
}

var (
	interfaceRules = []func(*checker, *wrapper){
		(*checker).nameIsFree,
		(*checker).hasKeys,
		(*checker).everyMethodDecided,
		(*checker).defaultsHaveEffect,
		(*checker).codecHasResults,
		(*checker).interfaceInReach,
	}
	methodRules = []func(*checker, *wrapper, *method){
		(*checker).canBeImplemented,
		(*checker).signatureInReach,
		(*checker).keyOrSkipNotBoth,
		(*checker).settingsHaveEffect,
	}
	keyedRules = []func(*checker, *wrapper, *method){
		(*checker).contextKeyHasScope,
		(*checker).leaseIsLong,
		(*checker).waitOutlastsLease,
		(*checker).holdOutlivesCallers,
		(*checker).attemptsCount,
	}
	runRules = []func(*checker, *wrapper, *method){ // where the method has its context and its error
		(*checker).recoverFits,
		(*checker).transactionFits,
		(*checker).detachFits,
	}
	valueRules = []func(*checker, *wrapper, *method){
		(*checker).resultsSurvive,
		(*checker).messagesCanBeStored,
		(*checker).parametersCount,
		(*checker).keysAreOpen,
		(*checker).tagsAreKnown,
		(*checker).secretsAreNoted,
	}
)

// check applies all rules to everything that was read.
func (r *reader) check() {
	for _, m := range r.made {
		c := &checker{reader: r, made: m}
		for _, w := range m.Wrappers {
			c.wrapper(w)
		}
	}
	r.operationsDiffer()
	r.unclassified()
}

func (c *checker) wrapper(w *wrapper) {
	for _, rule := range interfaceRules {
		rule(c, w)
	}
	for _, m := range w.Methods {
		rules := slices.Clone(methodRules)
		if m.Keyed {
			rules = append(rules, keyedRules...)
			if c.shape(w, m) {
				rules = append(append(rules, runRules...), valueRules...)
			}
		}
		for _, rule := range rules {
			rule(c, w, m)
		}
	}
}

func (c *checker) errorf(at token.Position, code, format string, args ...any) {
	c.report.errorf(c.made.source.Dir, at, code, format, args...)
}

func (w *wrapper) method(m *method) string { return w.Named.Name() + "." + m.Name }

func (c *checker) nameIsFree(w *wrapper) {
	for _, name := range []string{w.Name, w.Ctor} {
		at, taken := c.made.Taken[name]
		if !taken {
			at, taken = c.names[c.made.PkgPath+"."+name]
		}
		if !taken && c.made.Imported[name] {
			c.errorf(w.Pos, codeNameTaken, "a file of package %s imports something by the generated name `%s`; name the wrapper with `//idem:wrap NAME`", c.made.PkgPath, name)
			return
		}
		if taken {
			c.errorf(w.Pos, codeNameTaken, "generated name `%s` is already declared at %s; name the wrapper with `//idem:wrap NAME`", name, c.report.place(at))
			return
		}
		c.names[c.made.PkgPath+"."+name] = w.Pos
	}
}

func (c *checker) hasKeys(w *wrapper) {
	undecided := func(m *method) bool { return m.Keyed || !w.forwards(m) || c.meant(m, "key") }
	switch {
	case len(w.Methods) == 0:
		c.report.warnf(w.Pos, codeNoMethods, "`%s` has no methods, so its wrapper does nothing; delete the annotation, or add some", w.Named.Name())
	case !slices.ContainsFunc(w.Methods, undecided):
		c.report.warnf(w.Pos, codeNoKeys, "no method of `%s` has a key, so its wrapper does nothing; delete the annotation, or give a method one", w.Named.Name())
	}
}

// forwards tells whether the method is forwarded on purpose.
func (w *wrapper) forwards(m *method) bool {
	_, skipped := note(m.Notes, "skip")
	return !m.Keyed && (skipped || w.SkipRest || w.Asked[m.Name])
}

// everyMethodDecided wants a key or a skip for each method. What one embedded interface brings is said once.
func (c *checker) everyMethodDecided(w *wrapper) {
	embedded := map[token.Position][]string{}
	for _, m := range w.Methods {
		switch {
		case m.Keyed || w.forwards(m) || c.sealed(m) || c.meant(m, "key", "skip") || c.origin[w].meant.any("skip"):
		case slices.Contains(c.origin[w].excused, m.Pos):
		case m.Via == "":
			c.errorf(m.Pos, codeKeyOrSkip, "`%s` has neither `//idem:key` nor `//idem:skip`; write one of them above it, or `//idem:skip *` on `%s` to forward all methods without a key",
				w.method(m), w.Named.Name())
		default:
			embedded[m.Pos] = append(embedded[m.Pos], w.method(m))
		}
	}
	for _, m := range w.Methods {
		if names := embedded[m.Pos]; names != nil {
			delete(embedded, m.Pos)
			have, one := "have", "METHOD"
			if len(names) == 1 {
				have, one = "has", m.Name
			}
			c.errorf(m.Pos, codeKeyOrSkip, "%s, embedded from `%s`, %s neither `//idem:key` nor `//idem:skip`; write `//idem:on %s skip` "+
				"(or `key EXPR`) on `%s`, or `//idem:skip *` to forward all methods without a key",
				list(names), m.Via, have, one, w.Named.Name())
		}
	}
}

// meant tells whether something on the declaration of m was meant as one of the words, and has been refused.
func (c *checker) meant(m *method, words ...string) bool {
	decl := c.declared[m]
	return m.Unclear || decl != nil && decl.meant.any(words...)
}

func (c *checker) defaultsHaveEffect(w *wrapper) {
	if slices.ContainsFunc(w.Methods, func(m *method) bool { return m.Keyed || c.meant(m, "key") }) {
		return
	}
	for _, n := range w.Notes {
		if n.Word != "wrap" && n.Word != "skip" {
			c.errorf(n.Pos, codeNoEffect, "`%s` has no effect, because no method of `%s` has a key; delete it, or give a method one", n.text(), w.Named.Name())
		}
	}
}

// codecHasResults wants a result that a default codec can be about.
func (c *checker) codecHasResults(w *wrapper) {
	keyed := func(m *method) bool { return m.Keyed }
	if n, said := note(w.Notes, "codec"); said && slices.ContainsFunc(w.Methods, keyed) &&
		!slices.ContainsFunc(w.Methods, func(m *method) bool { return m.Keyed && len(m.Results) > 0 }) {
		c.errorf(n.Pos, codeNoEffect, "`idem:codec` has no effect: no keyed method of `%s` has a result to store; delete it", w.Named.Name())
	}
}

func (c *checker) keyOrSkipNotBoth(w *wrapper, m *method) {
	key, keyed := note(m.Notes, "key")
	skip, skipped := note(m.Notes, "skip")
	if !keyed || !skipped || skip.Arg != "" { // which is refused already
		return
	}
	if skip.Method == "" && (key.Method != "" || comparePlaces(key.Pos, skip.Pos) > 0) {
		key, skip = skip, key
	}
	c.errorf(skip.Pos, codeTwice, "`%s` contradicts the `%s` of `%s` at %s; delete one of them", skip.text(), key.text(), w.method(m), c.report.place(key.Pos))
}

func (c *checker) settingsHaveEffect(w *wrapper, m *method) {
	if m.Keyed || c.meant(m, "key") {
		return
	}
	why := "has no key"
	if _, skipped := note(m.Notes, "skip"); skipped {
		why = "is skipped"
	}
	for _, n := range m.Notes {
		if n.Word != "skip" {
			c.errorf(n.Pos, codeNoEffect, "`%s` has no effect, because `%s` %s; delete it", n.text(), w.method(m), why)
		}
	}
}

// shape wants one context and an error at the end.
func (c *checker) shape(w *wrapper, m *method) bool {
	var wrong []string
	switch {
	case m.Contexts == 0:
		wrong = append(wrong, "has no context.Context parameter"+c.contextHint(m))
	case m.Contexts > 1:
		wrong = append(wrong, fmt.Sprintf("has %d parameters that are a context.Context, so it is not clear which to use", m.Contexts))
	}
	if !endsInError(m.Sig) {
		text := "does not end in an error"
		if n := m.Sig.Results().Len(); n > 0 {
			if p, ok := m.Sig.Results().At(n - 1).Type().(*types.TypeParam); ok && p.Obj().Name() == "error" {
				text = "does not end in the predeclared error (here `error` is a type parameter)"
			}
		}
		wrong = append(wrong, text)
	}
	if len(wrong) > 0 {
		c.errorf(m.KeyPos, codeShape, "keyed method `%s` %s; change it, or forward it with `//idem:skip`", w.method(m), strings.Join(wrong, " and "))
	}
	return len(wrong) == 0
}

// contextHint names a parameter whose type is only called Context.
func (c *checker) contextHint(m *method) string {
	for p := range m.Sig.Params().Variables() {
		t := types.Unalias(p.Type())
		if pointer, ok := t.(*types.Pointer); ok {
			t = types.Unalias(pointer.Elem())
		}
		if n, ok := t.(*types.Named); ok && n.Obj().Name() == "Context" {
			return fmt.Sprintf(" (`%s` does not implement it)", types.TypeString(p.Type(), (*types.Package).Name))
		}
	}
	return ""
}

func (c *checker) contextKeyHasScope(w *wrapper, m *method) {
	if _, scoped := m.Says["scope"]; m.KeyFromContext && !scoped {
		c.errorf(m.KeyPos, codeNoScope, "the key of `%s` comes from the context: say whose it is with `//idem:scope EXPR`, "+
			"or `//idem:scope none` where there is one tenant only", w.method(m))
	}
}

func (c *checker) leaseIsLong(w *wrapper, m *method) {
	if lease := m.Settings.Lease; lease != nil && *lease >= leastLease && *lease < shortLease {
		c.report.warnf(m.Says["stale"].at(0), codeShortLease, "a lease of %s leaves little time to renew it; use 1s or more", *lease)
	}
}

// waitOutlastsLease notes a wait that ends before the waiter could take over.
func (c *checker) waitOutlastsLease(w *wrapper, m *method) {
	lease := 15 * time.Second
	if m.Settings.Lease != nil {
		lease = *m.Settings.Lease
	}
	if wait := m.Settings.MaxWait; wait != nil && *wait <= lease {
		c.report.notef("%s waits %s, no longer than its lease of %s: such a waiter never takes over from a dead caller", w.method(m), *wait, lease)
	}
}

// unclassified notes once which methods leave it to the defaults what an error of theirs means. Under a transaction it can only mean that
// nothing happened.
func (r *reader) unclassified() {
	var names []string
	for _, made := range r.made {
		for _, w := range made.Wrappers {
			for _, m := range w.Methods {
				_, said := m.Says["takeover"]
				if m.Keyed && !said && m.Settings.Tx == "" && len(m.Errors) == 0 && !r.report.failed[made.source.Dir] {
					names = append(names, made.PkgName+"."+w.method(m))
				}
			}
		}
	}
	if len(names) == 0 {
		return
	}
	const most = 10
	more := ""
	if n := len(names) - most; n > 0 {
		names, more = names[:most], fmt.Sprintf(" and %d more", n)
	}
	r.report.notef("an error that is marked neither idem.NoEffect nor idem.Unknown lets the next call run the method again (//idem:errors or //idem:takeover says what is meant): %s%s",
		strings.Join(names, ", "), more)
}
