package templates

import "github.com/dave/jennifer/jen"

// This file is how a key or a scope is made from expressions that may meet nil pointers on their way.

// Value is a key or a scope.
type Value struct {
	Var    string     // the variable it needs when there are guards
	Guards []jen.Code // what must not be nil before the rest is evaluated
	Copies []Copy     // values whose address is needed
	Key    jen.Code   // an idem.Key
}

// Copy is a variable with a value.
type Copy struct {
	Var   string
	Value jen.Code
}

// statements yields what must stand before the value can be used: nothing, or
//
//	id := req.ID()
//
// or
//
//	var key idem.Key
//	if req != nil && req.Meta != nil {
//		key = idem.StringKey(req.Meta.Key)
//	}
func (v Value) statements() []jen.Code {
	var body []jen.Code
	for _, c := range v.Copies {
		body = append(body, jen.Id(c.Var).Op(":=").Add(c.Value))
	}
	if len(v.Guards) == 0 {
		return body
	}
	body = append(body, jen.Id(v.Var).Op("=").Add(v.Key))
	return []jen.Code{
		jen.Var().Id(v.Var).Qual(RuntimePath, "Key"),
		jen.If(all(v.Guards)).Block(body...),
	}
}

// use yields the value itself.
func (v Value) use() jen.Code {
	if len(v.Guards) == 0 {
		return v.Key
	}
	return jen.Id(v.Var)
}

// all yields req != nil && req.Meta != nil.
func all(pointers []jen.Code) jen.Code {
	s := new(jen.Statement)
	for i, p := range pointers {
		if i > 0 {
			s.Op("&&")
		}
		s.Add(p).Op("!=").Nil()
	}
	return s
}
