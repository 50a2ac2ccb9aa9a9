package templates

import "github.com/dave/jennifer/jen"

// This file is the wrapper itself: the type, what makes it, and the proof that it has the interface.

// Wrapper is one wrapped interface.
type Wrapper struct {
	Name       string
	Doc        []string
	Interface  jen.Code // as a type, with type arguments
	TypeParams []TypeParam
	Receiver   string // of the methods, and the variable of the constructor
	Embeds     []Embed
	Next       string // field that holds the wrapped value
	Engine     string // field that holds the engine
	OwnNil     bool   // the package declares a nil of its own
	Holds      bool   // it holds its operations, which the constructor makes; a generic one always does
	Ctor       Ctor
	Methods    []Method
}

// Embed is an interface that the wrapper embeds for its unexported methods.
type Embed struct {
	Field string // its name
	Type  jen.Code
}

// TypeParam is a type parameter of a wrapper.
type TypeParam struct {
	Name       string
	Constraint jen.Code
}

// Ctor is a constructor.
type Ctor struct {
	Name   string
	Doc    []string
	Next   string // parameter
	Engine string // parameter
	Checks []Check
}

// Check is something that is known only when the wrapper is made: whether a result of an instance can be stored, or whether there is
// a codec.
type Check struct {
	Result    jen.Code // type; nil: it is about the codec
	Error     jen.Code // type; nil: it is about no error
	Operation string   // field
}

// declarations are all of a wrapper, in the order of the file.
func (w Wrapper) declarations() []jen.Code {
	all := []jen.Code{w.check(), w.declaration(), w.constructor()}
	for _, m := range w.Methods {
		if m.Keyed == nil {
			all = append(all, w.forwarded(m))
			continue
		}
		if !w.holds() {
			all = append(all, m.Keyed.Operation.variable())
		}
		if m.Keyed.Payload != nil {
			all = append(all, m.Keyed.Payload.declaration(w.TypeParams))
		}
		if m.Keyed.Context != nil {
			all = append(all, m.Keyed.Context.declarations(w.TypeParams)...)
		}
		all = append(all, w.keyed(m))
	}
	return all
}

func (w Wrapper) generic() bool { return len(w.TypeParams) > 0 }

func (w Wrapper) holds() bool { return w.Holds || w.generic() }

// check yields
//
//	var _ Payments = (*IdempotentPayments)(nil)
//
// or, because a generic type can't be named outside of anything generic,
//
//	func _[T any]() { var _ Box[T] = (*IdempotentBox[T])(nil) }
//
// or, where nil is something else,
//
//	func _(w *IdempotentPayments) { var _ Payments = w }
func (w Wrapper) check() jen.Code {
	check := jen.Var().Id("_").Add(w.Interface).Op("=").Parens(jen.Op("*").Add(w.instance())).Parens(jen.Nil())
	switch {
	case w.OwnNil:
		check = jen.Func().Id("_").Types(declared(w.TypeParams)...).Params(jen.Id(w.Receiver).Op("*").Add(w.instance())).
			Add(inline(jen.Var().Id("_").Add(w.Interface).Op("=").Id(w.Receiver)))
	case w.generic():
		check = jen.Func().Id("_").Types(declared(w.TypeParams)...).Params().Add(inline(check))
	}
	return lines(check)
}

// declaration yields
//
//	type IdempotentBox[T any] struct {
//		next Box[T]
//		eng  *idem.Engine
//		put  idem.Operation[T]
//	}
//
// where only a generic wrapper, or one with codecs that are made with it, holds its operations. An interface with a method that only package pb can implement yields
//
//	type IdempotentPayments struct {
//		pb.UnsafePaymentsServer // for what only its package can implement
//
//		next Payments
//		eng  *idem.Engine
//	}
func (w Wrapper) declaration() jen.Code {
	var members []jen.Code
	for _, e := range w.Embeds {
		members = append(members, jen.Add(e.Type).Comment("for what only its package can implement"))
	}
	if len(members) > 0 {
		members = append(members, jen.Line())
	}
	members = append(members, jen.Id(w.Next).Add(w.Interface), jen.Id(w.Engine).Op("*").Qual(RuntimePath, "Engine"))
	for _, o := range w.operations() {
		members = append(members, jen.Id(o.Name).Add(o.typ()))
	}
	return documented(w.Doc, jen.Type().Id(w.Name).Types(declared(w.TypeParams)...).Struct(members...))
}

// constructor yields
//
//	func NewIdempotentPayments(next Payments, eng *idem.Engine) *IdempotentPayments {
//		return &IdempotentPayments{next: next, eng: eng}
//	}
//
// or, where it holds operations,
//
//	func NewIdempotentBox[T any](next Box[T], eng *idem.Engine) *IdempotentBox[T] {
//		w := &IdempotentBox[T]{
//			next: next,
//			eng:  eng,
//			put:  idem.Operation[T]{…},
//		}
//		idem.CheckResult[T](w.put.Name)
//		idem.CheckError[*NotFound[T]](w.put.Name)
//		idem.CheckCodec(&w.put)
//		return w
//	}
func (w Wrapper) constructor() jen.Code {
	c := w.Ctor
	head := jen.Func().Id(c.Name).Types(declared(w.TypeParams)...).Params(
		jen.Id(c.Next).Add(w.Interface),
		jen.Id(c.Engine).Op("*").Qual(RuntimePath, "Engine"),
	).Op("*").Add(w.instance())
	made := jen.Op("&").Add(w.instance())
	var values []jen.Code
	for _, e := range w.Embeds {
		values = append(values, field(e.Field, jen.Id(c.Next)))
	}
	values = append(values, field(w.Next, jen.Id(c.Next)), field(w.Engine, jen.Id(c.Engine)))
	if len(w.operations()) == 0 {
		return documented(c.Doc, head.Block(jen.Return(made.Values(values...))))
	}
	for _, o := range w.operations() {
		values = append(values, field(o.Name, o.value()))
	}
	body := []jen.Code{jen.Id(w.Receiver).Op(":=").Add(made, fields(values...))}
	for _, check := range c.Checks {
		operation := jen.Id(w.Receiver).Dot(check.Operation)
		switch {
		case check.Error != nil:
			body = append(body, jen.Qual(RuntimePath, "CheckError").Types(check.Error).Call(operation.Dot("Name")))
		case check.Result == nil:
			body = append(body, jen.Qual(RuntimePath, "CheckCodec").Call(jen.Op("&").Add(operation)))
		default:
			body = append(body, jen.Qual(RuntimePath, "CheckResult").Types(check.Result).Call(operation.Dot("Name")))
		}
	}
	return documented(c.Doc, head.Block(append(body, jen.Return(jen.Id(w.Receiver)))...))
}

// operations are those that stand in fields.
func (w Wrapper) operations() (all []Operation) {
	for _, m := range w.Methods {
		if w.holds() && m.Keyed != nil {
			all = append(all, m.Keyed.Operation)
		}
	}
	return all
}

// instance yields IdempotentBox[T].
func (w Wrapper) instance() *jen.Statement { return jen.Id(w.Name).Types(applied(w.TypeParams)...) }

// declared yields K comparable, V any.
func declared(params []TypeParam) (code []jen.Code) {
	for _, p := range params {
		code = append(code, jen.Id(p.Name).Add(p.Constraint))
	}
	return code
}

// applied yields K, V.
func applied(params []TypeParam) (code []jen.Code) {
	for _, p := range params {
		code = append(code, jen.Id(p.Name))
	}
	return code
}
