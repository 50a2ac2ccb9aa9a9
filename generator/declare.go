package generator

import (
	"go/ast"
	"go/token"
	"go/types"
)

// This file goes on from attach.go: it walks a file's syntax and notes which doc comment documents what.

// visitor walks down; what it holds is true of the node it is at.
type visitor struct {
	*attacher
	local bool // inside a function's body
}

// Visit notes the doc comments that n holds.
func (v visitor) Visit(n ast.Node) ast.Visitor {
	switch n := n.(type) {
	case *ast.GenDecl:
		v.group(n)
	case *ast.FuncDecl:
		what := "a function"
		if n.Recv != nil {
			what = "a method with a body"
		}
		v.own(n.Doc, &owner{what: what})
	case *ast.BlockStmt:
		if !v.mentions {
			return nil
		}
		v.local = true
	case *ast.StructType:
		for _, field := range n.Fields.List {
			v.nameless(field.Type)
			v.own(field.Doc, &owner{what: "a field"})
		}
	case *ast.FuncType:
		for _, field := range n.Params.List {
			v.nameless(field.Type)
			v.params = append(v.params, field)
		}
	case *ast.InterfaceType:
		v.nameless(n)
		v.members(v.known[n], n)
	}
	return v
}

// group notes what a declaration of imports, types, constants or variables holds.
func (v visitor) group(d *ast.GenDecl) {
	all := &owner{what: map[token.Token]string{
		token.IMPORT: "an import", token.TYPE: "a group of types", token.CONST: "a constant", token.VAR: "a variable",
	}[d.Tok]}
	for _, spec := range d.Specs {
		one := &owner{what: all.what}
		switch spec := spec.(type) {
		case *ast.ImportSpec:
			v.own(spec.Doc, one)
		case *ast.ValueSpec:
			v.nameless(spec.Type)
			v.own(spec.Doc, one)
		case *ast.TypeSpec:
			one = v.typeSpec(spec, d)
			v.own(spec.Doc, one)
		}
		if !d.Lparen.IsValid() {
			all = one
		}
	}
	v.own(d.Doc, all)
}

// typeSpec is the owner of a type's doc comment.
func (v visitor) typeSpec(spec *ast.TypeSpec, d *ast.GenDecl) *owner {
	object := v.info.Defs[spec.Name]
	if object == nil {
		return &owner{what: "a type"}
	}
	name := "`" + spec.Name.Name + "`"
	switch types.Unalias(object.Type()).Underlying().(type) {
	case *types.Interface:
	case *types.Struct:
		return &owner{what: name + ", a struct"}
	default:
		if _, literal := ast.Unparen(spec.Type).(*ast.InterfaceType); !literal && !broken(object.Type()) {
			return &owner{what: name + ", which is no interface"}
		}
	}
	decl := &typeDecl{name: spec.Name.Name, file: v.file, spec: spec, node: spec, doc: spec.Doc, local: v.local}
	if !d.Lparen.IsValid() {
		decl.doc = d.Doc
	}
	if t, ok := ast.Unparen(spec.Type).(*ast.InterfaceType); ok {
		v.known[t] = decl
	}
	v.file.decls = append(v.file.decls, decl)
	return &owner{decl: decl}
}

// broken tells that the type is so undefined that nobody knows what it is.
func broken(t types.Type) bool {
	b, ok := types.Unalias(t).Underlying().(*types.Basic)
	return ok && b.Kind() == types.Invalid
}

// nameless notes an interface that is written where a type is used.
func (v visitor) nameless(e ast.Expr) {
	if t, ok := e.(*ast.InterfaceType); ok && v.known[t] == nil {
		v.known[t] = &typeDecl{name: "interface", file: v.file, node: t, local: v.local}
		v.file.decls = append(v.file.decls, v.known[t])
	}
}

const embeddedInterface = "an embedded interface"

// members notes the methods of an interface; an interface literal that is embedded is part of it.
func (v visitor) members(decl *typeDecl, t *ast.InterfaceType) {
	for _, field := range t.Methods.List {
		if len(field.Names) == 1 {
			m := &methodDecl{decl: decl, file: v.file, field: field}
			decl.methods = append(decl.methods, m)
			v.own(field.Doc, &owner{method: m})
			continue
		}
		decl.embeds = append(decl.embeds, field.Type)
		v.own(field.Doc, &owner{what: embeddedInterface})
		if inner, ok := field.Type.(*ast.InterfaceType); ok {
			v.known[inner] = decl
		}
	}
}
