package templates

import "github.com/dave/jennifer/jen"

// This file is the test file for what operations store.

// TestingPath is the package that the tests call.
const TestingPath = RuntimePath + "/idemtest"

// RoundTrips is one such file.
type RoundTrips struct {
	Package    string
	Path       string
	Constraint string
	Imports    []Import
	Tests      []RoundTrip
	LeftOut    []string // methods, and why
}

// RoundTrip is the tests of one keyed method.
type RoundTrip struct {
	Test, Fuzz string // names
	Method     string // for people
	Operation  string // variable, or field of what Ctor makes
	Ctor       string // constructor of the wrapper that holds the operation; empty: none does
}

// Render is the file's text, formatted.
func (r RoundTrips) Render() ([]byte, error) {
	var groups [][]jen.Code
	for _, line := range r.LeftOut {
		groups = append(groups, []jen.Code{jen.Comment("// Left out is " + line + ".")})
	}
	groups = append(groups, []jen.Code{jen.Line()})
	for _, t := range r.Tests {
		groups = append(groups, t.declarations())
	}
	return render(r.Package, r.Path, r.Constraint, r.Imports, groups)
}

// declarations yields
//
//	// TestPaymentsChargeRoundTrip stores results of Payments.Charge and reads them again.
//	func TestPaymentsChargeRoundTrip(t *testing.T) { idemtest.RoundTrip(t, &paymentsCharge) }
//
//	// FuzzPaymentsChargeRoundTrip does so with results that the fuzzer thinks of.
//	func FuzzPaymentsChargeRoundTrip(f *testing.F) { idemtest.FuzzRoundTrip(f, &paymentsCharge) }
//
// where an operation that a wrapper holds is &NewIdempotentPayments(nil, nil).charge.
func (r RoundTrip) declarations() []jen.Code {
	operation := jen.Op("&").Id(r.Operation)
	if r.Ctor != "" {
		operation = jen.Op("&").Id(r.Ctor).Call(jen.Nil(), jen.Nil()).Dot(r.Operation)
	}
	one := func(name, about, param, kind, function string) jen.Code {
		call := jen.Qual(TestingPath, function).Call(jen.Id(param), operation)
		return documented([]string{name + " " + about}, jen.Func().Id(name).Params(jen.Id(param).Op("*").Qual("testing", kind)).Add(inline(call)))
	}
	return []jen.Code{
		one(r.Test, "stores results of "+r.Method+" and reads them again.", "t", "T", "RoundTrip"),
		one(r.Fuzz, "does so with results that the fuzzer thinks of.", "f", "F", "FuzzRoundTrip"),
	}
}
