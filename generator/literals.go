package generator

import (
	"go/types"
	"strconv"

	"github.com/dave/jennifer/jen"
)

// This file goes on from types.go with the types that have no name: structs, interfaces, and the constraints of type parameters.

// structure is a struct literal. Its tags are part of its identity, and written byte for byte (jennifer would sort them).
func (w *writer) structure(t *types.Struct) jen.Code {
	var members []jen.Code
	for i := range t.NumFields() {
		f := t.Field(i)
		if !f.Exported() && f.Pkg().Path() != w.home {
			return w.fail("it uses a struct with the field %s, which is not exported by package %s", f.Name(), f.Pkg().Path())
		}
		s := new(jen.Statement)
		if !f.Embedded() {
			s.Id(f.Name())
		}
		s.Add(w.typ(f.Type()))
		if tag := t.Tag(i); tag != "" {
			s.Op(quoted(tag))
		}
		w.tall = w.tall || t.NumFields() > 1 || t.Tag(i) != ""
		members = append(members, s)
	}
	return jen.Id("struct").Add(braces(members))
}

func quoted(tag string) string {
	if strconv.CanBackquote(tag) {
		return "`" + tag + "`"
	}
	return strconv.Quote(tag)
}

// interfaceLiteral is an interface literal; the implicit one around a constraint such as ~int | ~string is left out, as in the source.
func (w *writer) interfaceLiteral(t *types.Interface) jen.Code {
	if t.IsImplicit() && t.NumEmbeddeds() == 1 && !startsLikeExpression(t.EmbeddedType(0)) {
		return w.typ(t.EmbeddedType(0))
	}
	var members []jen.Code
	for m := range t.ExplicitMethods() {
		if !m.Exported() && m.Pkg().Path() != w.home {
			return w.fail("it uses an interface with the method %s, which is not exported by package %s", m.Name(), m.Pkg().Path())
		}
		members = append(members, jen.Id(m.Name()).Add(w.signature(m.Signature())))
	}
	for e := range t.EmbeddedTypes() {
		members = append(members, w.typ(e))
	}
	w.tall = w.tall || len(members) > 1
	return jen.Id("interface").Add(braces(members))
}

// startsLikeExpression reports whether t, as a lone constraint, could be taken for the length of an array type: type X[P *T].
func startsLikeExpression(t types.Type) bool {
	if u, ok := t.(*types.Union); ok {
		return u.Len() > 0 && !u.Term(0).Tilde() && startsLikeExpression(u.Term(0).Type())
	}
	_, pointer := t.(*types.Pointer)
	return pointer
}

func (w *writer) union(t *types.Union) jen.Code {
	var terms []jen.Code
	for term := range t.Terms() {
		s := new(jen.Statement)
		if term.Tilde() {
			s.Op("~")
		}
		terms = append(terms, s.Add(w.typ(term.Type())))
	}
	return jen.Union(terms...)
}

// braces lays members out as the formatter does: on one line where it allows that.
func braces(members []jen.Code) jen.Code {
	return jen.Custom(jen.Options{Open: "{", Close: "}", Separator: ";"}, members...)
}
