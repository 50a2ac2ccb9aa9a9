package templates

import "strings"

// This file lays out one declaration as gofmt does, of those forms that the shapes mostly write. It gives up on all others, and wherever what
// gofmt would do depends on more than it looks at. Its parts for types, expressions and statements are in tidyparts.go.

// tidier reads tokens and writes text.
type tidier struct {
	tokens []token
	i      int
	out    []byte
	indent int
	failed bool
	start  int  // the token that begins a line, and whose line end has been written
	single bool // what is being written must stay on one line
	header bool // a brace begins a block
}

// tidy lays a chunk out; no: it is not one of those forms.
func (c chunk) tidy(src string) (text []byte, ok bool) {
	p := &tidier{tokens: c.tokens, out: make([]byte, 0, 512)}
	for p.peek().is(kindComment) {
		p.i++
	}
	lines := c.tokens[:p.i]
	if !c.floating() && !plainDoc(lines) {
		return nil, false
	}
	for i, t := range lines {
		if i > 0 {
			p.newline()
			if t.lines != 1 {
				return nil, false
			}
		}
		p.write(strings.TrimRight(t.text, " \t\r"))
	}
	if c.floating() {
		return p.out, true
	}
	if len(lines) > 0 {
		if p.peek().lines != 1 {
			return nil, false
		}
		p.newline()
	}
	p.start = p.i
	switch p.take().text {
	case "package":
		p.write("package ")
		p.ident()
		p.failed = p.failed || len(lines) > 0
	case "const", "var":
		p.i--
		p.value()
	case "type":
		p.structure()
	case "func":
		p.function()
	case "import":
		p.imports()
	default:
		return nil, false
	}
	return p.out, !p.failed && p.i == len(p.tokens)
}

// peek is the next token.
func (p *tidier) peek() token {
	if p.i < len(p.tokens) {
		return p.tokens[p.i]
	}
	return token{}
}

// take is the next token, which has to be on this line.
func (p *tidier) take() token {
	if !p.here() {
		p.fail()
	}
	return p.skip()
}

// skip is the next token, wherever it is.
func (p *tidier) skip() token {
	t := p.peek()
	p.i++
	return t
}

func (p *tidier) write(s string) { p.out = append(p.out, s...) }

func (p *tidier) newline() {
	if p.single {
		p.failed = true
	}
	p.write("\n")
	for range p.indent {
		p.write("\t")
	}
}

// fail gives up.
func (p *tidier) fail() {
	p.failed = true
	p.i = len(p.tokens)
}

// here tells whether the next token is on this line.
func (p *tidier) here() bool { return p.peek().lines == 0 || p.i == p.start }

// after is the token n behind the next one.
func (p *tidier) after(n int) token {
	if p.i+n < len(p.tokens) {
		return p.tokens[p.i+n]
	}
	return token{}
}

// accept writes the operator, if it stands next on this line.
func (p *tidier) accept(s string) bool {
	if !p.peek().op(s) || !p.here() {
		return false
	}
	p.i++
	p.write(s)
	return true
}

func (p *tidier) expect(s string) {
	if !p.accept(s) {
		p.fail()
	}
}

func (p *tidier) ident() {
	t := p.take()
	if !t.is(kindName) {
		p.fail()
		return
	}
	p.write(t.text)
}

// imports is an import, or a group of them, which have to be sorted already.
func (p *tidier) imports() {
	p.write("import ")
	if !p.peek().op("(") {
		p.importSpec()
		return
	}
	p.expect("(")
	p.indent++
	before := ""
	for first := true; !p.failed && !p.peek().op(")"); first = false {
		switch t := p.peek(); {
		case t.lines == 0, t.lines > 1 && first:
			p.fail()
			return
		case t.lines > 1:
			p.write("\n")
			before = ""
		}
		p.newline()
		p.start = p.i
		path := p.importSpec()
		if path <= before {
			p.fail()
		}
		before = path
	}
	p.closing(")")
}

// importSpec is one import. It gives the path.
func (p *tidier) importSpec() string {
	if p.peek().is(kindName) || p.peek().op(".") {
		p.write(p.take().text + " ")
	}
	t := p.take()
	if !t.is(kindText) || t.text[0] != '"' || strings.Contains(t.text, `\\`) {
		p.fail()
	}
	p.write(t.text)
	return strings.Trim(t.text, `"`)
}

// value is a constant or variable with its value: var x T = y.
func (p *tidier) value() {
	p.write(p.take().text + " ")
	p.ident()
	if t := p.peek(); !t.op("=") && p.here() && !t.is(kindEnd) {
		p.write(" ")
		p.typ()
	}
	if p.peek().op("=") && p.here() {
		p.i++
		p.write(" = ")
		p.expr()
	}
}

// structure is the declaration of a struct.
func (p *tidier) structure() {
	p.write("type ")
	p.ident()
	p.typeParams()
	if !p.take().word("struct") || !p.take().op("{") {
		p.fail()
		return
	}
	if p.peek().op("}") {
		p.take()
		p.write(" struct{}")
		return
	}
	p.write(" struct {")
	p.indent++
	var rows [][]string
	for !p.failed && !p.peek().op("}") {
		if p.peek().lines != 1 {
			p.fail()
			return
		}
		p.start = p.i
		rows = append(rows, p.structField())
	}
	alignFields(rows)
	for _, cells := range rows {
		p.newline()
		for _, c := range cells {
			p.write(c)
		}
	}
	p.closing("}")
}

// structField is the field's name, type and tag.
func (p *tidier) structField() (cells []string) {
	cell := func(f func()) {
		from := len(p.out)
		f()
		cells = append(cells, string(p.out[from:]))
		p.out = p.out[:from]
	}
	if next := p.after(1); next.lines > 0 || next.op(".") || p.peek().op("*") { // embedded
		cell(p.typ)
		return cells
	}
	cell(func() {
		p.ident()
		for p.accept(",") {
			p.write(" ")
			p.ident()
		}
	})
	cell(p.typ)
	if p.peek().is(kindText) && p.peek().lines == 0 {
		cell(func() { p.write(p.take().text) })
	}
	return cells
}

// alignFields makes columns of the cells: of names that follow each other, and of types with tags behind them. A single field has none.
func alignFields(rows [][]string) {
	for column := range 2 {
		for from := 0; from < len(rows); {
			to, width := from, 0
			for to < len(rows) && len(rows[to]) > column+1 {
				width = max(width, len(rows[to][column]))
				to++
			}
			for _, cells := range rows[from:to] {
				if len(rows) == 1 {
					width = len(cells[column])
				}
				cells[column] += strings.Repeat(" ", width+1-len(cells[column]))
			}
			from = max(to, from+1)
		}
	}
}

// function is a function or method.
func (p *tidier) function() {
	from := len(p.out)
	p.write("func ")
	if p.peek().op("(") {
		p.params()
		p.write(" ")
	}
	p.ident()
	p.typeParams()
	p.signature()
	p.body(len(p.out) - from + 1) // gofmt counts the blank behind func twice
}
