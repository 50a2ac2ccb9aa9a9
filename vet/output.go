package vet

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// This file reads the files that idemgen wrote: which types in them are wrappers, of what, and where each keyed method's key comes from.

// readWrappers finds the wrappers of one output file.
func readWrappers(pass *analysis.Pass, f *ast.File) []*wrapper {
	o := output{info: pass.TypesInfo, operations: map[string]*ast.CompositeLit{}}
	bodies := map[string]map[string]*ast.FuncDecl{} // by type and name
	interfaces := map[string]types.Type{}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				o.assertions(d.Body, interfaces)
				o.fields(d)
				continue
			}
			if n := named(pass.TypesInfo.TypeOf(d.Recv.List[0].Type)); n != nil {
				if bodies[n.Obj().Name()] == nil {
					bodies[n.Obj().Name()] = map[string]*ast.FuncDecl{}
				}
				bodies[n.Obj().Name()][d.Name.Name] = d
			}
		case *ast.GenDecl:
			o.assertions(d, interfaces)
			o.variables(d)
		}
	}
	var found []*wrapper
	for name, iface := range interfaces {
		t, ok := pass.Pkg.Scope().Lookup(name).(*types.TypeName)
		if !ok {
			continue
		}
		w := &wrapper{Type: qualified(t)}
		if n := named(iface); n != nil {
			w.Interface = qualified(n.Obj())
			w.Deliberate = deliberate(n)
		}
		for _, m := range methodsOf(t) {
			w.Methods = append(w.Methods, o.method(m, bodies[name][m.Name()]))
		}
		found = append(found, w)
	}
	slices.SortFunc(found, func(a, b *wrapper) int { return strings.Compare(a.Type, b.Type) })
	return found
}

// output is what is read of one file.
type output struct {
	info       *types.Info
	operations map[string]*ast.CompositeLit // by variable or field
}

// assertions finds var _ I = (*W)(nil), by W's name.
func (o *output) assertions(n ast.Node, found map[string]types.Type) {
	if n == nil {
		return
	}
	ast.Inspect(n, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || spec.Type == nil || len(spec.Names) != 1 || spec.Names[0].Name != "_" || len(spec.Values) != 1 {
			return true
		}
		t := o.info.TypeOf(spec.Type)
		if w := named(o.info.TypeOf(spec.Values[0])); w != nil && types.IsInterface(t) {
			found[w.Obj().Name()] = t
		}
		return true
	})
}

// variables finds var paymentsCharge = idem.Operation[Receipt]{…}.
func (o *output) variables(d *ast.GenDecl) {
	for _, s := range d.Specs {
		if v, ok := s.(*ast.ValueSpec); ok && len(v.Names) == 1 && len(v.Values) == 1 {
			if lit, ok := v.Values[0].(*ast.CompositeLit); ok {
				o.operations[v.Names[0].Name] = lit
			}
		}
	}
}

// fields finds the operations of a generic wrapper, in its constructor.
func (o *output) fields(d *ast.FuncDecl) {
	ast.Inspect(d, func(n ast.Node) bool {
		if kv, ok := n.(*ast.KeyValueExpr); ok {
			key, isName := kv.Key.(*ast.Ident)
			if lit, ok := kv.Value.(*ast.CompositeLit); ok && isName {
				if w := named(o.info.TypeOf(d.Type.Results.List[0].Type)); w != nil {
					o.operations[w.Obj().Name()+"."+key.Name] = lit
				}
			}
		}
		return true
	})
}

// method describes one method; d is its declaration.
func (o *output) method(m *types.Func, d *ast.FuncDecl) method {
	sig := m.Signature()
	out := method{ID: methodID(m), Text: signatureText(sig, sig.RecvTypeParams())}
	if d == nil || d.Body == nil {
		return out
	}
	do := o.find(d.Body, "Do")
	if do == nil || len(do.Args) < 4 {
		return out
	}
	out.Keyed = true
	params := parameters(o.info, d.Type)
	if ctx, ok := ast.Unparen(do.Args[0]).(*ast.Ident); ok {
		out.Context = max(slices.Index(params, o.info.ObjectOf(ctx)), 0)
	}
	out.Joins = joins(o.operation(do.Args[2]))
	keys := keyReader{info: o.info, params: params, body: d.Body}
	keys.read(do.Args[3])
	out.Keys, out.FromCtx = keys.found, keys.fromContext
	return out
}

// find is the first call of a function of the runtime.
func (o *output) find(n ast.Node, name string) *ast.CallExpr {
	var found *ast.CallExpr
	ast.Inspect(n, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && found == nil && isFunc(callee(o.info, call), runtimePath, name) {
			found = call
		}
		return found == nil
	})
	return found
}

// operation is the literal behind &paymentsCharge or &w.charge.
func (o *output) operation(e ast.Expr) ast.Node {
	if u, ok := ast.Unparen(e).(*ast.UnaryExpr); ok {
		switch x := ast.Unparen(u.X).(type) {
		case *ast.Ident:
			if lit := o.operations[x.Name]; lit != nil {
				return lit
			}
		case *ast.SelectorExpr:
			if w := named(o.info.TypeOf(x.X)); w != nil {
				if lit := o.operations[w.Obj().Name()+"."+x.Sel.Name]; lit != nil {
					return lit
				}
			}
		}
	}
	return nil
}

// joins reports whether the annotation tx join shows in n: idem.TxJoin.
func joins(n ast.Node) bool {
	found := false
	if n != nil {
		ast.Inspect(n, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok && sel.Sel.Name == "TxJoin" {
				found = true
			}
			return !found
		})
	}
	return found
}

// parameters are the variables of a function's parameters, nil for one without a name.
func parameters(info *types.Info, t *ast.FuncType) []types.Object {
	var params []types.Object
	for _, f := range t.Params.List {
		if len(f.Names) == 0 {
			params = append(params, nil)
		}
		for _, n := range f.Names {
			params = append(params, info.Defs[n])
		}
	}
	return params
}

// methodsOf are the methods declared on a type, by name.
func methodsOf(t *types.TypeName) []*types.Func {
	n, ok := types.Unalias(t.Type()).(*types.Named)
	if !ok {
		return nil
	}
	var methods []*types.Func
	for i := range n.NumMethods() {
		methods = append(methods, n.Method(i))
	}
	slices.SortFunc(methods, func(a, b *types.Func) int { return strings.Compare(a.Id(), b.Id()) })
	return methods
}

// deliberate reports whether the interface's methods name a type outside the standard library: nothing has such methods by chance.
func deliberate(n *types.Named) bool {
	i, ok := n.Underlying().(*types.Interface)
	if !ok {
		return false
	}
	for m := range i.Methods() {
		for part := range strings.FieldsFuncSeq(signatureText(m.Signature(), nil), func(r rune) bool { return strings.ContainsRune("()[]{};* ", r) }) {
			if first, _, _ := strings.Cut(part, "/"); strings.Contains(first, ".") && strings.Contains(part, "/") {
				return true
			}
			if strings.HasPrefix(part, path(n.Obj().Pkg())+".") {
				return true
			}
		}
	}
	return false
}

// callee is the function or method that is called, nil for a value of function type, a conversion or a builtin.
func callee(info *types.Info, call *ast.CallExpr) *types.Func {
	fun := ast.Unparen(call.Fun)
	switch x := fun.(type) {
	case *ast.IndexExpr:
		fun = x.X
	case *ast.IndexListExpr:
		fun = x.X
	}
	var id *ast.Ident
	switch x := fun.(type) {
	case *ast.Ident:
		id = x
	case *ast.SelectorExpr:
		id = x.Sel
	default:
		return nil
	}
	f, _ := info.Uses[id].(*types.Func)
	return f
}

// isFunc reports whether f is the package-level function of that path and name.
func isFunc(f *types.Func, pkg, name string) bool {
	return f != nil && f.Name() == name && path(f.Pkg()) == pkg && f.Signature().Recv() == nil
}

// isNil reports whether e is the predeclared nil.
func isNil(info *types.Info, e ast.Expr) bool { return info.Types[e].IsNil() }
