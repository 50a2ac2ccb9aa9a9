package lock

import (
	"go/scanner"
	"go/token"
	"strings"
)

// This file is how expressions stand in the file: their tokens, with a blank only where two words would grow together, and a $ in front of
// parameters, so that they can be told from everything else.

// Expression is a Go expression in that form. Replace gives the text of what must not depend on the names around it: "$" and the name
// for a parameter, a package's quoted path for its name; at is the place of the identifier in text.
func Expression(text string, replace func(at int) (string, bool)) string {
	return tokens(text, func(at int, name string) string {
		if other, ok := replace(at); ok {
			return other
		}
		return name
	})
}

// rename gives parameters other names in a part of a key: an expression and, behind a blank, its kind.
func rename(part string, names map[string]string) string {
	if len(names) == 0 {
		return part
	}
	blank := strings.LastIndexByte(part, ' ')
	if blank < 0 {
		blank = len(part)
	}
	expression := part[:blank]
	return tokens(expression, func(at int, name string) string {
		if other, ok := names[name]; ok && at > 0 && expression[at-1] == '$' {
			return other
		}
		return name
	}) + part[blank:]
}

// tokens puts the tokens of text in a row.
func tokens(text string, ident func(at int, name string) string) string {
	var s scanner.Scanner
	file := token.NewFileSet().AddFile("", -1, len(text))
	s.Init(file, []byte(text), func(token.Position, string) {}, 0)
	var b strings.Builder
	word := false
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF || tok == token.SEMICOLON && lit == "\n" {
			return b.String()
		}
		at := file.Offset(pos)
		out := lit
		isWord := tok.IsLiteral() || tok.IsKeyword()
		switch {
		case tok == token.IDENT:
			out = ident(at, lit)
		case lit == "" || tok.IsOperator():
			out = tok.String()
		}
		if word && isWord {
			b.WriteByte(' ')
		}
		b.WriteString(out)
		word = isWord
	}
}
