package generator

import (
	"fmt"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strconv"

	"github.com/idemgen/idemgen/templates"
)

// This file is the one place that invents identifiers. What is fixed comes first and everything else keeps away from it, in this order: what
// the package declares, wrappers and constructors, type parameters, the package-level names of keyed methods, imports, and then
// per method the parameters and the variables of the body.

// names are identifiers that are taken in some scope.
type names map[string]bool

// pick takes the first candidate that is free, or numbers the last.
func (n names) pick(candidates ...string) string {
	for _, c := range candidates {
		if !n[c] {
			n[c] = true
			return c
		}
	}
	last := candidates[len(candidates)-1]
	for i := 2; ; i++ {
		if c := last + strconv.Itoa(i); !n[c] {
			n[c] = true
			return c
		}
	}
}

// with is a copy with more in it.
func (n names) with(more ...names) names {
	all := maps.Clone(n)
	for _, m := range more {
		maps.Copy(all, m)
	}
	return all
}

func listed(list ...string) names {
	n := names{}
	for _, s := range list {
		n[s] = true
	}
	return n
}

// reserved are the names that nothing of ours may take: predeclared names, keywords, and what is no name.
var reserved = listed(append(types.Universe.Names(), "_", "init", "break", "case", "chan", "const", "continue", "default", "defer", "else",
	"fallthrough", "for", "func", "go", "goto", "if", "import", "interface", "map", "package", "range", "return", "select", "struct", "switch",
	"type", "var")...)

// naming holds the identifiers of one output, in the order of its wrappers and methods.
type naming struct {
	imports  []templates.Import
	wrappers []wrapperNames
}

type wrapperNames struct {
	receiver             string // of all methods, and the constructor's variable
	typeParams           map[*types.TypeParam]string
	next, engine         string // fields
	ctorNext, ctorEngine string // parameters of the constructor
	methods              []methodNames
}

type methodNames struct {
	params    []string
	results   []string // nil: the list has no names
	operation string   // variable or field
	payload   string   // type; empty: there is none
	context   contextNames
	body      bodyNames
}

// contextNames are for a context that is more than a context.Context.
type contextNames struct{ typ, caller, claim, receiver, key string }

// bodyNames are the variables of a keyed method.
type bodyNames struct {
	key, scope, result, err   string
	keyCopies, scopeCopies    []string // by expression; empty: it needs none
	fingerprint               string   // parameter of the closure that adds arguments
	runCtx, runResult, runErr string   // of the closure that runs the method
	happened                  string   // of the closure that asks whether it has happened
	old                       string   // parameter of a closure that upcasts several results
}

// nameOutput names everything in o. The package-level names it invents are added to o.Taken, so that the next output of the same package
// keeps away from them.
func nameOutput(o *output) (*naming, []Diagnostic) {
	surveys, ds := surveyAll(o)
	ds = append(ds, declare(o)...)
	if len(ds) > 0 {
		return nil, ds
	}
	n := &naming{}
	for i, w := range o.Wrappers {
		n.wrappers = append(n.wrappers, nameDeclarations(o, w, surveys[i]))
	}
	n.imports = nameImports(packagesOf(o, surveys), o.PkgPath, importsAvoid(o, n, surveys))
	imported := map[string]string{}
	for _, i := range n.imports {
		imported[i.Path] = i.Name
	}
	for i, w := range o.Wrappers {
		n.wrappers[i].nameBodies(w, surveys[i], imported)
	}
	return n, nil
}

// declare takes the names of the wrappers and constructors.
func declare(o *output) (ds []Diagnostic) {
	for _, w := range o.Wrappers {
		for _, name := range []string{w.Name, w.Ctor} {
			if at, taken := o.Taken[name]; taken {
				ds = append(ds, diagnostic(w.Pos, codeNameTaken, fmt.Sprintf("generated name %s is already declared at %s", name, at)))
				break
			}
			o.Taken[name] = w.Pos
		}
	}
	return ds
}

// nameDeclarations names what stands outside of methods: type parameters, package-level variables and types, and fields.
func nameDeclarations(o *output, w *wrapper, s survey) wrapperNames {
	n := wrapperNames{typeParams: map[*types.TypeParam]string{}}
	mentioned := reserved.with(s.whole.plain, listed(w.Name, w.Ctor, w.Named.Name()))
	n.receiver = mentioned.pick("w", "wrapper")
	for _, t := range w.TypeParams {
		name := t.Obj().Name()
		if name == "_" {
			name = "T"
		}
		n.typeParams[t] = mentioned.pick(name, name+"Type")
	}
	members := names{}
	for _, m := range w.Methods {
		members[m.Name] = true
	}
	for _, t := range w.Seals {
		members[t.Name()] = true
	}
	n.next = members.pick("next", "wrapped")
	n.engine = members.pick("eng", "engine")
	d := declarer{o: o, w: w, taken: reserved.with(takenBy(o), o.Imported, typeParamNames(n)), members: members, inside: typeParamNames(n)}
	for _, m := range w.Methods {
		var mn methodNames
		if m.Keyed {
			mn = d.keyed(m)
		}
		n.methods = append(n.methods, mn)
	}
	return n
}

// declarer names what the keyed methods of one wrapper declare outside of themselves.
type declarer struct {
	o       *output
	w       *wrapper
	taken   names // at package level
	members names // of the wrapper
	inside  names // its type parameters
}

func (d declarer) keyed(m *method) (n methodNames) {
	own := lowerInitial(d.w.Named.Name()) + upperInitial(m.Name)
	if field := lowerInitial(m.Name); d.w.holds() {
		d.members[field] = d.members[field] || token.IsKeyword(field)
		n.operation = d.members.pick(field, field+"Operation")
	} else {
		n.operation = d.declare(own, own+"Operation")
	}
	if len(m.Results) > 1 {
		n.payload = d.declare(own + "Results")
	}
	if m.contextKind() == contextExtended {
		fields, inside := methodSet(m.Sig.Params().At(m.Context).Type()), maps.Clone(d.inside)
		n.context = contextNames{
			typ: d.declare(own + "Context"), caller: d.declare(own + "Caller"), claim: fields.pick("claim", "claimContext"),
			receiver: inside.pick("c", "ctx"), key: inside.pick("key", "k"),
		}
	}
	return n
}

func (d declarer) declare(candidates ...string) string {
	name := d.taken.pick(candidates...)
	d.o.Taken[name] = d.w.Pos
	return name
}

func takenBy(o *output) names {
	n := names{}
	for name := range o.Taken {
		n[name] = true
	}
	return n
}

func typeParamNames(n wrapperNames) names {
	return listed(slices.Collect(maps.Values(n.typeParams))...)
}

// methodSet holds the names of an interface's methods, which a field must not have.
func methodSet(t types.Type) names {
	n := names{}
	for m := range t.Underlying().(*types.Interface).Methods() {
		n[m.Name()] = true
	}
	return n
}

// importsAvoid are the names that an import would hide, or be hidden by.
func importsAvoid(o *output, n *naming, surveys []survey) names {
	avoid := reserved.with(takenBy(o), listed("err", "next", "eng")) // jennifer numbers a package called err
	for i, s := range surveys {
		avoid = avoid.with(s.whole.plain, typeParamNames(n.wrappers[i]), listed(n.wrappers[i].receiver))
	}
	return avoid
}
