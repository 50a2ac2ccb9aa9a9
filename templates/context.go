package templates

import "github.com/dave/jennifer/jen"

// This file is for methods whose context is an interface with more methods than context.Context: they get the caller's, with
// the claim in it.

// Context is the type of such a context.
type Context struct {
	Name      string
	Caller    string   // type of what the caller gives, embedded
	Interface jen.Code // the same, as the method declares it
	Claim     string   // field: the context that carries the claim
	Receiver  string   // of the type's methods
	Key       string   // parameter of Value
	Method    string
}

// declarations yields
//
//	// storePutCaller is the context that Put is called with.
//	type storePutCaller web.Context
//
//	// storePutContext is the caller's context with the claim in it.
//	type storePutContext struct {
//		storePutCaller
//		claim context.Context
//	}
//
// and the four methods of context.Context, such as
//
//	// Err is the claim's.
//	func (c storePutContext) Err() error { return c.claim.Err() }
func (c Context) declarations(params []TypeParam) []jen.Code {
	caller := jen.Id(c.Caller).Types(applied(params)...)
	return []jen.Code{
		documented(
			[]string{c.Caller + " is the context that " + c.Method + " is called with."},
			jen.Type().Id(c.Caller).Types(declared(params)...).Add(c.Interface),
		),
		documented(
			[]string{c.Name + " is the caller's context with the claim in it."},
			jen.Type().Id(c.Name).Types(declared(params)...).Struct(
				caller,
				jen.Id(c.Claim).Qual(ContextPath, "Context"),
			),
		),
		c.method(params, "Deadline", nil, jen.Params(jen.Qual(TimePath, "Time"), jen.Bool())),
		c.method(params, "Done", nil, jen.Op("<-").Chan().Struct()),
		c.method(params, "Err", nil, jen.Error()),
		c.method(params, "Value", jen.Id(c.Key).Interface(), jen.Interface()),
	}
}

// method yields one method; arg is its parameter, or nil.
func (c Context) method(params []TypeParam, name string, arg, result jen.Code) jen.Code {
	receiver := jen.Id(c.Receiver).Id(c.Name).Types(applied(params)...)
	call := jen.Id(c.Receiver).Dot(c.Claim).Dot(name)
	if arg == nil {
		call.Call()
	} else {
		call.Call(jen.Id(c.Key))
	}
	declaration := jen.Func().Params(receiver).Id(name).Params(arg).Add(result, inline(jen.Return(call)))
	return documented([]string{name + " is the claim's."}, declaration)
}

// value yields storePutContext[T]{storePutCaller: c, claim: ctx}.
func (c Context) value(params []TypeParam, callerCtx, claimCtx string) jen.Code {
	return jen.Id(c.Name).Types(applied(params)...).Values(
		field(c.Caller, jen.Id(callerCtx)),
		field(c.Claim, jen.Id(claimCtx)),
	)
}
