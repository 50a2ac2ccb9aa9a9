package templates

// This file has parts of tidier.go: types and expressions.

// typ is a type.
func (p *tidier) typ() {
	here := p.here()
	switch t := p.take(); {
	case !here:
		p.fail()
	case t.op("*"), t.op("..."):
		p.write(t.text)
		p.typ()
	case t.op("["):
		p.write("[")
		if p.peek().is(kindNumber) {
			p.write(p.take().text)
		}
		p.expect("]")
		p.typ()
	case t.word("map"):
		p.write("map")
		p.expect("[")
		p.typ()
		p.expect("]")
		p.typ()
	case t.word("func"):
		p.write("func")
		p.signature()
	case t.is(kindName):
		p.write(t.text)
		if p.accept(".") {
			p.ident()
		}
		if p.peek().op("[") {
			p.typeArgs()
		}
	default:
		p.fail()
	}
}

// typeArgs are those of an instance.
func (p *tidier) typeArgs() {
	p.expect("[")
	for !p.failed {
		p.typ()
		if !p.accept(",") {
			break
		}
		p.write(" ")
	}
	p.expect("]")
}

// typeParams are those of a declaration, where there are any.
func (p *tidier) typeParams() {
	if !p.peek().op("[") {
		return
	}
	p.expect("[")
	for !p.failed {
		p.ident()
		if !p.peek().op(",") {
			p.write(" ")
			p.accept("~")
			if p.peek().op("*") || p.peek().op("[") {
				p.fail()
			}
			p.typ()
		}
		if !p.accept(",") {
			break
		}
		p.write(" ")
	}
	p.expect("]")
}

// signature is what follows a function's name: parameters and results.
func (p *tidier) signature() {
	p.params()
	switch t := p.peek(); {
	case !p.here():
	case t.op("("):
		p.write(" ")
		if n, named := p.params(); n == 0 || n == 1 && !named {
			p.fail() // a single type has no brackets
		}
	case t.is(kindName), t.op("*"), t.op("["), t.word("map"), t.word("func"):
		p.write(" ")
		p.typ()
	}
}

// params is a list of parameters or results in brackets.
func (p *tidier) params() (n int, named bool) {
	p.list("(", ")", func() {
		n++
		next := p.after(1)
		instance := next.op("[") && !p.after(2).op("]") && !p.after(2).is(kindNumber)
		if p.peek().is(kindName) && !next.op(",") && !next.op(")") && !next.op(".") && !instance {
			named = true
			p.ident()
			p.write(" ")
		}
		p.typ()
	})
	return n, named
}

// list is what stands in brackets, on one line or each part on one of its own.
func (p *tidier) list(open, shut string, part func()) {
	p.expect(open)
	if p.here() {
		for !p.failed && !p.peek().op(shut) {
			part()
			if !p.accept(",") {
				break
			}
			if p.peek().op(shut) {
				p.fail()
			}
			p.write(" ")
		}
		p.expect(shut)
		return
	}
	p.indent++
	for p.another(shut) {
		part()
		p.expect(",")
	}
	p.closing(shut)
}

// another begins the line of a part, where there is one more.
func (p *tidier) another(shut string) bool {
	if p.failed || p.peek().op(shut) {
		return false
	}
	if p.peek().lines != 1 {
		p.fail()
		return false
	}
	p.newline()
	p.start = p.i
	return true
}

// closing ends what stands on lines of its own.
func (p *tidier) closing(shut string) {
	if t := p.skip(); t.lines != 1 || !t.op(shut) {
		p.fail()
	}
	p.indent--
	p.newline()
	p.write(shut)
}

// exprs is a list of expressions without brackets.
func (p *tidier) exprs() {
	p.expr()
	for p.accept(",") {
		p.write(" ")
		p.expr()
	}
}

// expr is an expression with the operators that bind so loosely that there is always a blank around them.
func (p *tidier) expr() {
	p.operand()
	p.operators()
}

// operators are what follows an expression's first operand.
func (p *tidier) operators() {
	for !p.failed && p.here() {
		t := p.peek()
		if !t.op("==") && !t.op("!=") && !t.op("&&") && !t.op("||") {
			return
		}
		p.i++
		p.write(" " + t.text + " ")
		p.operand()
	}
}

// operand is an expression without operators of two sides.
func (p *tidier) operand() {
	if !p.here() {
		p.fail()
	}
	switch t := p.take(); {
	case t.op("&"), t.op("*"), t.op("!"):
		p.write(t.text)
		p.operand()
		return
	case t.is(kindName), t.is(kindText), t.is(kindNumber):
		p.write(t.text)
	case t.op("("):
		if p.peek().op("(") || !p.here() {
			p.fail()
		}
		p.write("(")
		p.inside(p.expr)
		p.expect(")")
	case t.op("["), t.word("map"):
		p.i--
		p.typ()
		if !p.peek().op("{") && !p.peek().op("(") {
			p.fail()
		}
	case t.word("func"):
		from := len(p.out)
		p.write("func")
		p.signature()
		p.inside(func() { p.body(len(p.out) - from) })
	default:
		p.fail()
	}
	p.selectors()
}

// selectors are what follows an operand: .x, (x), [x], {x}.
func (p *tidier) selectors() {
	for !p.failed && p.here() {
		switch t := p.peek(); {
		case t.op("."):
			p.expect(".")
			if !p.peek().op("(") {
				p.ident()
				continue
			}
			p.expect("(")
			p.typ()
			p.expect(")")
		case t.op("("):
			p.inside(func() {
				p.list("(", ")", func() {
					p.expr()
					p.accept("...")
				})
			})
		case t.op("["):
			if p.after(1).lines > 0 {
				p.fail()
			}
			p.inside(func() { p.list("[", "]", p.index) })
		case t.op("{") && !p.header:
			p.literal()
		default:
			return
		}
	}
}

// index is an index, or a type argument.
func (p *tidier) index() {
	switch t := p.peek(); {
	case t.op("*"), t.op("["), t.word("map"), t.word("func"):
		p.typ()
	default:
		p.expr()
	}
}

// inside is what stands in brackets, where braces are literals again.
func (p *tidier) inside(f func()) {
	header := p.header
	p.header = false
	f()
	p.header = header
}
