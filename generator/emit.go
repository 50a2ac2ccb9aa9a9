package generator

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/idemgen/idemgen/templates"
)

// This file turns the facts about interfaces, and the names chosen for them, into the plainer model of package templates.

// emit is the text of one output file. The diagnostics say what can't be written; with any, there is no text.
func emit(o *output) ([]byte, []Diagnostic) {
	n, ds := nameOutput(o)
	if len(ds) > 0 {
		return nil, ds
	}
	file := templates.File{Package: o.PkgName, Path: o.PkgPath, Constraint: o.Constraint, Imports: n.imports}
	for i, w := range o.Wrappers {
		e := emitter{
			writer:  &writer{home: o.PkgPath, hidden: o.Taken, typeParams: n.wrappers[i].typeParams, named: newNamed()},
			wrapper: w,
			names:   n.wrappers[i],
			imports: n.imports,
		}
		file.Wrappers = append(file.Wrappers, e.emit())
	}
	text, err := file.Render()
	if err == nil && o.Tests {
		o.RoundTrips, err = roundTrips(o, n)
	}
	if err != nil {
		pos := token.Position{Filename: o.Path, Line: 1, Column: 1}
		return nil, []Diagnostic{diagnostic(pos, codeOutput, "the output does not parse, which is a fault of idemgen: "+err.Error())}
	}
	return text, nil
}

func diagnostic(pos token.Position, code, text string) Diagnostic {
	return Diagnostic{File: pos.Filename, Line: pos.Line, Col: pos.Column, Severity: Error, Code: code, Text: text}
}

// emitter makes the templates' model of one wrapper.
type emitter struct {
	*writer
	wrapper *wrapper
	names   wrapperNames
	imports []templates.Import
}

func (e *emitter) emit() templates.Wrapper {
	w := e.wrapper
	out := templates.Wrapper{
		Name: w.Name, Doc: e.wrapperDoc(), Receiver: e.names.receiver, Next: e.names.next, Engine: e.names.engine, Holds: w.holds(),
		Ctor: templates.Ctor{Name: w.Ctor, Next: e.names.ctorNext, Engine: e.names.ctorEngine},
	}
	_, out.OwnNil = e.hidden["nil"]
	var args []jen.Code
	for _, t := range w.TypeParams {
		args = append(args, e.typ(t))
		out.TypeParams = append(out.TypeParams, templates.TypeParam{Name: e.names.typeParams[t], Constraint: e.typ(t.Constraint())})
	}
	out.Interface = e.object(w.Named).Types(args...)
	for _, t := range w.Seals {
		out.Embeds = append(out.Embeds, templates.Embed{Field: t.Name(), Type: e.object(t)})
	}
	for i, m := range w.Methods {
		method := e.method(m, &e.names.methods[i], args)
		if m.Keyed && m.CheckResults && len(args) > 0 {
			k := method.Keyed
			out.Ctor.Checks = append(out.Ctor.Checks, templates.Check{Result: k.Operation.Result, Operation: k.Operation.Name})
		}
		for _, rule := range m.Errors {
			if rule.storedAsJSON() && generic(rule.Type) && !m.lossy() && len(args) > 0 {
				out.Ctor.Checks = append(out.Ctor.Checks, templates.Check{Error: e.typ(rule.Type), Operation: method.Keyed.Operation.Name})
			}
		}
		if m.Codec != nil && m.Codec.Late {
			out.Ctor.Checks = append(out.Ctor.Checks, templates.Check{Operation: method.Keyed.Operation.Name})
		}
		out.Methods = append(out.Methods, method)
	}
	out.Ctor.Doc = e.ctorDoc(out.Ctor.Checks)
	return out
}

func (e *emitter) method(m *method, n *methodNames, args []jen.Code) templates.Method {
	out := templates.Method{Name: m.Name, Doc: e.methodDoc(m)}
	params, results := m.Sig.Params(), m.Sig.Results()
	e.tall = false
	for i, name := range n.params {
		out.Params = append(out.Params, templates.Param{
			Name: name, Type: e.tupleType(params, i, m.Sig.Variadic()), Variadic: m.Sig.Variadic() && i == params.Len()-1,
		})
	}
	out.Tall = e.tall
	for i := range len(out.Params) - 1 {
		next := out.Params[i+1]
		out.Params[i].Grouped = !out.Tall && !next.Variadic && params.At(i).Type() == params.At(i+1).Type()
	}
	for i := range results.Len() {
		r := templates.Param{Type: e.typ(results.At(i).Type())}
		if n.results != nil {
			r.Name = n.results[i]
			r.Grouped = i+1 < results.Len() && results.At(i).Type() == results.At(i+1).Type()
		}
		out.Results = append(out.Results, r)
	}
	if m.Keyed {
		out.Keyed = e.keyed(m, n, args)
	}
	return out
}

func (e *emitter) keyed(m *method, n *methodNames, args []jen.Code) *templates.Keyed {
	b := n.body
	k := &templates.Keyed{
		Operation: e.operation(m, n, args),
		Ctx:       m.Context,
		Key:       e.key(m, n),
		Args:      e.fingerprint(m, n),
		Secret:    slices.ContainsFunc(m.Fingerprint, func(a fingerprintArg) bool { return a.Expr != nil && a.Expr.Secret != "" }),
		Run:       templates.Run{Ctx: b.runCtx, Result: b.runResult, Err: b.runErr},

		Fingerprint: b.fingerprint, Result: b.result, Err: b.err,
	}
	if m.Scope != nil {
		scope := e.value([]*expr{m.Scope}, b.scope, b.scopeCopies, n.params)
		k.Scope = &scope
	}
	switch len(m.Results) {
	case 0:
		k.Void = true
		k.Operation.Result = jen.Qual(templates.RuntimePath, "Void")
	case 1:
		k.Operation.Result = e.typ(m.Results[0])
	default:
		k.Operation.Result = jen.Id(n.payload).Types(args...)
		k.Payload = &templates.Payload{Name: n.payload, Method: m.Name}
		for _, t := range m.Results {
			k.Payload.Results = append(k.Payload.Results, e.typ(t))
		}
	}
	switch {
	case m.Codec != nil:
		k.Operation.Codec = e.codec(m.Codec, k.Operation.Result)
	case m.Stored == storedProto:
		k.Operation.Codec = e.protoCodec(k.Operation.Result)
	}
	if s := m.Settings; s.Takeover != nil && *s.Takeover == "recover" {
		k.Recover = &templates.Recover{Method: s.Recover, Happened: b.happened}
	}
	if m.Settings.Tx == "join" {
		k.Tx = n.params[m.transactions()[0]]
	}
	if n.context.typ != "" {
		k.Context = &templates.Context{
			Name: n.context.typ, Caller: n.context.caller, Claim: n.context.claim, Method: m.Name,
			Receiver: n.context.receiver, Key: n.context.key,
			Interface: e.typ(m.Sig.Params().At(m.Context).Type()),
		}
	}
	return k
}

// operation is the fixed half. The type arguments of a generic wrapper stand behind the interface's name where the operation ends in the
// method's, as it does unless an annotation named it, and else at its end.
func (e *emitter) operation(m *method, n *methodNames, args []jen.Code) templates.Operation {
	s := m.Settings
	o := templates.Operation{
		Name: n.operation, Stored: m.Op, TypeArgs: args, Scoped: m.Scope != nil,
		Reads: m.Reads, MaxWait: s.MaxWait, Lease: s.Lease, NoRenew: s.NoRenew, TTL: s.TTL, MaxAttempts: s.MaxAttempts,
		Tx: map[string]string{"own": "TxOwn", "join": "TxJoin", "optimistic": "TxOptimistic"}[s.Tx], Detach: s.Detach,
	}
	if stem, ok := strings.CutSuffix(m.Op, "."+m.Name); ok && len(args) > 0 {
		o.Stored, o.Suffix = stem, "."+m.Name
	}
	for _, rule := range m.Errors {
		o.Errors = append(o.Errors, e.errorRule(rule))
	}
	for _, u := range m.Upcasts {
		upcast := e.upcast(u, len(m.Results) > 1)
		upcast.Results, upcast.Var, upcast.Result, upcast.Err = len(m.Results), n.body.old, n.body.runResult, n.body.runErr
		o.Upcasts = append(o.Upcasts, upcast)
	}
	if s.Policy != nil {
		o.Policy = map[string]string{"poll": "PolicyPoll", "conflict": "PolicyConflict"}[*s.Policy]
	}
	if s.Takeover != nil {
		o.Takeover = map[string]string{"rerun": "TakeoverRerun", "recover": "TakeoverRecover", "hold": "TakeoverHold"}[*s.Takeover]
	}
	return o
}

func (e *emitter) key(m *method, n *methodNames) templates.Value {
	if m.KeyFromContext {
		return templates.Value{Key: jen.Qual(templates.RuntimePath, "KeyFromContext").Call(jen.Id(n.params[m.Context]))}
	}
	return e.value(m.Keys, n.body.key, n.body.keyCopies, n.params)
}

// value is a key or scope of one or several expressions.
func (e *emitter) value(exprs []*expr, variable string, copies, params []string) templates.Value {
	v := templates.Value{Var: variable, Guards: e.guards(exprs, params)}
	var parts []jen.Code
	for i, x := range exprs {
		arg := e.expr(x, params)
		if copies[i] != "" {
			v.Copies = append(v.Copies, templates.Copy{Var: copies[i], Value: arg})
			arg = jen.Op("&").Id(copies[i])
		}
		parts = append(parts, jen.Qual(templates.RuntimePath, keyFuncs[x.Kind]).Call(arg))
	}
	v.Key = parts[0]
	if len(parts) > 1 {
		v.Key = jen.Qual(templates.RuntimePath, "JoinKeys").Call(parts...)
	}
	return v
}

// keyFuncs are the functions of package idem that make a key of a value.
var keyFuncs = map[keyKind]string{
	keyString: "StringKey", keyInt: "IntKey", keyUint: "UintKey", keyUUID: "UUIDKey",
	keyText: "TextKey", keyTextAddr: "TextKey", keyStringer: "StringerKey", keyStringerAddr: "StringerKey",
}

func (e *emitter) fingerprint(m *method, n *methodNames) (args []templates.Arg) {
	before := ""
	for _, a := range m.Fingerprint {
		arg := templates.Arg{Name: a.Name, Joined: before != "" && before == a.guards()}
		before = a.guards()
		if a.Expr != nil {
			arg.Guards = e.guards([]*expr{a.Expr}, n.params)
			arg.Value = e.expr(a.Expr, n.params)
			arg.Interface = types.IsInterface(a.Expr.Type)
		} else {
			arg.Value = jen.Id(n.params[a.Param])
			arg.Interface = types.IsInterface(m.Sig.Params().At(a.Param).Type())
		}
		args = append(args, arg)
	}
	return args
}

// guards is what the argument's guards say, to compare them with another's.
func (a fingerprintArg) guards() (text string) {
	if a.Expr != nil {
		for _, s := range a.Expr.NilChecks {
			text += a.Expr.Text[s.Start:s.End] + "\n"
		}
	}
	return text
}

// interfaceName is how the output's docs refer to the interface.
func (e *emitter) interfaceName() string {
	o := e.wrapper.Named
	if o.Pkg().Path() == e.home {
		return o.Name()
	}
	i := slices.IndexFunc(e.imports, func(i templates.Import) bool { return i.Path == o.Pkg().Path() })
	return e.imports[i].Name + "." + o.Name()
}
