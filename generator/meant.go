package generator

import (
	"go/ast"
	"slices"
)

// This file remembers what a refused annotation was meant for, because one mistake is told once: a method whose key is misspelt is not also
// one without a key, and what stands inside an interface whose //idem:wrap is misplaced is not also unused.

// meant holds the words of the language that were meant for something and refused; "" is one that nobody can guess.
type meant map[string]bool

// any tells whether one of the words was meant, or one that nobody can guess.
func (m meant) any(words ...string) bool {
	for _, w := range append(words, "") {
		if m[w] {
			return true
		}
	}
	return false
}

// excuse notes that the word was meant by c, and refused.
func (a *attacher) excuse(group *ast.CommentGroup, c *ast.Comment, word string, alone bool) {
	node := a.subject(group, c, alone)
	if node == nil {
		return
	}
	for _, d := range a.file.decls {
		if d.node == node {
			d.meant = d.meant.with(word)
		}
		if within := node.Pos() <= d.node.Pos() && d.node.End() <= node.End(); within && (word == "wrap" || word == "") {
			d.refused = true
		}
		for _, m := range d.methods {
			if m.field == node {
				m.meant = m.meant.with(word)
			}
		}
		if field, ok := node.(*ast.Field); ok && slices.Contains(d.embeds, field.Type) && (word == "key" || word == "skip") {
			d.excused = append(d.excused, a.p.position(field.Type.Pos()))
		}
	}
}

func (m meant) with(word string) meant {
	if m == nil {
		m = meant{}
	}
	m[word] = true
	return m
}

// subject is what c speaks of: the declaration or field that it documents, else the one on its line, else the next one.
func (a *attacher) subject(group *ast.CommentGroup, c *ast.Comment, alone bool) (found ast.Node) {
	line := a.p.position(c.Slash).Line
	documented := false
	ast.Inspect(a.file.tree, func(n ast.Node) bool {
		doc, ok := docOf(n)
		switch {
		case !ok || documented:
		case doc == group:
			found, documented = n, true
		case alone && n.Pos() > c.End() && (found == nil || n.Pos() < found.Pos()):
			found = n
		case !alone && found == nil && n.Pos() < c.Slash && (a.p.position(n.Pos()).Line == line || a.p.position(n.End()).Line == line):
			found = n
		}
		return true
	})
	if d, ok := found.(*ast.GenDecl); ok && !d.Lparen.IsValid() {
		return d.Specs[0]
	}
	return found
}

// docOf is the doc comment of what can have one.
func docOf(n ast.Node) (*ast.CommentGroup, bool) {
	switch n := n.(type) {
	case *ast.GenDecl:
		return n.Doc, true
	case *ast.FuncDecl:
		return n.Doc, true
	case *ast.ImportSpec:
		return n.Doc, true
	case *ast.ValueSpec:
		return n.Doc, true
	case *ast.TypeSpec:
		return n.Doc, true
	case *ast.Field:
		return n.Doc, true
	default:
		return nil, false
	}
}
