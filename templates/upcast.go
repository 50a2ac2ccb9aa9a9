package templates

import "github.com/dave/jennifer/jen"

// This file is how an operation reads results of older shapes: by functions from the old type to the present one.

// Upcast is an idem.Upcast.
type Upcast struct {
	Func   jen.Code
	Fails  bool     // the function returns an error, too
	Shapes []string // hashes of the shapes it is for

	Old              jen.Code // type of its parameter, where there are several results
	Results          int
	Var, Result, Err string // names in the closure that puts several results together
}

// upcasts yields []idem.Upcast[Receipt]{idem.UpcastFrom(receiptFromV1, "4be1c0ffee12ab34")}, or with several
//
//	[]idem.Upcast[Receipt]{
//		idem.UpcastFrom(receiptFromV1, "4be1c0ffee12ab34"),
//		idem.TryUpcastFrom(receiptFromV2, "77aa0c1d5e6b7a88"),
//	}
func (o Operation) upcasts() jen.Code {
	var entries []jen.Code
	for _, u := range o.Upcasts {
		name, function := "UpcastFrom", u.Func
		if u.Fails {
			name = "TryUpcastFrom"
		}
		if u.Results > 1 {
			function = u.together(o.Result)
		}
		entries = append(entries, jen.Qual(RuntimePath, name).Call(append([]jen.Code{function}, literals(u.Shapes)...)...))
	}
	list := jen.Index().Qual(RuntimePath, "Upcast").Types(o.Result)
	if len(entries) == 1 {
		return list.Values(entries...)
	}
	return list.Add(fields(entries...))
}

// together yields
//
//	func(old QuoteV1) (res paymentsQuoteResults, err error) {
//		res.R1, res.R2, err = quoteFromV1(old)
//		return res, err
//	}
func (u Upcast) together(result jen.Code) jen.Code {
	targets := (Payload{Results: make([]jen.Code, u.Results)}).selected(u.Result)
	results, returned := []jen.Code{jen.Id(u.Result).Add(result)}, []jen.Code{jen.Id(u.Result)}
	if u.Fails {
		targets, results, returned = append(targets, jen.Id(u.Err)), append(results, jen.Id(u.Err).Error()), append(returned, jen.Id(u.Err))
	}
	return jen.Func().Params(jen.Id(u.Var).Add(u.Old)).Params(results...).Block(
		jen.List(targets...).Op("=").Add(u.Func).Call(jen.Id(u.Var)),
		jen.Return(returned...),
	)
}

// literals are texts as code.
func literals(texts []string) []jen.Code {
	var code []jen.Code
	for _, t := range texts {
		code = append(code, jen.Lit(t))
	}
	return code
}
