package templates

import (
	"strconv"

	"github.com/dave/jennifer/jen"
)

// This file is the methods that run once per key. They differ in how many results there are beside the error: none, one, or several,
// which are stored as one payload.

// Keyed is what a keyed method has beside its signature.
type Keyed struct {
	Operation Operation
	Ctx       int // index of the context parameter
	Key       Value
	Scope     *Value   // nil: there is none
	Args      []Arg    // what goes into the fingerprint
	Secret    bool     // an Arg is secret, and its type does not show it
	Void      bool     // there is no result but the error
	Payload   *Payload // of several results, else nil
	Context   *Context // where the context has more methods than context.Context, else nil
	Run       Run
	Recover   *Recover // nil: nothing is asked before a rerun
	Tx        string   // parameter that is the caller's transaction, where it is joined

	Fingerprint string // parameter of the closure that adds Args
	Result, Err string // variables for what idem.Do returns, where that is not the method's results
}

// Run is the closure that calls the wrapped method.
type Run struct {
	Ctx         string // its context parameter; empty: the method gets the caller's context as it is
	Result, Err string // its results, where there is a payload
}

// Recover is the closure that asks another method whether this one has happened.
type Recover struct {
	Method   string
	Happened string // its answer
}

// Arg is something a duplicate must agree on.
type Arg struct {
	Name      string
	Guards    []jen.Code
	Joined    bool // the guards are those of the argument before it
	Value     jen.Code
	Interface bool // of an interface type (or a type parameter), so that its dynamic type counts
}

// keyed yields one of
//
//	func (w *IdempotentPayments) Charge(ctx context.Context, req ChargeRequest) (Receipt, error) {
//		return idem.Do(ctx, w.eng, &paymentsCharge, idem.Call[Receipt]{…})
//	}
//
//	func (w *IdempotentPayments) Refund(ctx context.Context, req *Req) error {
//		_, err := idem.Do(ctx, w.eng, &paymentsRefund, idem.Call[idem.Void]{…})
//		return err
//	}
//
//	func (w *IdempotentPayments) Quote(ctx context.Context, shop string) (Receipt, []Fee, error) {
//		res, err := idem.Do(ctx, w.eng, &paymentsQuote, idem.Call[paymentsQuoteResults]{…})
//		return res.R1, res.R2, err
//	}
func (w Wrapper) keyed(m Method) jen.Code {
	k := m.Keyed
	operation := jen.Op("&").Id(k.Operation.Name)
	if w.holds() {
		operation = jen.Op("&").Id(w.Receiver).Dot(k.Operation.Name)
	}
	do := jen.Qual(RuntimePath, "Do").Call(jen.Id(m.Params[k.Ctx].Name), jen.Id(w.Receiver).Dot(w.Engine), operation, w.callLiteral(m))
	body := k.Key.statements()
	if k.Scope != nil {
		body = append(body, k.Scope.statements()...)
	}
	switch {
	case k.Void:
		body = append(body, jen.List(jen.Id("_"), jen.Id(k.Err)).Op(":=").Add(do), jen.Return(jen.Id(k.Err)))
	case k.Payload != nil:
		results := append(k.Payload.selected(k.Result), jen.Id(k.Err))
		body = append(body, jen.List(jen.Id(k.Result), jen.Id(k.Err)).Op(":=").Add(do), jen.Return(results...))
	default:
		body = append(body, jen.Return(do))
	}
	return documented(m.Doc, w.head(m).Block(body...))
}

// callLiteral yields
//
//	idem.Call[Receipt]{
//		Key:   idem.StringKey(req.Key),
//		Scope: idem.StringKey(req.Tenant),
//		Args:  func(f *idem.Fingerprint) { f.Add("req", req) },
//		Run:   func(ctx context.Context) (Receipt, error) { return w.next.Charge(ctx, req) },
//	}
func (w Wrapper) callLiteral(m Method) jen.Code {
	k := m.Keyed
	entries := []jen.Code{field("Key", k.Key.use())}
	if k.Scope != nil {
		entries = append(entries, field("Scope", k.Scope.use()))
	}
	if len(k.Args) > 0 {
		entries = append(entries, field("Args", k.arguments()))
	}
	entries = append(entries, field("Run", w.run(m)))
	if k.Recover != nil {
		entries = append(entries, field("Recover", w.recover(m)))
	}
	if k.Tx != "" {
		entries = append(entries, field("Tx", jen.Id(k.Tx)))
	}
	return jen.Qual(RuntimePath, "Call").Types(k.Operation.Result).Add(fields(entries...))
}

// arguments yields
//
//	func(f *idem.Fingerprint) {
//		f.Add("shop", shop)
//		if req != nil {
//			f.Add("req.Amount", req.Amount)
//		}
//	}
//
// on one line where there is one without a guard.
func (k Keyed) arguments() jen.Code {
	var body, block []jen.Code
	guarded := false
	for i, a := range k.Args {
		method := "Add"
		if a.Interface {
			method = "AddInterface"
		}
		add := jen.Id(k.Fingerprint).Dot(method).Call(jen.Lit(a.Name), a.Value)
		if len(a.Guards) > 0 {
			guarded = true
			if block = append(block, add); i+1 < len(k.Args) && k.Args[i+1].Joined {
				continue
			}
			add, block = jen.If(all(a.Guards)).Block(block...), nil
		}
		body = append(body, add)
	}
	if k.Secret {
		body = append(body, jen.Id(k.Fingerprint).Dot("RequireKey").Call())
	}
	head := jen.Func().Params(jen.Id(k.Fingerprint).Op("*").Qual(RuntimePath, "Fingerprint"))
	if len(body) > 1 || guarded {
		return head.Block(body...)
	}
	return head.Add(inline(body...))
}

// run yields one of
//
//	func(ctx context.Context) (Receipt, error) { return w.next.Charge(ctx, req) }
//
//	func(ctx context.Context) (idem.Void, error) { return idem.Void{}, w.next.Refund(ctx, req) }
//
//	func(ctx context.Context) (res paymentsQuoteResults, err error) {
//		res.R1, res.R2, err = w.next.Quote(ctx, shop)
//		return res, err
//	}
func (w Wrapper) run(m Method) jen.Code {
	k := m.Keyed
	head, call := k.closure(), w.call(m, w.runArguments(m))
	switch {
	case k.Void:
		return head.Params(k.Operation.Result, jen.Error()).Add(inline(jen.Return(jen.Qual(RuntimePath, "Void").Values(), call)))
	case k.Payload == nil:
		return head.Params(k.Operation.Result, jen.Error()).Add(inline(jen.Return(call)))
	default:
		results := append(k.Payload.selected(k.Run.Result), jen.Id(k.Run.Err))
		return head.Params(jen.Id(k.Run.Result).Add(k.Operation.Result), jen.Id(k.Run.Err).Error()).Block(
			jen.List(results...).Op("=").Add(call),
			jen.Return(jen.Id(k.Run.Result), jen.Id(k.Run.Err)),
		)
	}
}

// closure yields func(ctx context.Context).
func (k Keyed) closure() *jen.Statement {
	ctx := jen.Qual(ContextPath, "Context")
	if k.Run.Ctx != "" {
		ctx = jen.Id(k.Run.Ctx).Add(ctx)
	}
	return jen.Func().Params(ctx)
}

// recover yields one of
//
//	func(ctx context.Context) (Receipt, bool, error) { return w.next.FindCharge(ctx, req) }
//
//	func(ctx context.Context) (idem.Void, bool, error) {
//		happened, err := w.next.FindRefund(ctx, req)
//		return idem.Void{}, happened, err
//	}
//
//	func(ctx context.Context) (res paymentsQuoteResults, happened bool, err error) {
//		res.R1, res.R2, happened, err = w.next.FindQuote(ctx, shop)
//		return res, happened, err
//	}
func (w Wrapper) recover(m Method) jen.Code {
	k := m.Keyed
	args := w.runArguments(m)
	asked := m
	asked.Name = k.Recover.Method
	head, call := k.closure(), w.call(asked, args)
	happened, err := jen.Id(k.Recover.Happened), jen.Id(k.Run.Err)
	switch {
	case k.Void:
		return head.Params(k.Operation.Result, jen.Bool(), jen.Error()).Block(
			jen.List(happened, err).Op(":=").Add(call),
			jen.Return(jen.Qual(RuntimePath, "Void").Values(), happened, err),
		)
	case k.Payload == nil:
		return head.Params(k.Operation.Result, jen.Bool(), jen.Error()).Add(inline(jen.Return(call)))
	default:
		result := jen.Id(k.Run.Result)
		return head.Params(result.Clone().Add(k.Operation.Result), happened.Clone().Bool(), err.Clone().Error()).Block(
			jen.List(append(k.Payload.selected(k.Run.Result), happened, err)...).Op("=").Add(call),
			jen.Return(result, happened, err),
		)
	}
}

// runArguments are the method's parameters, with the context that carries the claim in the place of the caller's.
func (w Wrapper) runArguments(m Method) []jen.Code {
	k := m.Keyed
	args := ids(m.names())
	switch {
	case k.Context != nil:
		args[k.Ctx] = k.Context.value(w.TypeParams, m.Params[k.Ctx].Name, k.Run.Ctx)
	case k.Run.Ctx != "":
		args[k.Ctx] = jen.Id(k.Run.Ctx)
	}
	return args
}

// Payload is what several results are stored as.
type Payload struct {
	Name    string
	Method  string
	Results []jen.Code // types
}

// declaration yields
//
//	// paymentsQuoteResults is what Quote returns, as it is stored.
//	type paymentsQuoteResults struct {
//		R1 Receipt `json:"1"`
//		R2 []Fee   `json:"2"`
//	}
func (p Payload) declaration(params []TypeParam) jen.Code {
	var members []jen.Code
	for i, t := range p.Results {
		n := strconv.Itoa(i + 1)
		members = append(members, jen.Id("R"+n).Add(t).Op("`json:\""+n+"\"`"))
	}
	doc := []string{p.Name + " is what " + p.Method + " returns, as it is stored."}
	return documented(doc, jen.Type().Id(p.Name).Types(declared(params)...).Struct(members...))
}

// selected yields res.R1, res.R2.
func (p Payload) selected(variable string) (code []jen.Code) {
	for i := range p.Results {
		code = append(code, jen.Id(variable).Dot("R"+strconv.Itoa(i+1)))
	}
	return code
}
