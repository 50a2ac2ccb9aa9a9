package vet

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/inspector"
)

// This file knows, for one package, what is assigned to its variables and fields, and what its functions return. Nothing here follows the
// order of statements: a variable holds whatever is assigned to it anywhere.

// flow is where values come from.
type flow struct {
	pkg    *types.Package
	info   *types.Info
	root   inspector.Cursor
	vars   map[types.Object][]source         // what is assigned to variables and struct fields
	open   map[types.Object]bool             // what gets values from elsewhere as well: parameters, range variables, what & is taken of
	parts  map[types.Object][]part           // what is assigned to fields of a variable, as in req.Key = key
	fills  map[types.Object][]*ast.CallExpr  // calls that fill a variable, as in rand.Read(buf[:])
	bodies map[*types.Func]*ast.FuncDecl     // the package's functions
	passed map[types.Object][]*ast.CallExpr  // functions and variables, by the calls they are an argument of
	uses   map[types.Object][]*ast.Ident     // where variables are read
	lits   map[*ast.FuncLit]inspector.Cursor // where function literals are
}

// source is one assignment. index is the result's number where the right side is a call with several.
type source struct {
	expr  ast.Expr
	index int
	at    ast.Node // the statement
}

// part is an assignment to a field of a variable.
type part struct {
	path []string
	expr ast.Expr
	at   ast.Node
}

func newFlow(pass *analysis.Pass) *flow {
	f := &flow{
		pkg: pass.Pkg, info: pass.TypesInfo, root: inspector.New(pass.Files).Root(),
		vars: map[types.Object][]source{}, open: map[types.Object]bool{}, parts: map[types.Object][]part{},
		fills: map[types.Object][]*ast.CallExpr{}, bodies: map[*types.Func]*ast.FuncDecl{}, passed: map[types.Object][]*ast.CallExpr{},
		uses: map[types.Object][]*ast.Ident{}, lits: map[*ast.FuncLit]inspector.Cursor{},
	}
	for c := range f.root.Preorder() {
		f.node(c)
	}
	return f
}

func (f *flow) node(c inspector.Cursor) {
	switch n := c.Node().(type) {
	case *ast.FuncDecl:
		if fn, ok := f.info.Defs[n.Name].(*types.Func); ok && n.Body != nil {
			f.bodies[fn] = n
		}
		f.opened(n.Recv)
		f.opened(n.Type.Params)
		f.opened(n.Type.Results)
	case *ast.FuncLit:
		f.lits[n] = c
		f.opened(n.Type.Params)
		f.opened(n.Type.Results)
	case *ast.AssignStmt:
		f.assign(n)
	case *ast.ValueSpec:
		var lhs []ast.Expr
		for _, name := range n.Names {
			lhs = append(lhs, name)
		}
		f.assigned(lhs, n.Values, n)
	case *ast.RangeStmt:
		f.openedBy(n.Key)
		f.openedBy(n.Value)
	case *ast.UnaryExpr:
		if n.Op == token.AND {
			f.openedBy(n.X)
		}
	case *ast.IncDecStmt:
		f.openedBy(n.X)
	case *ast.CompositeLit:
		f.literal(n)
	case *ast.CallExpr:
		f.call(n)
	case *ast.Ident:
		if o := f.info.Uses[n]; o != nil {
			f.uses[o] = append(f.uses[o], n)
		}
	}
}

func (f *flow) opened(list *ast.FieldList) {
	if list == nil {
		return
	}
	for _, field := range list.List {
		for _, name := range field.Names {
			f.open[f.info.Defs[name]] = true
		}
	}
}

// openedBy marks the variable or field that e is.
func (f *flow) openedBy(e ast.Expr) {
	if e == nil {
		return
	}
	if o := f.object(e); o != nil {
		f.open[o] = true
	}
}

// object is the variable or field that e names, or nil.
func (f *flow) object(e ast.Expr) types.Object {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return declared(f.info.ObjectOf(e))
	case *ast.SelectorExpr:
		if v, ok := f.info.ObjectOf(e.Sel).(*types.Var); ok {
			return v.Origin()
		}
	}
	return nil
}

// declared is the object as its declaration has it, also where it is seen through an instance of a generic type.
func declared(o types.Object) types.Object {
	switch o := o.(type) {
	case *types.Var:
		return o.Origin()
	case *types.Func:
		return o.Origin()
	}
	return o
}

func (f *flow) assign(n *ast.AssignStmt) {
	if n.Tok != token.ASSIGN && n.Tok != token.DEFINE {
		f.openedBy(n.Lhs[0]) // +=
		return
	}
	f.assigned(n.Lhs, n.Rhs, n)
}

func (f *flow) assigned(lhs, rhs []ast.Expr, at ast.Node) {
	for i, l := range lhs {
		switch {
		case len(rhs) == len(lhs):
			f.store(l, source{expr: rhs[i], at: at})
		case len(rhs) == 1:
			f.store(l, source{expr: rhs[0], index: i, at: at})
		}
	}
}

func (f *flow) store(l ast.Expr, s source) {
	o := f.object(l)
	if o == nil {
		return
	}
	f.vars[o] = append(f.vars[o], s)
	if base, path := f.base(l); len(path) > 0 && base != nil {
		f.parts[base] = append(f.parts[base], part{path: path, expr: s.expr, at: s.at})
	}
}

// base takes v.A.B apart into the variable and the fields.
func (f *flow) base(e ast.Expr) (types.Object, []string) {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return f.info.ObjectOf(e), nil
	case *ast.StarExpr:
		return f.base(e.X)
	case *ast.SelectorExpr:
		if v, ok := f.info.ObjectOf(e.Sel).(*types.Var); ok && v.IsField() {
			o, path := f.base(e.X)
			return o, append(path, e.Sel.Name)
		}
	}
	return nil, nil
}

// literal stores what a struct literal gives its fields.
func (f *flow) literal(n *ast.CompositeLit) {
	s := structure(f.info.TypeOf(n))
	if s == nil {
		return
	}
	for i, e := range n.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			if key, ok := kv.Key.(*ast.Ident); ok && f.info.Uses[key] != nil {
				o := declared(f.info.Uses[key])
				f.vars[o] = append(f.vars[o], source{expr: kv.Value, at: kv})
			}
		} else if i < s.NumFields() {
			o := declared(s.Field(i))
			f.vars[o] = append(f.vars[o], source{expr: e, at: e})
		}
	}
}

// call notes what is passed to whom.
func (f *flow) call(n *ast.CallExpr) {
	for _, a := range n.Args {
		switch x := ast.Unparen(a).(type) {
		case *ast.Ident, *ast.SelectorExpr:
			var o types.Object
			if id, ok := x.(*ast.Ident); ok {
				o = declared(f.info.Uses[id])
			} else {
				o = declared(f.info.Uses[x.(*ast.SelectorExpr).Sel])
			}
			if o != nil {
				f.passed[o] = append(f.passed[o], n)
			}
		}
		if s, ok := ast.Unparen(a).(*ast.SliceExpr); ok {
			a = s.X
		}
		if id, ok := ast.Unparen(a).(*ast.Ident); ok {
			if o := f.info.Uses[id]; o != nil {
				f.fills[o] = append(f.fills[o], n)
			}
		}
	}
}

// within reports whether pos is inside of n.
func within(pos token.Pos, n ast.Node) bool { return n != nil && n.Pos() <= pos && pos < n.End() }
