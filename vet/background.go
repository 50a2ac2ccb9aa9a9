package vet

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
)

// This file is about wrapped calls that are given context.Background() or context.TODO() (IDEM092): their caller's deadline and
// cancellation never reach the method, and a duplicate waits for it as long as the policy lets it.

// cutOff reports a context that comes from nowhere. One with a deadline or a cancel function of its own is no such context, and neither is
// context.WithoutCancel: somebody has thought about it.
func (s *site) cutOff(r *reporter, u *use) {
	arg := u.arg(s, u.method.Context)
	if arg == nil {
		return
	}
	roots := s.roots(arg)
	if len(roots) == 0 {
		return
	}
	fn, handed := s.handed(u)
	if fn == nil || handed == "" && s.pkg.Name() == "main" || s.isEntry(fn) {
		return // where a program or a package starts there is no caller
	}
	name := callee(s.info, roots[0]).Name()
	iface, _ := s.names(u.wrapper)
	text := "context." + name + "() is handed to " + iface + "." + u.method.ID + ", so its caller's deadline and cancellation never reach it; "
	var fixes []analysis.SuggestedFix
	if handed == "" {
		text += "take a context.Context parameter and hand that on"
	} else {
		text += "hand on " + handed
		if root := roots[0]; within(root.Pos(), arg) {
			fixes = append(fixes, analysis.SuggestedFix{
				Message:   "Hand on " + handed,
				TextEdits: []analysis.TextEdit{{Pos: root.Pos(), End: root.End(), NewText: []byte(handed)}},
			})
		}
	}
	r.report(u.cur, arg.Pos(), arg.End(), codeCutOff, text, fixes...)
}

// roots are the calls of context.Background and context.TODO that the context comes from, none if it may come from elsewhere.
func (s *site) roots(e ast.Expr) []*ast.CallExpr {
	var roots []*ast.CallExpr
	seen := map[*ast.CallExpr]bool{}
	var look func(e ast.Expr) bool
	look = func(e ast.Expr) bool {
		for _, o := range s.origins(e, s.makesContext) {
			if !o.known {
				return false
			}
			call := o.expr.(*ast.CallExpr)
			if seen[call] {
				continue
			}
			seen[call] = true
			if isRoot(callee(s.info, call)) {
				roots = append(roots, call)
			} else if !look(call.Args[0]) {
				return false
			}
		}
		return true
	}
	if !look(e) {
		return nil
	}
	return roots
}

func isRoot(f *types.Func) bool {
	return isFunc(f, "context", "Background") || isFunc(f, "context", "TODO")
}

// makesContext reports whether e makes a context from nothing, or adds no more than values to one.
func (s *site) makesContext(e ast.Expr) bool {
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return false
	}
	f := callee(s.info, call)
	return isRoot(f) || (isFunc(f, "context", "WithValue") || isFunc(f, runtimePath, "WithKey") || isFunc(f, runtimePath, "WithInfo")) && len(call.Args) > 0
}

// handed is the declared function around a use, and how the context is written that it, or a function literal on the way, was given.
func (s *site) handed(u *use) (fn *ast.FuncDecl, text string) {
	for c := range u.cur.Enclosing((*ast.FuncDecl)(nil), (*ast.FuncLit)(nil)) {
		var t *ast.FuncType
		switch n := c.Node().(type) {
		case *ast.FuncDecl:
			fn, t = n, n.Type
		case *ast.FuncLit:
			t = n.Type
		}
		if text == "" {
			text = s.contextParam(t, u.cur.Node().Pos())
		}
	}
	return fn, text
}

// contextParam is a parameter that is a context or has one, and is not hidden at pos.
func (s *site) contextParam(t *ast.FuncType, pos token.Pos) string {
	for _, o := range parameters(s.info, t) {
		if o == nil || o.Name() == "_" {
			continue
		}
		if _, visible := s.pkg.Scope().Innermost(pos).LookupParent(o.Name(), pos); visible != o {
			continue
		}
		switch {
		case isContext(o.Type()):
			return o.Name()
		case givesContext(o.Type()):
			return o.Name() + ".Context()"
		}
	}
	return ""
}

// isEntry reports whether nothing calls fn that could give it a context.
func (s *site) isEntry(fn *ast.FuncDecl) bool {
	return fn.Recv == nil && (fn.Name.Name == "init" || fn.Name.Name == "main" && s.pkg.Name() == "main") &&
		!slices.ContainsFunc(parameters(s.info, fn.Type), func(o types.Object) bool { return o != nil })
}

// isContext reports whether t can be used as a context.Context.
func isContext(t types.Type) bool {
	for _, name := range []string{"Deadline", "Done", "Err", "Value"} {
		if !hasMethod(t, name) {
			return false
		}
	}
	return true
}

// givesContext reports whether t has a method Context that returns one, as requests and commands of command-line libraries do.
func givesContext(t types.Type) bool {
	o, _, _ := types.LookupFieldOrMethod(t, true, nil, "Context")
	f, ok := o.(*types.Func)
	if !ok || f.Signature().Params().Len() > 0 || f.Signature().Results().Len() != 1 {
		return false
	}
	n := named(f.Signature().Results().At(0).Type())
	return n != nil && qualified(n.Obj()) == "context.Context"
}
