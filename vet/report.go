package vet

import (
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/inspector"
)

// This file reports findings, but for those that the source says are meant:
//
//	//lint:ignore IDEM091 every row of this import is a request of its own
//
// on the line of the finding or its statement, or on the line above; or, for a whole file, //lint:file-ignore. These are staticcheck's
// comments. A reason is demanded.

type reporter struct {
	pass    *analysis.Pass
	ignored []ignore
}

// ignore is one such comment.
type ignore struct {
	codes  []string
	reason bool
	file   string
	line   int // 0: the whole file
}

var directive = regexp.MustCompile(`^//lint:(file-)?ignore[ \t]+([^ \t]+)(.*)`)

func readIgnores(pass *analysis.Pass) []ignore {
	var found []ignore
	for _, f := range pass.Files {
		for _, group := range f.Comments {
			for _, c := range group.List {
				m := directive.FindStringSubmatch(strings.TrimRight(c.Text, "\r"))
				if m == nil {
					continue
				}
				pos := pass.Fset.Position(c.Pos())
				i := ignore{codes: strings.Split(m[2], ","), reason: strings.TrimSpace(m[3]) != "", file: pos.Filename, line: pos.Line}
				if m[1] != "" {
					i.line = 0
				}
				found = append(found, i)
			}
		}
	}
	return found
}

// report makes a finding about n, in the statement around cur.
func (r *reporter) report(cur inspector.Cursor, pos, end token.Pos, code, text string, fixes ...analysis.SuggestedFix) {
	lines := []int{r.pass.Fset.Position(pos).Line}
	for c := range cur.Enclosing() {
		_, isStmt := c.Node().(ast.Stmt)
		_, isSpec := c.Node().(ast.Spec)
		if isStmt || isSpec {
			lines = append(lines, r.pass.Fset.Position(c.Node().Pos()).Line)
			break
		}
	}
	file := r.pass.Fset.Position(pos).Filename
	for _, i := range r.ignored {
		near := i.line == 0 || slices.ContainsFunc(lines, func(l int) bool { return l == i.line || l == i.line+1 })
		if !near || i.file != file || !slices.Contains(i.codes, code) {
			continue
		}
		if i.reason {
			return
		}
		text += " (the comment that ignores this needs a reason)"
		break
	}
	r.pass.Report(analysis.Diagnostic{
		Pos: pos, End: end, Category: code, Message: text + " [" + code + "]", SuggestedFixes: fixes,
		URL: "https://github.com/idemgen/idemgen/blob/main/docs/vet.md#" + strings.ToLower(code),
	})
}

// short is a type as the package itself would write it.
func (s *site) short(t types.Type) string {
	return types.TypeString(t, func(p *types.Package) string {
		if p == s.pkg {
			return ""
		}
		return p.Name()
	})
}

// names are how a message calls the wrapped interface and its wrapper in this package.
func (s *site) names(w *wrapper) (iface, wrapped string) {
	local := func(full string) string {
		i := strings.LastIndexByte(full, '.')
		if full[:max(i, 0)] == path(s.pkg) {
			return full[i+1:]
		}
		return full[strings.LastIndexByte(full, '/')+1:]
	}
	if w.Interface == "" {
		return local(w.Type), local(w.Type)
	}
	return local(w.Interface), local(w.Type)
}

// text is how the source writes e.
func (s *site) text(e ast.Expr) string { return types.ExprString(e) }
