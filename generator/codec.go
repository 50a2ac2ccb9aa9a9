package generator

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/idemgen/idemgen/templates"
)

// This file reads //idem:codec: how the results of a method are stored. A name stands for a value that is an idem.Codec of the result, a
// function that makes one, or a type that is one; where it is generic, it is made for the result. Several results are stored as one, of a
// type that is generated, so only a generic codec can be meant for them.

// codec is a codec that the annotation names.
type codec struct {
	Text   string
	Pos    token.Position
	Object types.Object // a variable or constant, a function, or a type
	Args   []types.Type // type arguments that are written out
	Result bool         // the result is the type argument
	// Address: the codec is a pointer to the type. Late: it may be set after package variables are, so it is asked for by the constructor.
	Address, Late bool
	JSON          bool // it wraps json, so what json loses is lost
}

// codec reads the annotation. It is nil for json, and where the codec does not fit, which is reported.
func (r *reader) codec(e *environment, m *method, own bool) {
	arg, _, _ := strings.Cut(e.note.Arg, "//")
	word := strings.TrimSpace(arg)
	if words := fields(arg); len(words) > 1 && (words[0].text == "json" || words[0].text == "proto") {
		e.fail(e.note.at(words[1].at), codeBadValue, "unexpected `%s` after `%s`; delete it", words[1].text, words[0].text)
		return
	}
	switch {
	case word == "": // which has been refused before
		return
	case len(m.Results) == 0:
		if own {
			e.fail(e.note.Pos, codeNoEffect, "`idem:codec` has no effect: `%s` has no result to store; delete it", e.method)
		}
		return
	case word == "json":
		m.Stored = storedJSON
	case word == "proto":
		m.Stored, m.CheckResults = storedProto, false
		e.protoFits(m)
	default:
		m.Stored, m.CheckResults = storedOwn, false
		parts, _ := split(e.note.Arg, 0)
		if len(parts) > 1 {
			e.fail(e.note.at(parts[1].at), codeCodec, "unexpected `%s`, as results have one codec; delete it", parts[1].text)
			return
		}
		e.namedCodec(m, parts[0])
	}
}

// storage is how the results of a method are stored.
type storage uint8

const (
	storedUnsaid storage = iota // json, or proto for a message
	storedJSON
	storedProto
	storedOwn // by a codec of the user's
)

// namedCodec reads the name of a codec.
func (e *environment) namedCodec(m *method, p part) {
	refuse := func(format string, args ...any) { e.fail(e.note.at(p.at), codeCodec, format, args...) }
	x := e.parse(p)
	if x == nil {
		return
	}
	named, base := nameOf(x)
	if base == nil || named != x {
		refuse("`%s` is no name of a codec: declare a function that returns it, and write its name, as in `pkg.NewCodec`", p.text)
		return
	}
	c := e.check(p, x)
	if c == nil {
		return
	}
	k := &codec{Text: p.text, Pos: e.note.at(p.at), Object: c.info.Uses[base], Args: typeArguments(c, x)}
	if isRuntimeJSON(k.Object) {
		m.Stored, m.CheckResults = storedJSON, dependent(m)
		return
	}
	if _, isField := k.Object.(*types.Var); isField && k.Object.Parent() == nil {
		refuse("`%s` is a field: declare a variable for it, and name that", p.text)
		return
	}
	if brokenCodec(k.Object.Type()) {
		if !e.r.errorsOf(e.s, k.Object) {
			e.fail(k.Pos, codeBrokenType, "`%s` does not compile; mend it, or the import of package idem in its file", p.text)
		}
		return
	}
	if reason := e.codecFits(k, m); reason != "" {
		refuse("`%s` %s", p.text, reason)
		return
	}
	m.Codec = k
	m.CheckResults = k.JSON && dependent(m)
}

// typeArguments are those that are written behind a name.
func typeArguments(c *checkedExpr, x ast.Expr) (list []types.Type) {
	var written []ast.Expr
	switch x := x.(type) {
	case *ast.IndexExpr:
		written = []ast.Expr{x.Index}
	case *ast.IndexListExpr:
		written = x.Indices
	}
	for _, arg := range written {
		list = append(list, c.info.Types[arg].Type)
	}
	return list
}

// isRuntimeJSON tells whether o is the default codec.
func isRuntimeJSON(o types.Object) bool {
	return o.Pkg() != nil && o.Pkg().Path() == templates.RuntimePath && o.Name() == "JSON"
}

// stored is the type that the method's results are stored as. That of several has a name, which is generated; here it is one like it.
func (e *environment) stored(m *method) types.Type {
	t := m.stored()
	if len(m.Results) > 1 {
		t = types.NewNamed(types.NewTypeName(token.NoPos, e.in.Types, "results", nil), t, nil)
	}
	return t
}

// codecFits says why k is no codec for the method's results; empty: it is one.
func (e *environment) codecFits(k *codec, m *method) string {
	stored := e.stored(m)
	t, reason := k.instance(stored, e.in.Types.Path())
	if reason != "" {
		return reason
	}
	switch o := k.Object.(type) {
	case *types.Var, *types.Const:
		k.Late = true
		if isCodec(t) {
			break
		}
		if sig, ok := t.Underlying().(*types.Signature); ok {
			t, reason = constructed(sig)
		} else if isCodec(types.NewPointer(t)) {
			reason = "is no codec, but its pointer is: declare it as a pointer"
		}
	case *types.Func:
		if o.Signature().Recv() != nil {
			return "is a method: declare a function that calls it"
		}
		k.Late = true
		t, reason = constructed(t.(*types.Signature))
	case *types.TypeName:
		_, param := types.Unalias(t).(*types.TypeParam)
		switch {
		case param:
			reason = "is a type parameter: name a value, a function or a type"
		case types.IsInterface(t):
			reason = "is an interface, and no codec by itself: name a value, or a function that returns one"
		case !isCodec(t) && isCodec(types.NewPointer(t)):
			t, k.Address = types.NewPointer(t), true
		}
	default:
		return "is no codec: name a variable, a function or a type (" + o.String() + ")"
	}
	if reason == "" {
		reason = e.codecOf(t, stored, m, k.Result)
	}
	k.JSON = reason == "" && wrapsJSON(t)
	return reason
}

// instance is the type of what k names, made for the stored type where it is generic and nothing else is said; home is the path of the
// package that messages need not name.
func (k *codec) instance(stored types.Type, home string) (t types.Type, reason string) {
	t = k.Object.Type()
	params := 0
	_, isVar := k.Object.(*types.Var) // whose type may be an instance, and is not made for anything
	if generic, ok := t.(interface{ TypeParams() *types.TypeParamList }); ok && !isVar {
		params = generic.TypeParams().Len()
	}
	args := k.Args
	switch {
	case params == 0:
		return t, ""
	case len(args) == 0 && params == 1:
		k.Result, args = true, []types.Type{stored}
	case len(args) < params:
		return nil, "has several type parameters: write them out, or give it one, for the result"
	}
	t, err := types.Instantiate(nil, t, args, true)
	if err != nil {
		return nil, "can't be made for the result: " + strings.ReplaceAll(firstLine(err.Error()), home+".", "") + "; name a codec of the result's type"
	}
	return t, ""
}

// constructed is what a function returns that makes a codec.
func constructed(sig *types.Signature) (t types.Type, reason string) {
	switch {
	case sig.Params().Len() > 0:
		return nil, "takes arguments: declare a function without, that calls it with those that are meant"
	case sig.Results().Len() != 1:
		return nil, "does not return a codec and nothing else: declare a function that does"
	}
	return sig.Results().At(0).Type(), ""
}

// codec is k as code; result is the type that is stored.
func (w *writer) codec(k *codec, result jen.Code) jen.Code {
	name := w.object(k.Object)
	if k.Result {
		name.Types(result)
	}
	var args []jen.Code
	for _, t := range k.Args {
		args = append(args, w.typ(t))
	}
	if len(args) > 0 {
		name.Types(args...)
	}
	switch o := k.Object.(type) {
	case *types.Func:
		return name.Call()
	case *types.TypeName:
		return zero(name, o.Type(), k.Address)
	default:
		if isCodec(o.Type()) {
			return name
		}
		return name.Call()
	}
}

// zero is a value of a type, or a pointer to one.
func zero(name *jen.Statement, t types.Type, address bool) jen.Code {
	_, structure := t.Underlying().(*types.Struct)
	switch {
	case structure && address:
		return jen.Op("&").Add(name).Values()
	case structure:
		return name.Values()
	case address:
		return jen.New(name)
	default:
		return jen.Op("*").New(name)
	}
}
