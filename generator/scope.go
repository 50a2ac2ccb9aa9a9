package generator

import (
	"go/ast"
	"go/token"
	"go/types"
)

// This file knows what the names in an expression can mean where its annotation stands, and says so of those that mean nothing.

// open makes the scope of one expression: what the method's declaration sees, at positions of its own. The package is a copy where the wrapper
// is of another: there the type checker would panic when something generic is instantiated with the wrapper's type parameters, and takes
// what is declared in a copy for imported.
func (e *environment) open(file *token.File) (*types.Package, *types.Scope) {
	in, pos := e.in.Types, token.Pos(file.Base())
	if e.s.Types != in {
		copied := *in
		in = &copied
	}
	scope := types.NewScope(e.in.Types.Scope(), pos, pos+token.Pos(file.Size())+1, "annotation")
	e.params, e.bound = map[types.Object]int{}, map[types.Object]types.Type{}
	for i := range e.sig.Params().Len() {
		p := e.sig.Params().At(i)
		if p.Name() == "" || p.Name() == "_" || e.static {
			continue
		}
		v := types.NewParam(pos, e.in.Types, p.Name(), p.Type())
		scope.Insert(v)
		e.params[v] = i
	}
	for name, t := range e.typeArgs {
		o := types.NewTypeName(pos, e.in.Types, name, nil)
		types.NewAlias(o, t)
		if scope.Insert(o) == nil {
			e.bound[o] = t
		}
	}
	imports := e.in.scopeOf(e.file.tree)
	for _, name := range imports.Names() {
		o := imports.Lookup(name)
		if p, ok := o.(*types.PkgName); ok {
			o = types.NewPkgName(p.Pos(), in, name, p.Imported())
		}
		scope.Insert(o)
	}
	return in, scope
}

// resolve reports all names that mean nothing, before the type checker stops at the first.
func (e *environment) resolve(x ast.Expr, scope *types.Scope, at func(ast.Node) token.Position) bool {
	ok := true
	selected := map[ast.Expr]bool{}
	ast.Inspect(x, func(n ast.Node) bool {
		if sel, is := n.(*ast.SelectorExpr); is {
			selected[sel.X] = true
		}
		return true
	})
	for _, id := range freeIdents(x) {
		if id.Name == "_" {
			e.fail(at(id), codeExpression, "`_` has no value; give the parameter a name, and use that")
			ok = false
			continue
		}
		_, o := scope.LookupParent(id.Name, token.NoPos)
		if o != nil && o.Pkg() != nil && o.Parent() == o.Pkg().Scope() && incomplete(o.Type(), false) {
			if !e.r.errorsOf(e.s, o) {
				e.fail(at(id), codeBrokenType, "`%s` does not compile; mend that first", id.Name)
			}
			ok = false
		}
		if o == nil {
			e.fail(at(id), codeExpression, "undefined: `%s`%s", id.Name, e.undefinedHint(id.Name, selected[id]))
			ok = false
		}
		if name, is := o.(*types.PkgName); is && !e.imported(name) {
			ok = false
		}
	}
	return ok
}

// imported tells whether the package of that name in the file is there, and reports when it is not.
func (e *environment) imported(name *types.PkgName) bool {
	for _, spec := range e.file.tree.Imports {
		if importPath(spec) != name.Imported().Path() {
			continue
		}
		if reason := e.r.importError(e.in, spec); reason != "" {
			e.fail(e.r.position(spec.Pos()), codeBrokenImport, "`%s` can't be imported: %s", importPath(spec), reason)
			return false
		}
	}
	return true
}

// freeIdents are the identifiers of x that are not fields, methods, keys of literals or names inside a function literal.
func freeIdents(x ast.Expr) (list []*ast.Ident) {
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.SelectorExpr:
			list = append(list, freeIdents(n.X)...)
			return false
		case *ast.Field: // of a type that is written out: it has names of its own
			list = append(list, freeIdents(n.Type)...)
			return false
		case *ast.KeyValueExpr:
			list = append(list, freeIdents(n.Value)...)
			return false
		case *ast.Ident:
			list = append(list, n)
		}
		return true
	})
	return list
}

func (e *environment) undefinedHint(name string, selected bool) string {
	if selected && e.importedBeside(name) {
		return "; import it in this file"
	}
	if e.static {
		return e.staticHint(name, selected)
	}
	var known []string
	for p := range e.sig.Params().Variables() {
		if p.Name() != "" && p.Name() != "_" {
			known = append(known, p.Name())
		}
	}
	switch {
	case len(known) == 0:
		return "; give the parameters of `" + e.method + "` names, and use one"
	case len(e.nameless) > 0:
		return "; use " + list(known) + ", as the parameters of `" + e.method + "` have no names where it is declared"
	case selected:
		return "; import the package in this file, or use the parameters of `" + e.method + "`, " + list(known)
	}
	return "; use the parameters of `" + e.method + "`, " + list(known)
}

// importedBeside tells whether another file of the package imports something by that name.
func (e *environment) importedBeside(name string) bool {
	for _, f := range e.in.files {
		if _, ok := e.in.scopeOf(f.tree).Lookup(name).(*types.PkgName); ok {
			return true
		}
	}
	return false
}
