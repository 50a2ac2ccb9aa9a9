package templates

import "github.com/dave/jennifer/jen"

// This file is what every method has, and the ones that are only forwarded.

// Method is a method of a wrapper.
type Method struct {
	Name    string
	Doc     []string
	Params  []Param
	Results []Param // in a list without names, Name is empty
	Tall    bool    // a parameter's type needs several lines, so each parameter gets one of its own
	Keyed   *Keyed  // nil: the method is forwarded
}

// Param is a parameter or result.
type Param struct {
	Name     string
	Type     jen.Code // of one argument where the parameter is variadic
	Variadic bool
	Grouped  bool // it has the type of the one behind it, and shares it, as in a, b int
}

// names are the parameters'.
func (m Method) names() (all []string) {
	for _, p := range m.Params {
		all = append(all, p.Name)
	}
	return all
}

// head yields
//
//	func (w *IdempotentPayments) Quote(ctx context.Context, shop string, opts ...string) (Receipt, []Fee, error)
func (w Wrapper) head(m Method) *jen.Statement {
	params := jen.Params(list(m.Params)...)
	if m.Tall {
		params = jen.Custom(jen.Options{Open: "(", Close: ")", Separator: ",", Multi: true}, list(m.Params)...)
	}
	head := jen.Func().Params(jen.Id(w.Receiver).Op("*").Add(w.instance())).Id(m.Name).Add(params)
	switch {
	case len(m.Results) == 0:
		return head
	case len(m.Results) == 1 && m.Results[0].Name == "":
		return head.Add(m.Results[0].Type)
	default:
		return head.Params(list(m.Results)...)
	}
}

// list yields ctx context.Context, a, b int, opts ...string.
func list(params []Param) (code []jen.Code) {
	for _, p := range params {
		s := new(jen.Statement)
		if p.Name != "" {
			s.Id(p.Name)
		}
		if p.Variadic {
			s.Op("...")
		}
		if !p.Grouped {
			s.Add(p.Type)
		}
		code = append(code, s)
	}
	return code
}

// call yields w.next.Quote(ctx, shop, opts...), with args for the parameters.
func (w Wrapper) call(m Method, args []jen.Code) *jen.Statement {
	if n := len(m.Params); n > 0 && m.Params[n-1].Variadic {
		args = append(args[:n-1:n-1], jen.Add(args[n-1]).Op("..."))
	}
	return jen.Id(w.Receiver).Dot(w.Next).Dot(m.Name).Call(args...)
}

// forwarded yields
//
//	func (w *IdempotentPayments) Balance(ctx context.Context, account string) (Money, error) {
//		return w.next.Balance(ctx, account)
//	}
func (w Wrapper) forwarded(m Method) jen.Code {
	call := w.call(m, ids(m.names()))
	if len(m.Results) > 0 {
		call = jen.Return(call)
	}
	return documented(m.Doc, w.head(m).Block(call))
}
