package templates

import (
	"bytes"
	"strings"
)

// This file lays a file out as gofmt does. The formatter of the standard library would take most of a run's time, because it parses, and measures
// every expression many times over. Here each declaration that consists of what the shapes mostly consist of is laid out by tidier.go;
// all others still go to that formatter, one by one. Tests hold the two to the same bytes.

// tidy is src as gofmt would have it.
func tidy(src []byte) ([]byte, error) {
	l := lexer{src: string(src)}
	chunks, ok := l.chunks()
	if !ok {
		return settle(src)
	}
	var out bytes.Buffer
	out.Grow(len(src) + len(src)/4)
	for i, c := range chunks {
		if i > 0 {
			before := chunks[i-1]
			switch {
			case before.floating() || c.floating():
				if c.tokens[0].lines < 2 {
					return settle(src) // a comment that clings to what it is not about
				}
				out.WriteString("\n\n")
			case c.kind != before.kind || c.documented() || c.tokens[0].lines > 1:
				out.WriteString("\n\n")
			case c.kind == "func":
				return settle(src) // short ones are lined up with each other
			default:
				out.WriteString("\n")
			}
		}
		text, ok := c.tidy(l.src)
		if !ok {
			var err error
			if text, err = c.settle(l.src); err != nil {
				return settle(src) // which says where
			}
		}
		out.Write(text)
	}
	out.WriteString("\n")
	return out.Bytes(), nil
}

// chunk is a declaration with its comment, a package clause, or a comment that stands alone.
type chunk struct {
	kind   string // the keyword; empty: only comments
	tokens []token
}

func (c chunk) floating() bool   { return c.kind == "" }
func (c chunk) documented() bool { return c.kind != "" && c.tokens[0].is(kindComment) }

// chunks splits the file. It says no where brackets do not match, and of what only a person would write.
func (l *lexer) chunks() (list []chunk, ok bool) {
	if len(l.src) > 1<<30 {
		return nil, false
	}
	all := make([]token, 0, len(l.src)/4)
	from := 0 // the chunk that is being read begins there
	var c chunk
	cut := func() {
		c.tokens = all[from:len(all):len(all)]
		list, c, from = append(list, c), chunk{}, len(all)
	}
	depth := 0
	for {
		t, ok := l.next()
		if !ok {
			return nil, false
		}
		if t.is(kindEnd) {
			ok := depth == 0 && len(all) > from
			cut()
			return list, ok
		}
		if len(all) > from && depth == 0 && t.lines > 0 {
			decl := t.is(kindKeyword) && declares[t.text]
			alone := c.kind == "" && t.lines > 1
			switch {
			case c.kind != "" && (decl || t.is(kindComment)), alone:
				cut()
			case !decl && !t.is(kindComment):
				return nil, false
			}
		}
		if depth == 0 && c.kind == "" && !t.is(kindComment) {
			if !t.is(kindKeyword) || !declares[t.text] {
				return nil, false
			}
			c.kind = t.text
		}
		switch t.text {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			depth--
		}
		all = append(all, t)
	}
}

var declares = map[string]bool{"package": true, "import": true, "const": true, "var": true, "type": true, "func": true}

// settle leaves a chunk to the formatter.
func (c chunk) settle(src string) ([]byte, error) {
	last := c.tokens[len(c.tokens)-1]
	text := src[c.tokens[0].at : int(last.at)+len(last.text)]
	const clause = "package p\n\n"
	if c.kind != "package" {
		text = clause + text
	}
	formatted, err := settle([]byte(text + "\n"))
	if err != nil {
		return nil, err
	}
	formatted = bytes.TrimRight(formatted, "\n")
	if c.kind != "package" {
		formatted = bytes.TrimPrefix(formatted, []byte(clause))
	}
	return formatted, nil
}

// plainDoc tells whether gofmt leaves the lines of a declaration's comment alone. It makes lists, headings, code and directives of others.
func plainDoc(lines []token) bool {
	for i, t := range lines {
		if i > 0 && t.lines != 1 {
			return false
		}
		text := strings.TrimRight(t.text, " ")
		if text == "//" {
			if i == 0 || i == len(lines)-1 || strings.TrimRight(lines[i-1].text, " ") == "//" {
				return false
			}
			continue
		}
		words, ok := strings.CutPrefix(text, "// ")
		if !ok || !asciiLetter(words[0]) && words[0] < 0x80 && !strings.ContainsRune("\"'`(", rune(words[0])) {
			return false
		}
		for _, special := range []string{"``", "''", "  ", "\t", "\r", "]: "} {
			if strings.Contains(words, special) {
				return false
			}
		}
		if 0 < i && i+1 < len(lines) && blank(lines[i-1]) && blank(lines[i+1]) && endsAsHeading(words) {
			return false
		}
	}
	return true
}

// blank tells whether a line of a comment has nothing in it.
func blank(t token) bool { return strings.TrimRight(t.text, " ") == "//" }

// endsAsHeading tells whether a paragraph of one line may be a heading of the kind that had no mark, which gofmt gives one: such a line
// ends in a letter or digit.
func endsAsHeading(words string) bool {
	c := words[len(words)-1]
	return asciiLetter(c) || '0' <= c && c <= '9' || c >= 0x80
}
