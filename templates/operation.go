package templates

import (
	"fmt"
	"math"
	"time"

	"github.com/dave/jennifer/jen"
)

// This file is the fixed half of a keyed method: what it is called, and the settings its annotations gave.

// Operation is an idem.Operation. Settings that are nil or false were not given, and are not written, so that the runtime's
// defaults apply.
type Operation struct {
	Name   string   // variable, or field of a generic wrapper
	Result jen.Code // type argument

	Stored   string     // the operation's name
	TypeArgs []jen.Code // of a generic wrapper: they stand in brackets behind Stored
	Suffix   string     // what follows the brackets

	Scoped      bool
	Policy      string // constant of package idem; empty: not given
	MaxWait     *time.Duration
	Lease       *time.Duration
	NoRenew     bool
	TTL         *time.Duration
	Takeover    string // constant of package idem; empty: not given
	MaxAttempts *int
	Codec       jen.Code // nil: not given
	Errors      []ErrorRule
	Tx          string // constant of package idem; empty: not given
	Detach      bool

	Reads   []string // hashes of stored shapes; nil: not given
	Upcasts []Upcast
}

// ErrorRule is an idem.ErrorRule: a class for errors that are a value, or of a type.
type ErrorRule struct {
	Class string // of the function in package idem, without its Is or As: Release
	Code  string // stored for the value of a final error; empty for all others
	Value jen.Code
	Type  jen.Code // where there is no value
}

// variable yields
//
//	var paymentsCharge = idem.Operation[Receipt]{
//		Name:    "example.com/shop.Payments.Charge",
//		MaxWait: 20 * time.Second,
//	}
func (o Operation) variable() jen.Code {
	return lines(jen.Var().Id(o.Name).Op("=").Add(o.value()))
}

func (o Operation) typ() *jen.Statement { return jen.Qual(RuntimePath, "Operation").Types(o.Result) }

// value yields the right-hand side of variable, and the same in the constructor of a generic wrapper.
func (o Operation) value() jen.Code {
	entries := []jen.Code{field("Name", o.stored())}
	add := func(given bool, name string, value func() jen.Code) {
		if given {
			entries = append(entries, field(name, value()))
		}
	}
	add(o.Scoped, "Scoped", func() jen.Code { return jen.True() })
	add(o.Policy != "", "Policy", func() jen.Code { return jen.Qual(RuntimePath, o.Policy) })
	add(o.MaxWait != nil, "MaxWait", func() jen.Code { return duration(*o.MaxWait) })
	add(o.Lease != nil, "Lease", func() jen.Code { return duration(*o.Lease) })
	add(o.NoRenew, "NoRenew", func() jen.Code { return jen.True() })
	add(o.TTL != nil, "TTL", func() jen.Code { return duration(*o.TTL) })
	add(o.Takeover != "", "Takeover", func() jen.Code { return jen.Qual(RuntimePath, o.Takeover) })
	add(o.MaxAttempts != nil, "MaxAttempts", func() jen.Code { return jen.Lit(*o.MaxAttempts) })
	add(o.Codec != nil, "Codec", func() jen.Code { return o.Codec })
	add(len(o.Errors) > 0, "Errors", o.errors)
	add(o.Tx != "", "Tx", func() jen.Code { return jen.Qual(RuntimePath, o.Tx) })
	add(o.Detach, "Detach", func() jen.Code { return jen.True() })
	add(o.Reads != nil, "Reads", func() jen.Code { return jen.Qual(RuntimePath, "Shapes").Values(literals(o.Reads)...) })
	add(len(o.Upcasts) > 0, "Upcasts", o.upcasts)
	if len(entries) == 1 {
		return o.typ().Values(entries...)
	}
	return o.typ().Add(fields(entries...))
}

// errors yields []idem.ErrorRule{idem.ReleaseIs(ErrDeclined)}, or with several rules
//
//	[]idem.ErrorRule{
//		idem.FinalIs("example.com/shop.ErrSoldOut", ErrSoldOut),
//		idem.UnknownAs[*net.OpError](),
//	}
func (o Operation) errors() jen.Code {
	var rules []jen.Code
	for _, r := range o.Errors {
		if r.Value == nil {
			rules = append(rules, jen.Qual(RuntimePath, r.Class+"As").Types(r.Type).Call())
			continue
		}
		rule := jen.Qual(RuntimePath, r.Class+"Is")
		if r.Code != "" {
			rules = append(rules, rule.Call(jen.Lit(r.Code), r.Value))
		} else {
			rules = append(rules, rule.Call(r.Value))
		}
	}
	list := jen.Index().Qual(RuntimePath, "ErrorRule")
	if len(rules) == 1 {
		return list.Values(rules...)
	}
	return list.Add(fields(rules...))
}

// stored yields the name, of a generic wrapper as
//
//	"example.com/shop.Table[" + idem.TypeName[K]() + "," + idem.TypeName[V]() + "].Put"
func (o Operation) stored() jen.Code {
	if len(o.TypeArgs) == 0 {
		return jen.Lit(o.Stored)
	}
	name := jen.Lit(o.Stored + "[")
	for i, arg := range o.TypeArgs {
		if i > 0 {
			name.Op("+").Lit(",")
		}
		name.Op("+").Qual(RuntimePath, "TypeName").Types(arg).Call()
	}
	return name.Op("+").Lit("]" + o.Suffix)
}

// duration yields 20 * time.Second, in the largest unit that has no fraction.
func duration(d time.Duration) jen.Code {
	if d == math.MaxInt64 {
		return jen.Qual(RuntimePath, "Forever")
	}
	units := []struct {
		size time.Duration
		name string
	}{
		{time.Hour, "Hour"},
		{time.Minute, "Minute"},
		{time.Second, "Second"},
		{time.Millisecond, "Millisecond"},
		{time.Microsecond, "Microsecond"},
	}
	for _, u := range units {
		switch {
		case d == u.size:
			return jen.Qual(TimePath, u.name)
		case d%u.size == 0:
			return jen.Op(fmt.Sprint(int64(d/u.size))).Op("*").Qual(TimePath, u.name)
		}
	}
	return jen.Op(fmt.Sprint(int64(d))).Op("*").Qual(TimePath, "Nanosecond")
}
