package generator

import "go/token"

// This file holds the rule about all operations of a run together.

// operationsDiffer wants a name of its own for every keyed method of the run: it is part of the stored row.
func (r *reader) operationsDiffer() {
	type named struct {
		made   *made
		method *method
		name   string
	}
	byOp := map[string]named{}
	for _, made := range r.made {
		for _, w := range made.Wrappers {
			for _, m := range w.Methods {
				if !m.Keyed {
					continue
				}
				other, taken := byOp[m.Op]
				if !taken {
					byOp[m.Op] = named{made, m, w.method(m)}
					continue
				}
				one, two := named{made, m, w.method(m)}, other
				if _, said := m.Says["op"]; !said {
					if _, said = other.method.Says["op"]; said {
						one, two = two, one // the name that was chosen is the one to change
					}
				}
				r.report.failed[two.made.source.Dir] = true
				r.report.errorf(one.made.source.Dir, one.method.named(), codeSameName,
					"`%s` is the operation %s, and so is `%s` at %s, so they would replay each other's outcomes; write another name: `//idem:op NAME`",
					one.name, m.Op, two.name, r.report.place(two.method.named()))
			}
		}
	}
}

// named is where the method's operation gets its name.
func (m *method) named() token.Position {
	if op, ok := m.Says["op"]; ok {
		return op.Pos
	}
	return m.KeyPos
}
