package templates

import "strings"

// This file takes the text that jennifer writes apart, for tidy.go.

// tokenKind is a kind of token.
type tokenKind uint8

const (
	kindEnd tokenKind = iota
	kindComment
	kindName
	kindKeyword
	kindNumber
	kindText
	kindOperator
)

// token is one token.
type token struct {
	text  string
	at    int32
	kind  tokenKind
	lines uint8 // how many line ends stand before it, as far as that matters
}

func (t token) is(k tokenKind) bool { return t.kind == k }

// op tells whether t is the operator.
func (t token) op(s string) bool { return t.kind == kindOperator && t.text == s }

// word tells whether t is the keyword.
func (t token) word(s string) bool { return t.kind == kindKeyword && t.text == s }

// lexer reads tokens.
type lexer struct {
	src string
	at  int
}

// next is the next token. It says no of what the shapes do not write.
func (l *lexer) next() (t token, ok bool) {
	for l.at < len(l.src) {
		switch l.src[l.at] {
		case '\n':
			t.lines = min(t.lines+1, 9)
		case ' ', '\t':
		default:
			t.at = int32(l.at)
			ok = l.scan(&t)
			t.text = l.src[t.at:l.at]
			return t, ok
		}
		l.at++
	}
	return t, true
}

// scan goes to the end of a token.
func (l *lexer) scan(t *token) bool {
	rest := l.src[l.at:]
	switch c := rest[0]; {
	case asciiLetter(c):
		n := 1
		for n < len(rest) && (asciiLetter(rest[n]) || asciiDigit(rest[n])) {
			n++
		}
		l.at += n
		if t.kind = kindName; keywords[rest[:n]] {
			t.kind = kindKeyword
		}
		return n == len(rest) || rest[n] < 0x80
	case asciiDigit(c):
		t.kind = kindNumber
		n := 1
		for n < len(rest) && (asciiDigit(rest[n]) || rest[n] == '.') {
			n++
		}
		l.at += n
		return (c != '0' || n == 1) && (n == len(rest) || !asciiLetter(rest[n]))
	case c == '"' || c == '`' || c == '\'':
		t.kind = kindText
		return l.quoted(rest, c)
	case strings.HasPrefix(rest, "//"):
		t.kind = kindComment
		n := strings.IndexByte(rest, '\n')
		if n < 0 {
			n = len(rest)
		}
		l.at += n
		return true
	}
	t.kind = kindOperator
	for _, op := range operators {
		if strings.HasPrefix(rest, op) {
			l.at += len(op)
			return true
		}
	}
	l.at++ // the tidier does not know it
	return rest[0] < 0x80 && !strings.HasPrefix(rest, "/*")
}

// quoted goes to the end of a string.
func (l *lexer) quoted(rest string, quote byte) bool {
	for n := 1; n < len(rest); n++ {
		switch {
		case rest[n] == '\n' || rest[n] == '\r':
			return false
		case rest[n] == '\\' && quote != '`':
			n++
		case rest[n] == quote:
			l.at += n + 1
			return true
		}
	}
	return false
}

// operators are those the shapes consist of, the longer first.
var operators = []string{"...", ":=", "==", "!=", "&&", "||", "(", ")", "[", "]", "{", "}", ",", ";", ".", ":", "=", "*", "&", "!", "~"}

var keywords = func() map[string]bool {
	m := map[string]bool{}
	for _, k := range strings.Fields("break case chan const continue default defer else fallthrough for func go goto if import interface map package range return select struct switch type var") {
		m[k] = true
	}
	return m
}()

func asciiLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' || c == '_' }
func asciiDigit(c byte) bool  { return '0' <= c && c <= '9' }
