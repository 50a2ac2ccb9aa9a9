package vet

import "go/ast"

// This file is about keyed methods that are called past their wrapper (IDEM090).

// bypass reports a keyed method of an implementation, called or taken as a value outside of the methods of implementations.
func (s *site) bypass(r *reporter, u *use) {
	for c := range u.cur.Enclosing((*ast.FuncDecl)(nil)) {
		d := c.Node().(*ast.FuncDecl)
		if d.Recv == nil || len(d.Recv.List) == 0 {
			continue
		}
		if n := named(s.info.TypeOf(d.Recv.List[0].Type)); n != nil && has(n, u.wrapper) {
			return
		}
	}
	iface, wrapped := s.names(u.wrapper)
	verb := "is called on"
	if u.call == nil {
		verb = "is taken from"
	}
	s.reportUse(r, u, codeBypass, iface+"."+u.method.ID+" "+verb+" "+s.short(u.raw)+", past its wrapper, so nothing keeps it from "+
		"running twice; use a *"+wrapped+" made of it")
}

func (s *site) reportUse(r *reporter, u *use, code, text string) {
	pos := u.pos()
	end := u.sel.Sel.End()
	if u.cur.Node() != ast.Node(u.sel) {
		end = u.call.Fun.End()
	}
	r.report(u.cur, pos, max(end, pos), code, text)
}
