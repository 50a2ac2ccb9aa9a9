package vet

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"
)

// This file finds what makes a call run again: the loops around it, and the functions that something retries.

// attempt is what runs once for every attempt.
type attempt struct {
	body *ast.BlockStmt
	loop ast.Stmt // a for or range statement; nil: a function that is retried
}

// attempts are those around a use, from the inside out, as far as they run it at once: a function that is kept for later runs outside of
// the loop it is written in.
func (s *site) attempts(u *use) []attempt {
	var found []attempt
	for c := u.cur; c.Node() != nil; c = c.Parent() {
		switch n := c.Node().(type) {
		case *ast.ForStmt:
			if within(u.cur.Node().Pos(), n.Body) {
				found = append(found, attempt{n.Body, n})
			}
		case *ast.RangeStmt:
			if within(u.cur.Node().Pos(), n.Body) {
				found = append(found, attempt{n.Body, n})
			}
		case *ast.FuncLit:
			retried, now := s.runs(c)
			if retried {
				found = append(found, attempt{body: n.Body})
			}
			if !now {
				return found
			}
		case *ast.FuncDecl:
			if fn := s.info.Defs[n.Name]; fn != nil && n.Body != nil && s.isRetried(fn) {
				found = append(found, attempt{body: n.Body})
			}
			return found
		case *ast.File:
			return found
		}
	}
	return found
}

// runs tells whether a function literal is retried, and whether it runs where it stands.
func (s *site) runs(c inspector.Cursor) (retried, now bool) {
	for c.ParentEdgeKind() == edge.ParenExpr_X {
		c = c.Parent()
	}
	switch parent := c.Parent().Node().(type) {
	case *ast.CallExpr:
		if c.ParentEdgeKind() == edge.CallExpr_Fun {
			return false, true
		}
		if s.info.Types[parent.Fun].IsType() {
			return s.runs(c.Parent()) // backoff.Operation(func() error {…})
		}
		return s.retries(parent), s.retries(parent) || runsNow[calledName(parent)]
	case *ast.AssignStmt:
		for i, r := range parent.Rhs {
			if r == c.Node() && len(parent.Lhs) == len(parent.Rhs) {
				if o := s.object(parent.Lhs[i]); o != nil {
					return s.isRetried(o), s.isRetried(o)
				}
			}
		}
	case *ast.ValueSpec:
		for i, r := range parent.Values {
			if r == c.Node() && len(parent.Names) == len(parent.Values) {
				o := s.info.Defs[parent.Names[i]]
				return o != nil && s.isRetried(o), o != nil && s.isRetried(o)
			}
		}
	}
	return false, false
}

// runsNow are the names of functions that run the function they are given, once, before they return or soon after.
var runsNow = map[string]bool{
	"Go": true, "Do": true, "Run": true, "BeginFunc": true, "BeginTxFunc": true, "Transaction": true, "RunInTx": true, "WithTx": true, "InTx": true,
}

// isRetried reports whether the function or variable is handed to something that retries it.
func (s *site) isRetried(o types.Object) bool {
	for _, call := range s.passed[declared(o)] {
		if s.retries(call) {
			return true
		}
	}
	return false
}

// retries reports whether a call retries the function it is given: its name, its package's or its receiver's says so.
func (s *site) retries(call *ast.CallExpr) bool {
	names := []string{calledName(call)}
	if f := callee(s.info, call); f != nil {
		if f.Pkg() != nil {
			names = append(names, f.Pkg().Name())
		}
		if recv := f.Signature().Recv(); recv != nil {
			if n := named(recv.Type()); n != nil {
				names = append(names, n.Obj().Name())
			}
		}
	}
	for _, name := range names {
		name = strings.ToLower(name)
		if strings.Contains(name, "retry") || strings.Contains(name, "retrier") || strings.Contains(name, "backoff") || strings.HasPrefix(name, "polluntil") {
			return true
		}
	}
	return false
}

// calledName is the name of what is called.
func calledName(call *ast.CallExpr) string {
	fun := ast.Unparen(call.Fun)
	switch x := fun.(type) {
	case *ast.IndexExpr:
		fun = x.X
	case *ast.IndexListExpr:
		fun = x.X
	}
	switch x := fun.(type) {
	case *ast.Ident:
		return x.Name
	case *ast.SelectorExpr:
		return x.Sel.Name
	}
	return ""
}

// always reports whether at runs whenever the body does: no if, case or loop lies between them.
func (s *site) always(at ast.Node, body *ast.BlockStmt) bool {
	c, ok := s.root.FindNode(at)
	if !ok {
		return false
	}
	for c = c.Parent(); c.Node() != nil && c.Node() != ast.Node(body); c = c.Parent() {
		switch c.Node().(type) {
		case *ast.IfStmt:
			if !withinInit(c.Node().(*ast.IfStmt), at.Pos()) {
				return false
			}
		case *ast.CaseClause, *ast.CommClause, *ast.ForStmt, *ast.RangeStmt:
			return false
		}
	}
	return true
}

func withinInit(n *ast.IfStmt, pos token.Pos) bool { return n.Init != nil && within(pos, n.Init) }
