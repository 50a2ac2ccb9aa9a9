package generator

import "go/token"

// This file says what the runtime that outputs are written for can do. What it can't is refused when everything else about an annotation is
// right, and refused again by the runtime itself: nothing that was asked for is ever ignored.

// abilities are what the language has and a runtime may lack.
type abilities struct {
	final bool // replays of final errors
}

// present is what this version's runtime can do.
var present = abilities{}

// everything is what it will be able to do: outputs can be written and compiled for that already.
var everything = abilities{final: true}

// lack is something right that the runtime can't do.
type lack struct {
	s    *source
	at   token.Position
	text string
}

// lacks notes that the runtime can't do what stands at a place, and what to do instead.
func (r *reader) lacks(s *source, at token.Position, what, instead string) {
	r.lacking = append(r.lacking, lack{s, at, what + " is not supported yet: " + instead})
}

// refuseLacking reports what the runtime can't do, but not of annotations that are wrong anyway.
func (r *reader) refuseLacking() {
	for _, l := range r.lacking {
		if !r.report.wrongLine(l.at) {
			r.report.errorf(l.s.Dir, l.at, codeLater, "%s", l.text)
		}
	}
}
