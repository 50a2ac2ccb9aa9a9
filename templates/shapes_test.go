package templates

import (
	"strings"
	"testing"

	"github.com/dave/jennifer/jen"
)

// Each shape is rendered alone and compared with the Go that its comment promises.

// payments is the wrapper that the shapes are tested with.
func payments(methods ...Method) Wrapper {
	return Wrapper{
		Name: "IdempotentPayments", Interface: jen.Id("Payments"), Receiver: "w", Next: "next", Engine: "eng",
		Ctor:    Ctor{Name: "NewIdempotentPayments", Next: "next", Engine: "eng"},
		Methods: methods,
	}
}

// box is a generic one.
func box(methods ...Method) Wrapper {
	w := payments(methods...)
	w.Name, w.Ctor.Name = "IdempotentBox", "NewIdempotentBox"
	w.Interface = jen.Id("Box").Types(jen.Id("T"))
	w.TypeParams = []TypeParam{{"T", jen.Id("any")}}
	return w
}

var (
	ctxParam = Param{Name: "ctx", Type: jen.Qual(ContextPath, "Context")}
	receipt  = Param{Type: jen.Id("Receipt")}
	failure  = Param{Type: jen.Error()}
)

// charge returns one result, or what results says.
func charge(results ...Param) Method {
	if results == nil {
		results = []Param{receipt, failure}
	}
	return Method{
		Name:   "Charge",
		Params: []Param{ctxParam, {Name: "req", Type: jen.Op("*").Id("Request")}, {Name: "opts", Type: jen.String(), Variadic: true}},
		Keyed: &Keyed{
			Operation: Operation{Name: "paymentsCharge", Result: jen.Id("Receipt"), Stored: "shop.Payments.Charge"},
			Key:       Value{Key: jen.Qual(RuntimePath, "StringKey").Call(jen.Id("req").Dot("Key"))},
			Args:      []Arg{{Name: "req", Value: jen.Id("req")}},
			Run:       Run{Ctx: "ctx", Result: "res", Err: "err"}, Fingerprint: "f", Result: "res", Err: "err",
		},
		Results: results,
	}
}

func TestShapes(t *testing.T) {
	t.Parallel()
	void, several, scoped, extended, concrete := charge(failure), charge(receipt, receipt, failure), charge(), charge(), charge()
	void.Keyed.Void = true
	void.Keyed.Operation.Result = jen.Qual(RuntimePath, "Void")
	void.Keyed.Args = nil
	several.Keyed.Payload = &Payload{Name: "paymentsChargeResults", Method: "Charge", Results: []jen.Code{jen.Id("Receipt"), jen.Index().Id("Fee")}}
	several.Keyed.Operation.Result = jen.Id("paymentsChargeResults")
	several.Keyed.Args = append(several.Keyed.Args, Arg{Name: "opts", Value: jen.Id("opts")})
	scoped.Keyed.Scope = &Value{Key: jen.Qual(RuntimePath, "StringKey").Call(jen.Id("req").Dot("Shop"))}
	extended.Keyed.Context = &Context{Name: "chargeContext", Caller: "chargeCaller", Interface: jen.Id("Context"), Claim: "claim", Receiver: "c", Key: "key", Method: "Charge"}
	extended.Params[0].Name = "c"
	concrete.Keyed.Run.Ctx = ""
	forwarded := Method{Name: "Close", Doc: []string{"Close closes.", "", "\tcode"}}
	grouped := Method{
		Name: "Swap", Params: []Param{{Name: "a", Type: jen.Int(), Grouped: true}, {Name: "b", Type: jen.Int()}},
		Results: []Param{{Name: "x", Type: jen.Int(), Grouped: true}, {Name: "y", Type: jen.Int()}},
	}
	tall := Method{Name: "Put", Params: []Param{ctxParam, {Name: "s", Type: jen.Struct(jen.Id("A"), jen.Id("B"))}}, Tall: true}
	checked := box(charge())
	checked.Methods[0].Keyed.Operation.Name = "charge"
	checked.Methods[0].Keyed.Operation.TypeArgs = []jen.Code{jen.Id("T")}
	checked.Ctor.Checks = []Check{{Result: jen.Id("T"), Operation: "charge"}}
	held := payments(charge())
	held.Holds, held.Ctor.Checks = true, []Check{{Operation: "paymentsCharge"}}
	held.Methods[0].Keyed.Operation.Codec = jen.Id("codec").Call()
	guarded := Value{
		Var: "key", Guards: []jen.Code{jen.Id("req"), jen.Id("req").Dot("Meta")},
		Copies: []Copy{{"value", jen.Id("req").Dot("ID")}}, Key: jen.Qual(RuntimePath, "TextKey").Call(jen.Op("&").Id("value")),
	}
	behind := Keyed{Fingerprint: "f", Args: []Arg{
		{Name: "v", Value: jen.Id("v"), Interface: true},
		{Name: "req.N", Guards: guarded.Guards[:1], Value: jen.Id("req").Dot("N")},
	}}
	copied := Value{Copies: guarded.Copies, Key: guarded.Key}
	for _, c := range []struct {
		name string
		code []jen.Code
		want string
	}{
		{"the handshake", []jen.Code{handshake()}, `
// This file needs a package idem at least as new as the idemgen that wrote it.
const _ = idem.OutputV1`},
		{"a check", []jen.Code{payments().check()}, `var _ Payments = (*IdempotentPayments)(nil)`},
		{"a generic check", []jen.Code{box().check()}, `func _[T any]() { var _ Box[T] = (*IdempotentBox[T])(nil) }`},
		{"a type", []jen.Code{payments(charge()).declaration()}, `
type IdempotentPayments struct {
	next Payments
	eng  *idem.Engine
}`},
		{"a generic type holds its operations", []jen.Code{box(charge()).declaration()}, `
type IdempotentBox[T any] struct {
	next           Box[T]
	eng            *idem.Engine
	paymentsCharge idem.Operation[Receipt]
}`},
		{"a constructor", []jen.Code{payments(charge()).constructor()}, `
func NewIdempotentPayments(next Payments, eng *idem.Engine) *IdempotentPayments {
	return &IdempotentPayments{next: next, eng: eng}
}`},
		{"a generic constructor", []jen.Code{checked.constructor()}, `
func NewIdempotentBox[T any](next Box[T], eng *idem.Engine) *IdempotentBox[T] {
	w := &IdempotentBox[T]{
		next:   next,
		eng:    eng,
		charge: idem.Operation[Receipt]{Name: "shop.Payments.Charge[" + idem.TypeName[T]() + "]"},
	}
	idem.CheckResult[T](w.charge.Name)
	return w
}`},
		{"a type that holds its operations", []jen.Code{held.declaration()}, `
type IdempotentPayments struct {
	next           Payments
	eng            *idem.Engine
	paymentsCharge idem.Operation[Receipt]
}`},
		{"a constructor that makes them", []jen.Code{held.constructor()}, `
func NewIdempotentPayments(next Payments, eng *idem.Engine) *IdempotentPayments {
	w := &IdempotentPayments{
		next: next,
		eng:  eng,
		paymentsCharge: idem.Operation[Receipt]{
			Name:  "shop.Payments.Charge",
			Codec: codec(),
		},
	}
	idem.CheckCodec(&w.paymentsCharge)
	return w
}`},
		{"a forwarded method", []jen.Code{payments().forwarded(forwarded)}, `
// Close closes.
//
//	code
func (w *IdempotentPayments) Close() {
	w.next.Close()
}`},
		{"names that share a type", []jen.Code{payments().forwarded(grouped)}, `
func (w *IdempotentPayments) Swap(a, b int) (x, y int) {
	return w.next.Swap(a, b)
}`},
		{"types of several lines", []jen.Code{payments().forwarded(tall)}, `
func (w *IdempotentPayments) Put(
	ctx context.Context,
	s struct {
		A
		B
	},
) {
	w.next.Put(ctx, s)
}`},
		{"an operation", []jen.Code{charge().Keyed.Operation.variable()}, `
var paymentsCharge = idem.Operation[Receipt]{Name: "shop.Payments.Charge"}`},
		{"one result", []jen.Code{payments().keyed(charge())}, `
func (w *IdempotentPayments) Charge(ctx context.Context, req *Request, opts ...string) (Receipt, error) {
	return idem.Do(ctx, w.eng, &paymentsCharge, idem.Call[Receipt]{
		Key:  idem.StringKey(req.Key),
		Args: func(f *idem.Fingerprint) { f.Add("req", req) },
		Run:  func(ctx context.Context) (Receipt, error) { return w.next.Charge(ctx, req, opts...) },
	})
}`},
		{"no result", []jen.Code{payments().keyed(void)}, `
func (w *IdempotentPayments) Charge(ctx context.Context, req *Request, opts ...string) error {
	_, err := idem.Do(ctx, w.eng, &paymentsCharge, idem.Call[idem.Void]{
		Key: idem.StringKey(req.Key),
		Run: func(ctx context.Context) (idem.Void, error) { return idem.Void{}, w.next.Charge(ctx, req, opts...) },
	})
	return err
}`},
		{"several results", []jen.Code{several.Keyed.Payload.declaration(nil), payments().keyed(several)}, `
// paymentsChargeResults is what Charge returns, as it is stored.
type paymentsChargeResults struct {
	R1 Receipt ` + "`json:\"1\"`" + `
	R2 []Fee   ` + "`json:\"2\"`" + `
}

func (w *IdempotentPayments) Charge(ctx context.Context, req *Request, opts ...string) (Receipt, Receipt, error) {
	res, err := idem.Do(ctx, w.eng, &paymentsCharge, idem.Call[paymentsChargeResults]{
		Key: idem.StringKey(req.Key),
		Args: func(f *idem.Fingerprint) {
			f.Add("req", req)
			f.Add("opts", opts)
		},
		Run: func(ctx context.Context) (res paymentsChargeResults, err error) {
			res.R1, res.R2, err = w.next.Charge(ctx, req, opts...)
			return res, err
		},
	})
	return res.R1, res.R2, err
}`},
		{"a scope", []jen.Code{payments().callLiteral(scoped)}, `idem.Call[Receipt]{
	Key:   idem.StringKey(req.Key),
	Scope: idem.StringKey(req.Shop),
	Args:  func(f *idem.Fingerprint) { f.Add("req", req) },
	Run:   func(ctx context.Context) (Receipt, error) { return w.next.Charge(ctx, req, opts...) },
}`},
		{"a generic wrapper's operation is its own", []jen.Code{box().keyed(charge(failure))}, `
func (w *IdempotentBox[T]) Charge(ctx context.Context, req *Request, opts ...string) error {
	return idem.Do(ctx, w.eng, &w.paymentsCharge, idem.Call[Receipt]{
		Key:  idem.StringKey(req.Key),
		Args: func(f *idem.Fingerprint) { f.Add("req", req) },
		Run:  func(ctx context.Context) (Receipt, error) { return w.next.Charge(ctx, req, opts...) },
	})
}`},
		{"a key behind pointers", guarded.statements(), `
var key idem.Key
if req != nil && req.Meta != nil {
	value := req.ID
	key = idem.TextKey(&value)
}`},
		{"a key behind pointers is used by its variable", []jen.Code{guarded.use()}, `key`},
		{"a key of an address", copied.statements(), `value := req.ID`},
		{"a key of an address is used in place", []jen.Code{copied.use()}, `idem.TextKey(&value)`},
		{"arguments of interface types, and behind pointers", []jen.Code{assigned(behind.arguments())}, `
x = func(f *idem.Fingerprint) {
	f.AddInterface("v", v)
	if req != nil {
		f.Add("req.N", req.N)
	}
}`},
		{"a context with more to it", extended.Keyed.Context.declarations(nil), `
// chargeCaller is the context that Charge is called with.
type chargeCaller Context

// chargeContext is the caller's context with the claim in it.
type chargeContext struct {
	chargeCaller
	claim context.Context
}

// Deadline is the claim's.
func (c chargeContext) Deadline() (time.Time, bool) { return c.claim.Deadline() }

// Done is the claim's.
func (c chargeContext) Done() <-chan struct{} { return c.claim.Done() }

// Err is the claim's.
func (c chargeContext) Err() error { return c.claim.Err() }

// Value is the claim's.
func (c chargeContext) Value(key interface{}) interface{} { return c.claim.Value(key) }`},
		{"it is handed to the method", []jen.Code{assigned(payments().run(extended))}, `
x = func(ctx context.Context) (Receipt, error) {
	return w.next.Charge(chargeContext{chargeCaller: c, claim: ctx}, req, opts...)
}`},
		{"a context of a fixed type is handed on", []jen.Code{assigned(payments().run(concrete))}, `
x = func(context.Context) (Receipt, error) { return w.next.Charge(ctx, req, opts...) }`},
	} {
		if got, want := rendered(t, c.code), strings.TrimSpace(c.want); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, got, want)
		}
	}
}

// assigned makes a statement of a function literal, which is none.
func assigned(code jen.Code) jen.Code { return jen.Id("x").Op("=").Add(code) }

// rendered is code with the imports under their own names; expressions and statements are allowed.
func rendered(t *testing.T, code []jen.Code) string {
	t.Helper()
	s := new(jen.Statement)
	for _, c := range code {
		s.Add(c).Line()
	}
	var b strings.Builder
	f := jen.NewFile("p")
	f.ImportName(RuntimePath, "idem")
	if err := s.RenderWithFile(&b, f); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(b.String())
}
