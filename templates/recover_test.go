package templates

import (
	"strings"
	"testing"

	"github.com/dave/jennifer/jen"
)

// This file renders what a call asks of the runtime beside running the method.

func TestShapesOfRecover(t *testing.T) {
	t.Parallel()
	one, void, several := charge(), charge(failure), charge(receipt, receipt, failure)
	void.Keyed.Void = true
	void.Keyed.Operation.Result = jen.Qual(RuntimePath, "Void")
	several.Keyed.Payload = &Payload{Name: "paymentsChargeResults", Method: "Charge", Results: []jen.Code{jen.Id("Receipt"), jen.Index().Id("Fee")}}
	several.Keyed.Operation.Result = jen.Id("paymentsChargeResults")
	for _, m := range []Method{one, void, several} {
		m.Keyed.Recover = &Recover{Method: "FindCharge", Happened: "happened"}
	}
	joined := charge()
	joined.Keyed.Tx = "tx"
	for _, c := range []struct {
		name string
		code jen.Code
		want string
	}{
		{"one result", assigned(payments().recover(one)), `
x = func(ctx context.Context) (Receipt, bool, error) { return w.next.FindCharge(ctx, req, opts...) }`},
		{"no result", assigned(payments().recover(void)), `
x = func(ctx context.Context) (idem.Void, bool, error) {
	happened, err := w.next.FindCharge(ctx, req, opts...)
	return idem.Void{}, happened, err
}`},
		{"several results", assigned(payments().recover(several)), `
x = func(ctx context.Context) (res paymentsChargeResults, happened bool, err error) {
	res.R1, res.R2, happened, err = w.next.FindCharge(ctx, req, opts...)
	return res, happened, err
}`},
		{"in a call", payments().callLiteral(one), `
idem.Call[Receipt]{
	Key:     idem.StringKey(req.Key),
	Args:    func(f *idem.Fingerprint) { f.Add("req", req) },
	Run:     func(ctx context.Context) (Receipt, error) { return w.next.Charge(ctx, req, opts...) },
	Recover: func(ctx context.Context) (Receipt, bool, error) { return w.next.FindCharge(ctx, req, opts...) },
}`},
		{"the caller's transaction", payments().callLiteral(joined), `
idem.Call[Receipt]{
	Key:  idem.StringKey(req.Key),
	Args: func(f *idem.Fingerprint) { f.Add("req", req) },
	Run:  func(ctx context.Context) (Receipt, error) { return w.next.Charge(ctx, req, opts...) },
	Tx:   tx,
}`},
	} {
		if got, want := rendered(t, []jen.Code{c.code}), strings.TrimSpace(c.want); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, got, want)
		}
	}
}
