package generator

import (
	"go/types"
	"maps"
	"strconv"
	"unicode"

	"github.com/idemgen/idemgen/templates"
)

// This file goes on from names.go with what is named inside methods. A parameter keeps its name unless the body has to say that name for something
// else; the variables of the body keep away from both.

// nameBodies names parameters and variables; imported are the names of imports by path.
func (n *wrapperNames) nameBodies(w *wrapper, s survey, imported map[string]string) {
	everywhere := listed(n.receiver).with(typeParamNames(*n))
	constructor := everywhere.with(s.whole.plain, importNames(s.whole, imported), listed(w.Name, imported[templates.RuntimePath]))
	n.ctorNext = constructor.pick("next", "wrapped")
	n.ctorEngine = constructor.pick("eng", "engine")
	for i, m := range w.Methods {
		mn := &n.methods[i]
		body := everywhere
		if m.Keyed {
			body = everywhere.with(s.bodies[i].plain, importNames(s.bodies[i], imported), listed(
				imported[templates.RuntimePath], imported[templates.ContextPath], mn.payload, mn.context.typ, "error", "nil",
			))
			if !w.holds() {
				body[mn.operation] = true
			}
		}
		mn.nameParams(m, body)
		if m.Keyed {
			mn.nameVariables(m, body)
		}
	}
}

func importNames(n named, imported map[string]string) names {
	all := names{}
	for path := range n.packages {
		all[imported[path]] = true
	}
	return all
}

// nameParams keeps the source's names where it can. Result names are documentation only: they go where one of them is in the way, or where
// there is nothing to tell apart.
func (n *methodNames) nameParams(m *method, body names) {
	params, results := m.Sig.Params(), m.Sig.Results()
	taken := maps.Clone(body)
	n.params = make([]string, params.Len())
	for i := range params.Len() {
		if name := params.At(i).Name(); name != "" && name != "_" && !taken[name] {
			n.params[i] = taken.pick(name)
		}
	}
	for i, chosen := range n.params {
		name := params.At(i).Name()
		switch {
		case chosen != "":
		case name != "" && name != "_":
			n.params[i] = taken.pick(name + "Arg")
		case isContext(params.At(i).Type()):
			n.params[i] = taken.pick("ctx", "arg"+strconv.Itoa(i+1))
		default:
			n.params[i] = taken.pick("arg"+strconv.Itoa(i+1), "param"+strconv.Itoa(i+1))
		}
	}
	if results.Len() < 2 {
		return
	}
	var kept []string
	for r := range results.Variables() {
		if r.Name() == "" || r.Name() == "_" || taken[r.Name()] {
			return
		}
		kept = append(kept, r.Name())
	}
	n.results = kept
}

func isContext(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == templates.ContextPath && n.Obj().Name() == "Context"
}

// nameVariables names what the body of a keyed method declares.
func (n *methodNames) nameVariables(m *method, body names) {
	b := &n.body
	closure := body.with(listed(n.params...))
	outer := closure.with(listed(n.results...))
	b.key = outer.pick("key", "callKey")
	b.scope = outer.pick("scope", "callScope")
	b.keyCopies = copies(m.Keys, outer)
	if m.Scope != nil {
		b.scopeCopies = copies([]*expr{m.Scope}, outer)
	}
	b.result = outer.pick("res", "result")
	if n.results != nil {
		b.err = n.results[len(n.results)-1]
	} else {
		b.err = outer.pick("err", "callErr")
	}
	b.fingerprint = outer.pick("f", "fingerprint")
	switch m.contextKind() {
	case contextPlain:
		b.runCtx = n.params[m.Context]
	case contextExtended:
		b.runCtx = closure.pick("ctx", "claimCtx")
	}
	b.runResult = closure.pick("res", "result")
	b.runErr = closure.pick("err", "runErr")
	b.happened = closure.pick("happened", "hasHappened")
	b.old = closure.pick("old", "stored")
}

// copies are variables for the values whose address is needed.
func copies(exprs []*expr, taken names) []string {
	all := make([]string, len(exprs))
	for i, e := range exprs {
		if e.Kind == keyTextAddr || e.Kind == keyStringerAddr {
			all[i] = taken.pick("value", "keyValue")
		}
	}
	return all
}

// lowerInitial is name with its first word in lower case: HTTPServer → httpServer, ID → id.
func lowerInitial(name string) string {
	runes := []rune(name)
	for i, r := range runes {
		if !unicode.IsUpper(r) || i > 0 && i+1 < len(runes) && unicode.IsLower(runes[i+1]) {
			break
		}
		runes[i] = unicode.ToLower(r)
	}
	return string(runes)
}

// upperInitial is name with its first letter in upper case.
func upperInitial(name string) string {
	runes := []rune(name)
	runes[0] = unicode.ToUpper(runes[0])
	return string(runes)
}
