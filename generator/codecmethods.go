package generator

import (
	"go/types"
	"slices"

	"github.com/idemgen/idemgen/templates"
)

// This file knows which types are codecs, and what one lacks that is none.

// isCodec tells whether t has the methods of an idem.Codec, for whatever type.
func isCodec(t types.Type) bool { return codecMethods(t) != nil }

// brokenCodec tells whether a part of a codec is not known, so that nothing can be said of it.
func brokenCodec(t types.Type) bool {
	for _, name := range []string{"Name", "Encode", "Decode"} {
		if o, _, _ := types.LookupFieldOrMethod(t, true, nil, name); o != nil && incomplete(o.Type(), false) {
			return true
		}
	}
	return incomplete(t, true)
}

// codecMethods is the type that a codec of type t stores; nil: it is none.
func codecMethods(t types.Type) (stored types.Type) {
	encode := methodNamed(t, "Encode")
	if encode == nil || encode.Params().Len() != 2 {
		return nil
	}
	if stored = encode.Params().At(1).Type(); notOfCodec(t, stored) != "" {
		return nil
	}
	return stored
}

// wrapsJSON tells whether t is a codec that wraps json, or one that does, as far as its type says: it has an Unwrap, and what it wraps
// is a type argument.
func wrapsJSON(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || methodNamed(n, "Unwrap") == nil {
		return false
	}
	for arg := range n.TypeArgs().Types() {
		if inner, ok := types.Unalias(arg).(*types.Named); ok && isCodec(arg) {
			return isRuntimeJSON(inner.Obj()) || wrapsJSON(arg)
		}
	}
	return false
}

func methodNamed(t types.Type, name string) *types.Signature {
	o, _, _ := types.LookupFieldOrMethod(t, false, nil, name)
	if f, ok := o.(*types.Func); ok {
		return f.Signature()
	}
	return nil
}

// notOfCodec names the first method that t must have otherwise to be a codec of the stored type; empty: it is one.
func notOfCodec(t, stored types.Type) (method string) {
	bytes, failure := types.NewSlice(types.Typ[types.Byte]), types.Universe.Lookup("error").Type()
	same := func(list *types.Tuple, want ...types.Type) bool {
		return slices.EqualFunc(tupleTypes(list), want, types.Identical)
	}
	takes := func(sig *types.Signature, what types.Type) bool {
		p := sig.Params()
		return p.Len() == 2 && !sig.Variadic() && namedAs(p.At(0).Type(), templates.RuntimePath, "Ref") && types.Identical(p.At(1).Type(), what)
	}
	name, encode, decode := methodNamed(t, "Name"), methodNamed(t, "Encode"), methodNamed(t, "Decode")
	switch {
	case name == nil || !same(name.Params()) || !same(name.Results(), types.Typ[types.String]):
		return "Name"
	case encode == nil || !takes(encode, stored) || !same(encode.Results(), bytes, failure):
		return "Encode"
	case decode == nil || !takes(decode, bytes) || !same(decode.Results(), stored, failure):
		return "Decode"
	}
	return ""
}

// codecOf says why a t is no codec for the stored type.
func (e *environment) codecOf(t, stored types.Type, m *method, made bool) string {
	got := codecMethods(t)
	switch {
	case got == nil && made:
		return "is no idem.Codec of its type argument: " + lacking(t, stored, "it", "T")
	case got == nil:
		return "is no idem.Codec: " + lacking(t, stored, e.typeString(t), e.typeString(stored))
	case types.Identical(got, stored):
		return ""
	case len(m.Results) > 1:
		return "stores `" + e.typeString(got) + "`, and the results of `" + e.method + "` are stored together, as a type that is generated; " +
			"name a generic function, as in func NewCodec[T any]() idem.Codec[T]"
	}
	return "stores `" + e.typeString(got) + "`, and `" + e.method + "` returns `" + e.typeString(stored) + "`; name one for that, or a generic one"
}

// lacking says which method keeps t, called name, from being a codec of the stored type, called of.
func lacking(t, stored types.Type, name, of string) string {
	if methodNamed(t, "Name") == nil && methodNamed(t, "Encode") == nil && methodNamed(t, "Decode") == nil {
		return name + " has none of the methods Name, Encode and Decode; name something that has"
	}
	method := notOfCodec(t, stored)
	wrong := "lacks " + method
	if methodNamed(t, method) != nil {
		wrong = "has another " + method
	}
	return name + " " + wrong + "; declare `" + map[string]string{
		"Name":   "Name() string",
		"Encode": "Encode(ref idem.Ref, v " + of + ") ([]byte, error)",
		"Decode": "Decode(ref idem.Ref, data []byte) (" + of + ", error)",
	}[method] + "`"
}
