package templates

import (
	"bytes"
	"strings"
)

// This file has parts of tidier.go: literals, and the bodies of functions.

// longestLine is how long a function may be that stands on one line, and longestKey a key whose value is aligned whatever keys are beside it.
const (
	longestLine = 100
	longestKey  = 40
)

// literal is a composite literal from its brace on.
func (p *tidier) literal() {
	if p.after(1).lines == 0 {
		p.list("{", "}", func() {
			if p.peek().is(kindName) && p.after(1).op(":") {
				p.ident()
				p.expect(":")
				p.write(" ")
			}
			p.element()
		})
		return
	}
	p.expect("{")
	p.indent++
	from := len(p.out)
	var pairs []pair
	keyed := p.after(1).op(":")
	for p.another("}") {
		if !keyed {
			p.element()
			p.expect(",")
			continue
		}
		if !p.peek().is(kindName) {
			p.fail()
			return
		}
		key := len(p.peek().text)
		p.ident()
		p.expect(":")
		colon := len(p.out)
		p.element()
		pairs = append(pairs, pair{colon, key, bytes.IndexByte(p.out[colon:], '\n') < 0})
		p.expect(",")
		if key > longestKey {
			p.fail()
		}
	}
	if !p.failed {
		p.alignPairs(from, pairs)
	}
	p.closing("}")
}

// element is a literal's element, or the value of one. Sums may stand there, and one product, as in 5 * time.Second: around them are
// blanks only because nothing else is beside them.
func (p *tidier) element() {
	from := p.i
	p.operand()
	switch t := p.peek(); {
	case !p.here():
	case t.op("+"):
		for p.peek().op("+") && p.here() {
			p.i++
			p.write(" + ")
			p.operand()
		}
	case t.op("*"):
		if p.i != from+1 || !p.tokens[from].is(kindNumber) || !p.after(1).is(kindName) || !p.after(2).op(".") {
			p.fail()
		}
		p.i++
		p.write(" * ")
		p.operand()
	default:
		p.operators()
	}
}

// pair is a key with its value.
type pair struct {
	colon int // where in the output the key has ended
	key   int // its length
	short bool
}

// alignPairs puts blanks behind the keys, so that values of one line that follow each other stand in a column.
func (p *tidier) alignPairs(from int, pairs []pair) {
	text := string(p.out[from:])
	p.out = p.out[:from]
	for i := 0; i < len(pairs); {
		to, width := i, 0
		for to < len(pairs) && pairs[to].short {
			width = max(width, pairs[to].key)
			to++
		}
		if to == i {
			width, to = pairs[i].key, i+1
		}
		for ; i < to; i++ {
			p.write(text[:pairs[i].colon-from])
			p.write(strings.Repeat(" ", width-pairs[i].key+1))
			text, from = text[pairs[i].colon-from:], pairs[i].colon
		}
	}
	p.write(text)
}

// body is that of a function whose header has so many characters. One that stands on one line stays there if it is short.
func (p *tidier) body(header int) {
	if !p.peek().op("{") || !p.here() {
		p.fail()
		return
	}
	if first := p.after(1); first.lines == 0 {
		before := *p
		p.single = true
		if size := p.line(); !p.failed && header+size <= longestLine {
			p.single = before.single
			return
		}
		p.i, p.out, p.indent, p.failed, p.start, p.single, p.header = before.i, p.out[:len(before.out)], before.indent, false, before.start, before.single, before.header
	}
	p.write(" ")
	p.block()
}

// line is a body on one line. It says how much of it gofmt counts.
func (p *tidier) line() (size int) {
	p.i++
	if p.peek().op("}") {
		p.i++
		p.write(" {}")
		return 0
	}
	p.write(" { ")
	from := len(p.out)
	for n := 1; !p.failed; n++ {
		if p.statement(); n > 5 {
			p.fail()
		}
		if !p.peek().op(";") {
			break
		}
		p.expect(";")
		p.write(" ")
	}
	size = len(p.out) - from
	p.write(" ")
	p.expect("}")
	return size
}

// block is statements on lines of their own.
func (p *tidier) block() {
	if t := p.take(); !t.op("{") {
		p.fail()
	}
	p.write("{")
	p.indent++
	inLine := p.peek().lines == 0
	for first := true; !p.failed && !p.peek().op("}"); first = false {
		switch t := p.peek(); {
		case t.lines > 1 && first, t.lines > 2, t.lines == 0 && !inLine, t.lines > 0 && inLine:
			p.fail()
			return
		case t.lines == 2:
			p.write("\n")
		}
		p.newline()
		p.start = p.i
		if p.peek().is(kindComment) {
			p.write(strings.TrimRight(p.take().text, " \t\r"))
			if p.peek().op("}") {
				p.fail()
			}
			continue
		}
		p.statement()
		if inLine && p.peek().op(";") {
			p.i++
		}
	}
	if t := p.skip(); !t.op("}") || t.lines > 1 || (t.lines == 0) != inLine {
		p.fail()
	}
	p.indent--
	p.newline()
	p.write("}")
}

// statement is one of those that the shapes write.
func (p *tidier) statement() {
	switch t := p.peek(); {
	case t.word("return"):
		p.i++
		p.write("return")
		if next := p.peek(); p.here() && !next.op("}") && !next.op(";") {
			p.write(" ")
			p.exprs()
		}
	case t.word("var"):
		p.value()
	case t.word("if"):
		p.i++
		p.write("if ")
		p.header = true
		if p.peek().op("(") {
			p.fail()
		}
		p.simple()
		if p.accept(";") {
			p.write(" ")
			p.simple()
		}
		p.header = false
		p.write(" ")
		p.block()
		if p.peek().word("else") {
			p.fail()
		}
	default:
		p.simple()
	}
}

// simple is an expression or an assignment.
func (p *tidier) simple() {
	p.exprs()
	if t := p.peek(); (t.op("=") || t.op(":=")) && p.here() {
		p.i++
		p.write(" " + t.text + " ")
		p.exprs()
	}
}
