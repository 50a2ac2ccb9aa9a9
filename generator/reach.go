package generator

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// This file holds the rules on what the output's package can name and implement, with the place of the name that is out of reach.

// sealed tells whether only another package can implement the method.
func (c *checker) sealed(m *method) bool {
	return m.Pkg != nil && m.Pkg.Path() != c.made.PkgPath
}

func (c *checker) canBeImplemented(w *wrapper, m *method) {
	if !c.sealed(m) {
		return
	}
	more := ""
	if meantToEmbed(m.Name) {
		more = ", and it has no exported interface with just that for the wrapper to embed"
	}
	c.errorf(m.Pos, codeOutOfReach, "`%s` is not exported, so only package %s can implement `%s`%s; wrap an interface of your own with the methods you need",
		w.method(m), m.Pkg.Path(), w.Named.Name(), more)
}

// writer makes one that notes why something can't be written in the output's package.
func (c *checker) writer(w *wrapper) *writer {
	wr := &writer{home: c.made.PkgPath, typeParams: map[*types.TypeParam]string{}, named: newNamed()}
	for _, t := range w.TypeParams {
		wr.typeParams[t] = t.Obj().Name()
	}
	return wr
}

func (c *checker) interfaceInReach(w *wrapper) {
	d := c.origin[w]
	wr := c.writer(w)
	if wr.object(w.Named); wr.problem != "" {
		c.errorf(c.position(d.spec.Name.Pos()), codeOutOfReach, "%s", wr.mended())
		return
	}
	for _, t := range w.TypeParams {
		wr.typ(t.Constraint())
	}
	if wr.problem != "" {
		c.outOfReach(wr, d.spec.TypeParams, w.Pos)
	}
}

func (c *checker) signatureInReach(w *wrapper, m *method) {
	wr := c.writer(w)
	if wr.signature(m.Sig); wr.problem == "" {
		return
	}
	decl := c.declared[m]
	if decl == nil || m.Via != "" || strings.Contains(wr.problem, "package C") {
		c.errorf(m.Pos, codeOutOfReach, "the signature of `%s` can't be written in package %s: %s", w.method(m), c.made.PkgPath, wr.mended())
		return
	}
	c.outOfReach(wr, decl.field.Type, m.Pos)
}

// outOfReach reports the names in node that the output can't use, or its problem at pos when none stands there by itself.
func (c *checker) outOfReach(wr *writer, node ast.Node, pos token.Position) {
	found := false
	ast.Inspect(node, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		o, ok := c.made.source.TypesInfo.Uses[id].(*types.TypeName)
		if !ok {
			return true
		}
		one := &writer{home: wr.home, typeParams: wr.typeParams, named: newNamed()}
		if _, param := o.Type().(*types.TypeParam); param {
			return true
		}
		if alias, ok := o.Type().(*types.Alias); ok {
			one.alias(alias)
		} else {
			one.object(o)
		}
		if one.problem != "" {
			found = true
			c.errorf(c.position(id.Pos()), codeOutOfReach, "%s, and the wrapper is in package %s; export it, or write the wrapper there", one.problem, wr.home)
		}
		return true
	})
	if !found {
		c.errorf(pos, codeOutOfReach, "it can't be written in package %s: %s", wr.home, wr.mended())
	}
}
