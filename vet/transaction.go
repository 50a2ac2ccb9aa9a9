package vet

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"strings"

	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/cfg"
)

// This file is about wrapped calls inside an open transaction that is not theirs (IDEM093): the claim and the outcome commit on their own,
// so that a rollback leaves an outcome that says an effect has happened which is gone.

// transaction reports a call that every path to it leaves inside a transaction.
func (s *site) transaction(r *reporter, u *use) {
	if u.method.Joins {
		return
	}
	c := u.cur
	for c.Node() != ast.Node(u.call) {
		c = c.Parent()
	}
	if k := c.ParentEdgeKind(); k == edge.DeferStmt_Call || k == edge.GoStmt_Call {
		return // it runs when nobody knows what is open
	}
	tx := s.openAt(c)
	if len(tx) == 0 {
		return
	}
	name := ""
	for o := range tx {
		if name == "" || o.Name() < name {
			name = o.Name()
		}
	}
	iface, _ := s.names(u.wrapper)
	s.reportUse(r, u, codeTransaction, iface+"."+u.method.ID+" is called while the transaction "+name+" is open, but its outcome is stored on its own, "+
		"so a rollback would leave an outcome without its effect; call it before Begin or after Commit")
}

// open is a set of variables that hold an open transaction.
type open map[types.Object]bool

// openAt is what is open where c is, on every path.
func (s *site) openAt(c inspector.Cursor) open {
	for f := range c.Enclosing((*ast.FuncDecl)(nil), (*ast.FuncLit)(nil)) {
		var t *ast.FuncType
		var body *ast.BlockStmt
		start := open{}
		switch n := f.Node().(type) {
		case *ast.FuncDecl:
			t, body = n.Type, n.Body
		case *ast.FuncLit:
			t, body = n.Type, n.Body
			if call, ok := runsHere(f); ok {
				start = s.openAt(call)
			}
		}
		if body == nil || !within(c.Node().Pos(), body) {
			return nil
		}
		for _, p := range parameters(s.info, t) {
			if p != nil && p.Name() != "_" && isTx(p.Type()) {
				start[p] = true
			}
		}
		return s.reach(body, start, c.Node().Pos())
	}
	return nil
}

// runsHere is the call that runs the function literal at f: one of the literal itself, or one it is handed to, neither deferred nor in a
// goroutine.
func runsHere(f inspector.Cursor) (inspector.Cursor, bool) {
	c := f
	for c.ParentEdgeKind() == edge.ParenExpr_X {
		c = c.Parent()
	}
	if k := c.ParentEdgeKind(); k != edge.CallExpr_Fun && k != edge.CallExpr_Args {
		return c, false
	}
	c = c.Parent()
	if k := c.ParentEdgeKind(); k == edge.GoStmt_Call || k == edge.DeferStmt_Call {
		return c, false
	}
	switch calledName(c.Node().(*ast.CallExpr)) {
	case "Go", "AfterFunc", "HandleFunc", "Handle", "Cleanup":
		return c, false
	}
	return c, true
}

// reach is what is open at pos when start is at the beginning of body: what is open at the end of all that leads there.
func (s *site) reach(body *ast.BlockStmt, start open, pos token.Pos) open {
	graph := cfg.New(body, func(call *ast.CallExpr) bool { return !s.ends(call) })
	in := map[*cfg.Block]open{graph.Blocks[0]: start} // a block that is not in it was not reached yet
	for work := []*cfg.Block{graph.Blocks[0]}; len(work) > 0; {
		b := work[0]
		work = work[1:]
		out := maps.Clone(in[b])
		for _, n := range b.Nodes {
			s.step(out, n)
		}
		for _, next := range b.Succs {
			old, reached := in[next]
			merged := out
			if reached {
				merged = open{}
				for o := range old {
					if out[o] {
						merged[o] = true
					}
				}
			}
			if !reached || len(merged) != len(old) {
				in[next] = maps.Clone(merged)
				work = append(work, next)
			}
		}
	}
	var at open
	size := token.Pos(-1)
	for b, state := range in {
		state = maps.Clone(state)
		for _, n := range b.Nodes {
			if within(pos, n) && (size < 0 || n.End()-n.Pos() < size) {
				size, at = n.End()-n.Pos(), maps.Clone(state)
			}
			s.step(state, n)
		}
	}
	return at
}

// step is what a statement begins and ends. A function literal in it may run there, so what it ends counts as ended.
func (s *site) step(state open, n ast.Node) {
	if _, ok := n.(*ast.DeferStmt); ok {
		return
	}
	ast.Inspect(n, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			s.ended(state, call)
		}
		return true
	})
	a, ok := n.(*ast.AssignStmt)
	if !ok {
		if d, isDecl := n.(*ast.ValueSpec); isDecl && len(d.Values) == 1 {
			s.begun(state, d.Values[0], d.Names[0])
		}
		return
	}
	for i, r := range a.Rhs {
		s.begun(state, r, a.Lhs[i])
	}
}

// begun: a transaction that a call returns is open.
func (s *site) begun(state open, value, to ast.Expr) {
	o := s.object(to)
	if o == nil || !isTx(o.Type()) {
		return
	}
	if call, ok := ast.Unparen(value).(*ast.CallExpr); ok && !s.info.Types[call.Fun].IsType() {
		state[o] = true
	} else {
		delete(state, o)
	}
}

// ended: Commit and Rollback end it, and a function that it is handed to may, if its name says something of the kind.
func (s *site) ended(state open, call *ast.CallExpr) {
	name := calledName(call)
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && (name == "Commit" || name == "Rollback") {
		delete(state, s.object(sel.X))
	}
	name = strings.ToLower(name)
	for _, word := range []string{"commit", "rollback", "finish", "close", "end", "done"} {
		if strings.Contains(name, word) {
			for _, a := range call.Args {
				if o := s.object(a); o != nil {
					delete(state, o)
				}
			}
		}
	}
}

// ends reports whether the program, or the goroutine, ends with a call.
func (s *site) ends(call *ast.CallExpr) bool {
	if id, ok := ast.Unparen(call.Fun).(*ast.Ident); ok {
		if b, ok := s.info.Uses[id].(*types.Builtin); ok {
			return b.Name() == "panic"
		}
	}
	f := callee(s.info, call)
	return f != nil && (isFunc(f, "os", "Exit") || isFunc(f, "runtime", "Goexit") || f.Pkg() != nil && path(f.Pkg()) == "log" && strings.HasPrefix(f.Name(), "Fatal"))
}

// isTx reports whether t is a transaction: a type of that name that can be committed and rolled back, such as pgx.Tx, *sql.Tx, *sqlx.Tx.
func isTx(t types.Type) bool {
	n := named(t)
	return n != nil && n.Obj().Name() == "Tx" && hasMethod(n, "Commit") && hasMethod(n, "Rollback")
}

// hasMethod reports whether t or *t has a method of that name.
func hasMethod(t types.Type, name string) bool {
	if _, ok := t.Underlying().(*types.Interface); !ok {
		if _, isPtr := types.Unalias(t).(*types.Pointer); !isPtr {
			t = types.NewPointer(t)
		}
	}
	o, _, _ := types.LookupFieldOrMethod(t, false, nil, name)
	_, ok := o.(*types.Func)
	return ok
}
