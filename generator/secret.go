package generator

import (
	"go/ast"
	"go/token"
	"go/types"
	"reflect"

	"github.com/idemgen/idemgen/idem/shape"
	"github.com/idemgen/idemgen/internal/gotypes"
)

// This file is about fields with the tag idem:"secret". They may be compared, with a key, and stored; but keys are plain columns that
// everybody reads, so nothing secret may become one.

// secretRead is the first part of the expression that reads a marked field; empty: none does. Where the expression hands a whole value to
// a function, that may read what it likes: this is how a hash of a secret becomes a key.
func (c *checkedExpr) secretRead() (text string) {
	ast.Inspect(c.x, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if ok && text == "" && readsSecret(c.info.Selections[sel]) {
			s := c.span(sel)
			text = c.part.text[s.Start:s.End]
		}
		return text == ""
	})
	return text
}

// readsSecret tells whether one of the fields on the way is marked.
func readsSecret(s *types.Selection) bool {
	if s == nil || s.Kind() == types.MethodExpr {
		return false
	}
	t, index := s.Recv(), s.Index()
	if s.Kind() != types.FieldVal {
		index = index[:len(index)-1] // the method's
	}
	for _, i := range index {
		if p, ok := t.Underlying().(*types.Pointer); ok {
			t = p.Elem()
		}
		fields, ok := t.Underlying().(*types.Struct)
		if !ok {
			return false
		}
		if (shape.Field{Tag: reflect.StructTag(fields.Tag(i))}).Mark() == shape.MarkSecret {
			return true
		}
		t = fields.Field(i).Type()
	}
	return false
}

// marked lists the fields in values of t with a tag idem: those marked as secret, and those whose tag says something unknown. Nearly all types
// have none, and that is found out once for all that use them.
func (c *checker) marked(t types.Type) (secret, unknown []shape.Problem) {
	if c.tagless.all(t) {
		return nil, nil
	}
	return shape.Marked(gotypes.Of(t, c.made.Source))
}

// keysAreOpen wants keys and scopes that may be shown.
func (c *checker) keysAreOpen(w *wrapper, m *method) {
	exprs := m.Keys
	if m.Scope != nil {
		exprs = append(exprs[:len(exprs):len(exprs)], m.Scope)
	}
	for i, x := range exprs {
		what := map[bool]string{true: "key", false: "scope"}[i < len(m.Keys)]
		secret := x.Secret
		if marked, _ := c.marked(x.Type); secret == "" && len(marked) > 0 {
			secret = marked[0].Path
		}
		if secret != "" {
			c.errorf(x.Pos, codeSecretKey, "the %s of `%s` reads `%s`, which is marked as secret, and keys and scopes are stored as they are and shown; "+
				"name something else, or a function of yours that takes the whole value and hashes it", what, w.method(m), secret)
		}
	}
}

// tagsAreKnown wants no tag idem that says something else: a typing error would leave a secret unprotected.
func (c *checker) tagsAreKnown(w *wrapper, m *method) {
	check := func(t types.Type, at token.Position) {
		_, unknown := c.marked(t)
		for _, p := range unknown {
			place, own := c.fieldPlace(newProblem(p, Error, codeSecretTag))
			if !own {
				place = at
			}
			c.errorf(place, codeSecretTag, "the tag `idem` of `%s` says something that idemgen does not know; write `idem:\"secret\"`", p.Path)
		}
	}
	for _, a := range m.Fingerprint {
		if a.Param >= 0 {
			check(m.Sig.Params().At(a.Param).Type(), m.Params[a.Param])
		} else {
			check(a.Expr.Type, a.Expr.Pos)
		}
	}
	for i, t := range m.Results {
		check(t, m.Returns[i])
	}
	for _, rule := range m.Errors {
		if rule.storedAsJSON() {
			check(rule.Type, rule.Pos)
		}
	}
}

// secretsAreNoted says what a method with secrets needs.
func (c *checker) secretsAreNoted(w *wrapper, m *method) {
	for _, a := range m.Fingerprint {
		if secret := c.secretIn(m, a); secret != "" {
			c.report.notef("the fingerprint of %s holds a secret, %s: its engine needs idem.WithFingerprintKey, else each call fails with idem.ErrNoFingerprintKey", w.method(m), secret)
			break
		}
	}
	for _, t := range m.Results {
		if marked, _ := c.marked(t); len(marked) > 0 {
			c.report.notef("the result of %s holds a secret, %s: a replay needs it, so the row holds it as it is", w.method(m), marked[0].Path)
			break
		}
	}
	for _, rule := range m.Errors {
		if !rule.storedAsJSON() {
			continue
		}
		if marked, _ := c.marked(rule.Type); len(marked) > 0 {
			c.report.notef("the final error %s holds a secret, %s: a replay needs it, so the row holds it as it is", rule.Text, marked[0].Path)
		}
	}
}

// secretIn is a secret among what a duplicate must agree on.
func (c *checker) secretIn(m *method, a fingerprintArg) string {
	t := types.Type(nil)
	switch {
	case a.Param >= 0:
		t = m.Sig.Params().At(a.Param).Type()
	case a.Expr.Secret != "":
		return a.Expr.Secret
	default:
		t = a.Expr.Type
	}
	if marked, _ := c.marked(t); len(marked) > 0 {
		return marked[0].Path
	}
	return ""
}
